#include "agent/workload/support/cap_journal.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "agent/workload/support/durable_file.hpp"
#include "common/config/file.hpp"
#include "common/json_text.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr const char* kUnread = "; remove it, and the broker will be asked what it held";

json json_of(const HostCap& cap) {
  json row{{"host", cap.host},        {"imported", cap.imported}, {"slots", cap.slots},
           {"own", cap.own},          {"mem_mb", cap.mem_mb},     {"swap_mb", cap.swap_mb},
           {"grace_ms", cap.grace_ms}};
  row["parts"] = json::array();
  for (const CapPart& part : cap.parts)
    row["parts"].push_back({part.generation, part.host, part.limit, part.exported});
  return row;
}

HostCap cap_of(const json& row) {
  HostCap cap;
  row.at("host").get_to(cap.host);
  row.at("imported").get_to(cap.imported);
  row.at("slots").get_to(cap.slots);
  row.at("own").get_to(cap.own);
  row.at("mem_mb").get_to(cap.mem_mb);
  row.at("swap_mb").get_to(cap.swap_mb);
  row.at("grace_ms").get_to(cap.grace_ms);
  for (const json& part : row.at("parts"))
    cap.parts.push_back({part.at(0), part.at(1), part.at(2), part.at(3)});
  return cap;
}

tl::unexpected<Error> failed(const std::string& path, const std::string& what) {
  return fail(ErrorCode::io, "the journal of fences " + path + " " + what);
}

bool before(const HostCap& a, const HostCap& b) {
  return a.host < b.host;
}

}  // namespace

Result<CapJournal> CapJournal::open(const std::string& path, bool read_only) {
  CapJournal journal;
  journal.path_ = path;
  journal.read_only_ = read_only;
  if (!std::filesystem::exists(path)) return journal;
  const Result<std::string> text = read_text_file(path);
  if (!text) return failed(path, text.error().message);
  const Result<json> parsed = parse_json<json>(*text);
  if (!parsed) return failed(path, parsed.error().message + kUnread);
  try {
    const json& all = *parsed;
    if (all.at("version") != kVersion)
      return failed(path, "is of version " + all.at("version").dump() + "; this program reads 1");
    for (const json& row : all.at("caps")) journal.caps_.push_back(cap_of(row));
  } catch (const json::exception& wrong) {
    return failed(path, std::string("cannot be read: ") + wrong.what() + kUnread);
  }
  std::sort(journal.caps_.begin(), journal.caps_.end(), before);
  return journal;
}

const HostCap* CapJournal::find(const std::string& host) const {
  const auto at =
      std::lower_bound(caps_.begin(), caps_.end(), host,
                       [](const HostCap& cap, const std::string& name) { return cap.host < name; });
  return at == caps_.end() || at->host != host ? nullptr : &*at;
}

Status CapJournal::put(std::span<const HostCap> caps) {
  if (read_only_) return failed(path_, "was opened for reading");
  std::vector<HostCap> next = caps_;
  for (const HostCap& cap : caps) {
    std::erase_if(next, [&cap](const HostCap& known) { return known.host == cap.host; });
    if (!cap.parts.empty()) next.push_back(cap);
  }
  std::sort(next.begin(), next.end(), before);
  if (next == caps_) return {};
  json all{{"version", kVersion}, {"caps", json::array()}};
  for (const HostCap& cap : next) all["caps"].push_back(json_of(cap));
  if (const Status written = replace_file(path_, all.dump() + "\n"); !written)
    return failed(path_, written.error().message);
  caps_ = std::move(next);
  return {};
}

}  // namespace leasehold::agent
