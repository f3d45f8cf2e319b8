#include "broker/views/leases/horizons.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/core/model/queries/horizons.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/views/rows.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

Json horizon_json(const State& state, const Cluster& owner, const Host& host) {
  if (!host.facts.horizon) return nullptr;
  Json closed_to = Json::array();
  for (const uint32_t cluster : host.barred) closed_to.push_back(state.clusters[cluster].name);
  return {{"reservation", host.facts.horizon->name},
          {"from", rows::time(Instant{host.facts.horizon->from_ms})},
          {"until", rows::time(Instant{host.facts.horizon->until_ms})},
          {"begun", has_begun(state, host)},
          {"closed_to", std::move(closed_to)},
          {"work_ends_from", rows::time(work_ends_from(state, owner, host))}};
}

Instant work_ends_from(const State& state, const Cluster& owner, const Host& host) {
  Instant soonest = kNever;
  const auto provider = static_cast<uint32_t>(&owner - state.clusters.data());
  each_borrower(state, provider, [&](const SlotGroup& group, size_t member, uint32_t row) {
    if (&host_of(state, group, row) != &host || group.at(row, member).held == 0) return;
    soonest = std::min(soonest, ended_from(state, group, member, row));
  });
  return soonest;
}

bool has_begun(const State& state, const Host& host) {
  return host.facts.horizon && host.facts.horizon->from_ms <= state.now.ms;
}

std::string horizon_words(const State& state, const Cluster& owner, const Host& host) {
  const wire::Horizon& horizon = *host.facts.horizon;
  return "reserved at " + owner.name + " (" + horizon.name + ") from " +
         format_utc(Instant{horizon.from_ms}) + " to " + format_utc(Instant{horizon.until_ms}) +
         (has_begun(state, host) ? ", which has begun" : "");
}

namespace {

/// Returns why the borrower starts nothing there: "its work of up to 4h might not have ended".
std::string outlasting_words(const Cluster& borrower) {
  const bool states_limits = borrower.ending && borrower.ending->longest_limit_ms;
  if (!states_limits) return "because its agent does not report time limits";
  const int64_t longest_ms = *borrower.ending->longest_limit_ms;
  if (longest_ms == wire::kNoTimeLimit) {
    return "because some of its work has no time limit: with a default limit at " + borrower.name +
           " the host would be lent for longer";
  }
  return "because its work of up to " + format_duration(longest_ms) + " might not have ended";
}

}  // namespace

std::string before_reservation(const State& state, const SlotGroup& group, size_t member,
                               uint32_t row) {
  const uint32_t index = group.members[member].cluster;
  const Cluster& borrower = state.clusters[index];
  const Instant ends = ended_from(state, group, member, row);
  const bool outlasts = barred_from(host_of(state, group, row), borrower, index) <= state.now;
  std::string text = borrower.name + " starts nothing there";
  if (outlasts) text += ", " + outlasting_words(borrower);
  if (ends != kNever) text += "; what runs there is asked to end from " + format_utc(ends);
  return text;
}

std::string window_end_words(const State& state, const SlotGroup& group, size_t member) {
  const std::vector<Interval> windows = last_windows(state);
  if (group.policy >= windows.size() || windows[group.policy].to == kNever) return "";
  const Interval& window = windows[group.policy];
  const Cluster& borrower = state.clusters[group.members[member].cluster];
  const Instant from = closed_before(state, group, member, window);
  const std::string text = "the export ends at " + format_utc(window.to) + ": ";
  if (group.members[member].window_ends) {
    return text + borrower.name + " starts nothing before, because its work might not have ended";
  }
  if (from != kNever) {
    return text + "from " + format_utc(from) + " on " + borrower.name +
           " starts nothing, because its work of up to " +
           format_duration(*borrower.ending->longest_limit_ms) + " might not have ended";
  }
  const bool states_limits = borrower.ending && borrower.ending->longest_limit_ms;
  return text + "what " + borrower.name + " runs then goes on, because " +
         (states_limits ? "some of its work may run as long as the window is open: a shorter "
                          "time limit at " +
                              borrower.name + " would have it ended by then"
                        : "its agent does not report time limits");
}

}  // namespace leasehold
