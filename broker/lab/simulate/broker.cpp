#include "broker/lab/simulate/broker.hpp"

#include <algorithm>

#include "broker/config/windows.hpp"
#include "broker/core/admission.hpp"
#include "broker/core/lease/evaluate.hpp"
#include "broker/lab/simulate/scenario/configuration.hpp"
#include "broker/lab/simulate/work.hpp"
#include "common/check.hpp"

namespace leasehold {

VirtualBroker::VirtualBroker(const Scenario& scenario, const SimulationRule& rule,
                             std::vector<JobModel>& models, Store* store, Watcher* watcher)
    : scenario_(scenario),
      rule_(rule),
      core_(store),
      agents_(scenario, rule, core_, models, watcher) {}

void VirtualBroker::feed(const Event& event, Instant now) {
  core_.feed(event, now);
  moves_.count(core_.records(), core_.state(), core_.time(now), begun_);
  if (rule_.planned) meter_.recorded(core_.records(), core_.time(now));
}

/// Reports take the same way as in the daemon: checked, reduced to what is new, given to the core.
void VirtualBroker::feed_report(Event& event, Instant now) {
  auto& report = std::get<StateReported>(event);
  const uint32_t cluster = find_cluster(core_.state(), report.cluster);
  const std::optional<Refused> refused = check_state(core_.state(), cluster, report.state);
  LEASEHOLD_CHECK(!refused, refused->message.c_str());
  if (drop_known(core_.state(), report)) feed(event, now);
}

Status VirtualBroker::begin(Instant now) {
  int64_t ahead_ms = rule_.planned ? scenario_.start.ms : -now.ms;
  if (rule_.by_demand()) ahead_ms += kWorkEpochMs;
  if (Status begun = core_.begin(ahead_ms); !begun) return begun;
  feed(BrokerStarted{1, false}, now);
  ConfigLoaded loaded{simulated_configuration(scenario_, rule_, agents_.names()), {}, "start"};
  loaded.windows = resolve_windows(loaded.config, core_.time(now));
  feed(loaded, now);
  const auto clusters = static_cast<uint32_t>(scenario_.clusters.size());
  for (uint32_t i = 0; i < clusters; ++i) {
    feed(agents_.hello(i), now);
    feed(agents_.inventory(i), now);
    carry_out_orders(now);
  }
  for (uint32_t i = 0; i < clusters; ++i) {
    for (const uint32_t side : agents_.sides_of(i)) feed_report(agents_.answer(side, now), now);
    carry_out_orders(now);
  }
  begun_ = true;
  return check_offers();
}

/// Checks the rule of schema/README.md, "Simulated time": all slots but the initial ones are the
/// provider's.
Status VirtualBroker::check_offers() const {
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

/// Returns true if a cluster may use more slots than before.
bool VirtualBroker::carry_out_orders(Instant now) {
  agents_.adopt_groups();
  const int64_t transfer_ms = begun_ ? scenario_.transfer_time_ms : 0;
  bool opened = false;
  while (const std::optional<CoreOrder> order = core_.take_order()) {
    const uint32_t side = agents_.side_of(*order);
    const MemberSide::Taken taken = agents_.side(side).take(*order, transfer_ms, now);
    if (taken.answers) feed_report(agents_.answer(side, now), now);
    opened = opened || taken.more;
    agents_.adopt_groups();
  }
  return opened;
}

bool VirtualBroker::report(Instant now) {
  for (uint32_t i = 0; i < scenario_.clusters.size(); ++i) {
    if (Event* report = agents_.news(i, now)) feed_report(*report, now);
  }
  return carry_out_orders(now);
}

/// Puts off the flips of a damped rule (Scenario::damping) by not calling the core, which finds the
/// evaluation due the next time.
bool VirtualBroker::puts_off(Instant now) const {
  if (!rule_.damped || state().slot_groups.empty()) return false;
  const Instant flipped = moves_.flipped_at();
  const bool held =
      flipped.ms != INT64_MIN && core_.time(now) - flipped < scenario_.damping.min_hold_ms;
  return held || decide(state(), 0).slots <= scenario_.damping.dead_zone;
}

bool VirtualBroker::evaluate(Instant now) {
  if (puts_off(now)) return false;
  const Instant at = core_.time(now);
  if (are_windows_due(state().config, state().windows.until, at)) {
    feed(WindowsResolved{resolve_windows(state().config, at)}, now);
  }
  feed(Tick{}, now);
  return carry_out_orders(now);
}

void VirtualBroker::settle(Instant now) {
  if (ends_work(scenario_, rule_)) agents_.settle(now, meter_);
}

bool VirtualBroker::deliver(Instant now) {
  bool opened = false;
  for (uint32_t i = 0; i < agents_.sides(); ++i) {
    if (!agents_.side(i).deliver(now)) continue;
    feed_report(agents_.answer(i, now), now);
    if (carry_out_orders(now)) opened = true;
  }
  return opened;
}

}  // namespace leasehold
