#include "broker/lab/simulate/site.hpp"

#include <algorithm>
#include <variant>

#include "broker/core/admission.hpp"
#include "broker/lab/simulate/scenario/configuration.hpp"
#include "broker/lab/simulate/work.hpp"
#include "common/check.hpp"

namespace leasehold {

SimulatedSite::SimulatedSite(const Scenario& scenario, const SimulationRule& rule,
                             std::vector<JobModel>& models, Store* store, Watcher* watcher)
    : VirtualSite(store),
      scenario_(scenario),
      rule_(rule),
      watcher_(watcher),
      agents_(scenario, rule, *this, models, watcher) {}

void SimulatedSite::stepped() {
  moves_.count(records(), state(), state().now, begun_);
  if (rule_.planned) meter_.recorded(records(), state().now);
}

bool SimulatedSite::follow(Instant) {
  agents_.adopt_groups();
  return false;
}

bool SimulatedSite::take_order(const CoreOrder& order, Instant now) {
  const uint32_t side = agents_.side_of(order);
  const int64_t transfer_ms = begun_ ? scenario_.transfer_time_ms : 0;
  const MemberSide::Taken taken = agents_.side(side).take(order, transfer_ms, now);
  if (taken.answers) checked_report(agents_.answer(side, now), now);
  return taken.more;
}

/// A daemon refuses what contradicts its state; these agents never say that.
void SimulatedSite::checked_report(Event& said, Instant now) {
  const auto& report = std::get<StateReported>(said);
  const uint32_t cluster = find_cluster(state(), report.cluster);
  const std::optional<Refused> refused = check_state(state(), cluster, report.state);
  LEASEHOLD_CHECK(!refused, refused->message.c_str());
  feed_report(said, now);
}

Status SimulatedSite::begin(Instant now) {
  int64_t ahead_ms = rule_.planned ? scenario_.start.ms : -now.ms;
  if (rule_.by_demand()) ahead_ms += kWorkEpochMs;
  if (Status begun = open(ahead_ms); !begun) return begun;
  feed(BrokerStarted{1, false}, now);
  load({simulated_configuration(scenario_, rule_, agents_.names()), {}, "start"}, now);
  const auto clusters = static_cast<uint32_t>(scenario_.clusters.size());
  for (uint32_t i = 0; i < clusters; ++i) {
    feed(agents_.hello(i), now);
    feed(agents_.inventory(i), now);
    carry_out(now);
  }
  for (uint32_t i = 0; i < clusters; ++i) {
    for (const uint32_t side : agents_.sides_of(i)) checked_report(agents_.answer(side, now), now);
    carry_out(now);
  }
  begun_ = true;
  return check_offers();
}

/// Checks the rule of schema/README.md, "Simulated time": all slots but the initial ones are the
/// provider's.
Status SimulatedSite::check_offers() const {
  for (const ScenarioPolicy& policy : scenario_.policies) {
    if (is_planned(rule_, policy)) continue;
    int64_t offered = 0;
    int64_t kept = 0;
    for (uint32_t i = 0; i < scenario_.clusters.size(); ++i) {
      (i == policy.provider ? kept : offered) += agents_.cap(i, policy);
    }
    const int64_t due =
        is_exclusive(policy.type) ? policy.slots : std::min(policy.slots, policy.initial_slots);
    if (offered == due && kept == policy.slots - due) continue;
    return tl::unexpected(Error{ErrorCode::refused,
                                "policy '" + policy.name + "': the consumer was offered " +
                                    std::to_string(offered) + " slots where " +
                                    std::to_string(due) + " are due",
                                policy.source.file, policy.source.line, 0});
  }
  return {};
}

bool SimulatedSite::report(Instant now) {
  for (uint32_t i = 0; i < scenario_.clusters.size(); ++i) {
    if (Event* news = agents_.news(i, now)) checked_report(*news, now);
  }
  return carry_out(now);
}

bool SimulatedSite::evaluate(Instant now) {
  if (watcher_ != nullptr && watcher_->puts_off(state(), moves_.flipped_at(), time(now))) {
    return false;
  }
  return tick(now);
}

void SimulatedSite::end_overdue(Instant now) {
  if (ends_work(scenario_, rule_)) agents_.end_overdue(now, meter_);
}

bool SimulatedSite::deliver(Instant now) {
  bool opened = false;
  for (uint32_t i = 0; i < agents_.sides(); ++i) {
    if (!agents_.side(i).deliver(now)) continue;
    checked_report(agents_.answer(i, now), now);
    if (carry_out(now)) opened = true;
  }
  return opened;
}

}  // namespace leasehold
