// Checks whether the history that clusters may add fits into what is kept of it.
#include "broker/config/check/check.hpp"
#include "broker/config/daemon.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

namespace {

std::string megabytes(int64_t mb) {
  return std::to_string(mb) + " MB";
}

bool are_defaults(const DaemonConfig& daemon) {
  const DaemonConfig defaults;
  return daemon.retention_age_ms == defaults.retention_age_ms &&
         daemon.retention_size_mb == defaults.retention_size_mb &&
         daemon.limits.record_mb_per_hour == defaults.limits.record_mb_per_hour;
}

/// The number that each of the three would need if it alone were changed.
std::string what_would_do(const DaemonConfig& daemon, int64_t clusters, int64_t hours) {
  const int64_t room_mb = daemon.retention_size_mb / 2;
  const int64_t rate_mb = daemon.limits.record_mb_per_hour;
  std::string text;
  if (const int64_t fits = room_mb / (clusters * hours); fits > 0) {
    text += "record_mb_per_hour = " + std::to_string(fits) + ", ";
  }
  if (const int64_t fits = room_mb / (clusters * rate_mb); fits > 0) {
    text += "age = \"" + format_duration(fits * 3'600'000) + "\", ";
  }
  return text + (text.empty() ? "" : "or ") +
         "size_mb = " + std::to_string(2 * clusters * rate_mb * hours);
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

/// This is no warning, and the defaults, which are more than fits wherever any cluster is, get no
/// note: a busy morning must pass. An operator who writes one of the three learns what the others
/// would have to be.
void check_record_room(const std::string& file, size_t clusters, const DaemonConfig& daemon,
                       Findings& findings) {
  if (are_defaults(daemon)) return;
  constexpr int64_t kHourMs = 3'600'000;
  const int64_t hours = (daemon.retention_age_ms + kHourMs - 1) / kHourMs;
  const auto count = static_cast<int64_t>(clusters);
  const int64_t added_mb = count * daemon.limits.record_mb_per_hour * hours;
  if (daemon.limits.record_mb_per_hour == 0)
    return note_unlimited(file, count * hours, daemon, findings);
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
