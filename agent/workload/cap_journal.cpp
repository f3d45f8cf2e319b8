#include "agent/workload/cap_journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace leasehold::agent {

namespace {

using nlohmann::json;

constexpr int kVersion = 1;

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

bool write_all(int file, const std::string& text) {
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t put = ::write(file, text.data() + written, text.size() - written);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    written += static_cast<size_t>(put);
  }
  return ::fsync(file) == 0;
}

/// A rename is durable when its folder is.
bool sync_folder(const std::string& path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  const bool synced = ::fsync(file) == 0;
  ::close(file);
  return synced;
}

Status replace_file(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
  bool good = file >= 0 && write_all(file, text);
  int why = errno;
  if (file >= 0) ::close(file);
  if (good && (::rename(fresh.c_str(), path.c_str()) != 0 || !sync_folder(path))) {
    good = false;
    why = errno;
  }
  if (good) return {};
  return failed(path, std::string("cannot be written: ") + std::strerror(why));
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
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  try {
    const json all = json::parse(text);
    if (all.at("version") != kVersion)
      return failed(path, "is of version " + all.at("version").dump() + "; this program reads 1");
    for (const json& row : all.at("caps")) journal.caps_.push_back(cap_of(row));
  } catch (const json::exception& wrong) {
    return failed(path, std::string("cannot be read: ") + wrong.what() +
                            "; remove it, and the broker will be asked what it held");
  }
  std::sort(journal.caps_.begin(), journal.caps_.end(), before);
  return journal;
}

const HostCap* CapJournal::find(const std::string& host) const {
  const auto at = std::find_if(caps_.begin(), caps_.end(),
                               [&host](const HostCap& cap) { return cap.host == host; });
  return at == caps_.end() ? nullptr : &*at;
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
  if (Status written = replace_file(path_, all.dump() + "\n"); !written) return written;
  caps_ = std::move(next);
  return {};
}

}  // namespace leasehold::agent
