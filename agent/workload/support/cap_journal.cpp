#include "agent/workload/support/cap_journal.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "agent/core/limits/cap_bounds.hpp"
#include "agent/workload/support/json_answer.hpp"
#include "agent/workload/support/kept_text.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr const char* kUnread = "; remove it: the broker then says again which slots are fenced";

json json_of(const HostCap& cap) {
  json row{{"host", cap.host},        {"imported", cap.imported}, {"slots", cap.slots},
           {"own", cap.own},          {"mem_mb", cap.mem_mb},     {"swap_mb", cap.swap_mb},
           {"grace_ms", cap.grace_ms}};
  row["parts"] = json::array();
  for (const CapPart& part : cap.parts) {
    row["parts"].push_back({part.generation, part.host, part.limit, part.exported});
  }
  return row;
}

HostCap read_cap(JsonObject& row) {
  // The columns of a part: generation, position, limit, exported.
  constexpr std::array<int64_t, 4> kPartMost{static_cast<int64_t>(kNumberMax), UINT32_MAX - 1,
                                             kCapLimitMax, kSlotsMax};
  HostCap cap;
  row.allow_others();
  cap.host = row.text("host");
  cap.imported = row.flag("imported");
  cap.slots = static_cast<int32_t>(row.integer("slots", 0, INT32_MAX));
  cap.own = static_cast<int32_t>(row.integer("own", 0, INT32_MAX));
  cap.mem_mb = row.integer("mem_mb", 0, kCapMebibytesMax);
  cap.swap_mb = row.integer("swap_mb", 0, kCapMebibytesMax);
  cap.grace_ms = row.integer("grace_ms", 0, kLongestMs);
  for (const std::vector<int64_t>& part : row.rows("parts", kPartMost)) {
    cap.parts.push_back({static_cast<uint64_t>(part[0]), static_cast<uint32_t>(part[1]),
                         static_cast<int32_t>(part[2]), static_cast<int32_t>(part[3])});
  }
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
  const Result<std::optional<std::string>> text = read_kept_text(path);
  if (!text) return failed(path, text.error().message);
  if (!*text) return journal;
  const Status read = JsonObject::parse(
      **text,
      [&journal](JsonObject& all) {
        all.allow_others();
        all.integer("version", kVersion, kVersion);
        all.objects("caps", [&](JsonObject& row) { journal.caps_.push_back(read_cap(row)); });
        if (const auto fault = all.good() ? fault_of(journal.caps_) : std::nullopt) {
          all.refuse("caps", *fault);
        }
      },
      "it");
  if (!read) return failed(path, "cannot be read: " + read.error().message + kUnread);
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
  if (read_only_) return failed(path_, "is not written by --probe");
  std::vector<HostCap> next = caps_;
  for (const HostCap& cap : caps) {
    std::erase_if(next, [&cap](const HostCap& known) { return known.host == cap.host; });
    if (!cap.parts.empty()) next.push_back(cap);
  }
  std::sort(next.begin(), next.end(), before);
  if (next == caps_) return {};
  json all{{"version", kVersion}, {"caps", json::array()}};
  for (const HostCap& cap : next) all["caps"].push_back(json_of(cap));
  if (const Status written = replace_with_json(path_, all); !written) {
    return failed(path_, written.error().message);
  }
  caps_ = std::move(next);
  return {};
}

}  // namespace leasehold::agent
