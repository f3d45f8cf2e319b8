#include "agent/io/by_hand/interrupts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/io/by_hand/shown_json.hpp"

namespace leasehold::agent {

std::optional<int64_t> seconds_left(const SavedState& saved, const std::string& job,
                                    const std::string& boot, int64_t boottime_ms) {
  for (const SavedVictim& victim : saved.reclaims) {
    if (victim.unit != job) continue;
    const bool same_boot = boot == saved.reclaims_boot;
    const int64_t passed_ms = same_boot ? std::max<int64_t>(0, boottime_ms - victim.at_ms) : 0;
    return std::max<int64_t>(0, victim.left_ms - passed_ms) / 1'000;
  }
  return std::nullopt;
}

Result<std::optional<int64_t>> seconds_left(const Settings& settings, const std::string& job,
                                            const TimeSource& time) {
  Result<StateFile> file = StateFile::open(settings.state, true);
  if (!file) return tl::unexpected(file.error());
  const Result<SavedState> saved = file->load();
  if (!saved) return tl::unexpected(saved.error());
  return seconds_left(*saved, job, time.boot_id(), time.boottime_ms());
}

std::string interrupts_json(const std::string& job, std::optional<int64_t> seconds) {
  nlohmann::ordered_json answer{{"job", job}, {"interrupted", seconds.has_value()}};
  answer["seconds_left"] = seconds ? nlohmann::ordered_json(*seconds) : nlohmann::ordered_json();
  return shown_json(answer, -1);
}

}  // namespace leasehold::agent
