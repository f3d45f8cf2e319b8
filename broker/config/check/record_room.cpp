// Checks whether the history that clusters may add fits into what is kept of it.
#include <vector>

#include "broker/config/check/check.hpp"
#include "broker/config/daemon.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

namespace {

std::string megabytes(int64_t mb) {
  return std::to_string(mb) + " MB";
}

std::string alternatives(const std::vector<std::string>& each) {
  std::string text;
  for (const std::string& one : each) {
    text += (text.empty() ? "" : ", ") +
            std::string(&one == &each.back() && !text.empty() ? "or " : "") + one;
  }
  return text;
}

/// Returns the number that each of the three would need if it alone were changed; two of them where
/// no single one is enough.
std::string what_would_do(const DaemonConfig& daemon, int64_t clusters, int64_t hours) {
  const int64_t room_mb = daemon.retention_size_mb / 2;
  const int64_t rate_mb = daemon.limits.record_mb_per_hour;
  std::vector<std::string> ways;
  if (const int64_t fits = room_mb / (clusters * hours); fits > 0) {
    ways.push_back("record_mb_per_hour = " + std::to_string(fits));
  }
  if (const int64_t fits = room_mb / (clusters * rate_mb); fits > 0) {
    ways.push_back("age = \"" + format_duration(fits * 3'600'000) + "\"");
  }
  if (const int64_t size_mb = 2 * clusters * rate_mb * hours; size_mb <= kSizeMbMost) {
    ways.push_back("size_mb = " + std::to_string(size_mb));
  }
  if (ways.empty()) {
    ways.push_back("record_mb_per_hour = 1 with size_mb = " + std::to_string(2 * clusters * hours));
  }
  return alternatives(ways);
}

/// `cluster_hours`: the hours of [retention] age for each cluster.
void note_unlimited(const std::string& file, int64_t cluster_hours, const DaemonConfig& daemon,
                    Findings& findings) {
  if (cluster_hours == 0) return;
  const int64_t fits = daemon.retention_size_mb / 2 / cluster_hours;
  findings.note(
      {file, {}},
      "[limits] record_mb_per_hour = 0 is no limit: a cluster that writes without end "
      "pushes out the others' history before [retention] age, " +
          format_duration(daemon.retention_age_ms) + ". Enough would be: " +
          (fits > 0 ? "record_mb_per_hour = " + std::to_string(fits)
                    : "record_mb_per_hour = 1, size_mb = " + std::to_string(2 * cluster_hours)));
}

}  // namespace

/// A note, and no warning: the defaults are more than fits wherever any cluster is, because a busy
/// morning must pass and [retention] age is only how long history may be kept at most. They are
/// noted like any others, because with them, too, one cluster's noise can push out everybody's
/// history.
void check_record_room(const std::string& file, size_t clusters, const DaemonConfig& daemon,
                       Findings& findings) {
  constexpr int64_t kHourMs = 3'600'000;
  const int64_t hours = (daemon.retention_age_ms + kHourMs - 1) / kHourMs;
  const auto count = static_cast<int64_t>(clusters);
  const int64_t added_mb = count * daemon.limits.record_mb_per_hour * hours;
  if (daemon.limits.record_mb_per_hour == 0) {
    return note_unlimited(file, count * hours, daemon, findings);
  }
  if (added_mb <= daemon.retention_size_mb / 2) return;
  findings.note(
      {file, {}},
      "in [retention] age, " + format_duration(daemon.retention_age_ms) + ", " +
          std::to_string(clusters) + (clusters == 1 ? " cluster" : " clusters") + " may add " +
          megabytes(added_mb) + " to the history ([limits] record_mb_per_hour = " +
          std::to_string(daemon.limits.record_mb_per_hour) + "), more than half of size_mb, " +
          megabytes(daemon.retention_size_mb) +
          ": a cluster that writes without end pushes out the others' history before that age. "
          "Enough would be: " +
          what_would_do(daemon, count, hours));
}

}  // namespace leasehold
