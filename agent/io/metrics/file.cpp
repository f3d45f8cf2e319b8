#include "agent/io/metrics/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "common/files/durable.hpp"
#include "common/files/kept_file.hpp"
#include "common/files/open_file.hpp"
#include "common/files/umask.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

namespace {

/// Another user's node_exporter may read the file, if the umask that the agent was started with
/// lets it.
constexpr mode_t kForAll = 0644;

}  // namespace

MetricsFile::MetricsFile(std::string path, int64_t interval_ms)
    : path_(std::move(path)),
      interval_ms_(interval_ms),
      next_ms_(path_.empty() ? INT64_MAX : INT64_MIN) {}

MetricsFile::~MetricsFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

/// Follows no link that somebody else left there, and never shows a part of the text under the
/// name.
Status MetricsFile::replace(const std::string& text) const {
  const std::string fresh = path_ + ".new";
  ::unlink(fresh.c_str());
  const OpenFile file(
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kForAll));
  const bool good = file.fd() >= 0 && ::fchmod(file.fd(), kForAll & ~given_umask()) == 0 &&
                    write_all(file.fd(), text) && ::rename(fresh.c_str(), path_.c_str()) == 0;
  if (good) return {};
  const std::string why = std::strerror(errno);
  ::unlink(fresh.c_str());
  return fail(ErrorCode::io, "metrics_file '" + path_ + "' cannot be written: " + why);
}

void MetricsFile::write(const std::string& text, int64_t now_ms) {
  next_ms_ = now_ms + interval_ms_;
  const Status done = replace(text);
  if (done.has_value() != failing_) return;
  failing_ = !done;
  if (done) return log_info("metrics-written-again", {{"file", path_}});
  log_warn("metrics-not-written", {{"why", describe(done.error())},
                                   {"then", "the file is written again after report_interval"},
                                   {"do",
                                    "make room, or give the agent's user the right to write "
                                    "there"}});
}

}  // namespace leasehold::agent
