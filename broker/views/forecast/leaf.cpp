// Reads from the state what a leaf of a plan can ever have, and what holds it back.
#include "broker/views/forecast/leaf.hpp"

#include <algorithm>

#include "broker/core/model/queries/horizons.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/plan/by_work.hpp"
#include "broker/rules/plan/evaluate.hpp"
#include "broker/views/explain/hindrances.hpp"
#include "broker/views/rows.hpp"

namespace leasehold::forecasting {

namespace {

/// Counts the slots of the group as if all hosts that are to stay in it were up.
int64_t slots_at_best(const State& state, const ResourceGroupLedger& ledger) {
  int64_t slots = 0;
  for (const uint32_t g : ledger.slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.phase == Phase::draining || group.phase == Phase::closed) continue;
    for (const HostLedger& row : group.hosts) slots += std::min(row.exported, row.target);
  }
  return slots;
}

/// Returns what the plan would give the consumer if nobody else wanted anything.
int64_t most_under(const Plan& plan, uint32_t consumer, int64_t slots) {
  PlanState alone;
  alone.slots = slots;
  alone.leaves.resize(plan.consumers.size());
  alone.leaves[consumer].demand = kMostSlots;
  for (const PlanRow& row : evaluate_plan(plan, alone).rows) {
    if (row.consumer == consumer) return row.quota;
  }
  return 0;
}

/// Whatever is idle, work that looks as what is asked for finds no host that would do.
void look_for_obstacle(const State& state, uint32_t plan, uint32_t consumer, Forecast& forecast) {
  if (!forecast.like) return;
  const PlanNow now = plan_now(state, plan);
  const explanation::Found found =
      find_obstacle(explanation::seen_of_plan(state, now, consumer), *forecast.like);
  if (!is_too_small(found.what)) return;
  set_obstacle(forecast, too_small_words(found, *forecast.like, now.snapshot.plan->name));
}

void look_at_groups(const State& state, const ResourceGroupLedger& ledger, Forecast& forecast) {
  const auto hold = [&forecast](Basis basis, std::string sentence) {
    forecast.holds.push_back({basis, 0, std::move(sentence)});
  };
  for (const uint32_t g : ledger.slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    const std::string& provider = rows::cluster_name(state, group, kProvider);
    const std::string none = "no slots of " + state.policies[group.policy].config.name + " move: ";
    if (group.phase == Phase::draining) {
      hold(Basis::draining, none + "they go back to " + provider);
    } else if (group.quarantined) {
      hold(Basis::quarantine, none + "not every member has reported yet");
    } else if (group.breach) {
      hold(Basis::breach, none + "a cluster uses more than it was given");
    } else if (!member_takes_part(state, group, kProvider)) {
      hold(Basis::agent_lost, none + provider + " is silent");
    }
  }
}

void look_at_orders(const State& state, Forecast& forecast) {
  if (state.config.mode == Mode::observe) {
    forecast.holds.push_back({Basis::observe, 0, "the broker observes: it orders nothing"});
  }
  if (!state.frozen) return;
  const Instant until = frozen_until(state);
  const std::string when = until == kNever ? ": leasectl thaw" : " until " + format_utc(until);
  forecast.holds.push_back({Basis::frozen, 0, "an operator froze the leases" + when});
}

/// Says why a plan leaves out what the cluster wants (member_takes_part()).
Premise takes_no_part(const State& state, const std::string& name) {
  const uint32_t at = find_cluster(state, name);
  if (at == kNoIndex || state.clusters[at].contact != Contact::ok) {
    return {Basis::agent_lost, 0, "the agent of " + name + " is silent"};
  }
  if (state.clusters[at].degraded) {
    return {Basis::degraded, 0, "the workload manager of " + name + " does not answer its agent"};
  }
  return {Basis::agent_lost, 0, "the agent of " + name + " has not reported on each lease yet"};
}

/// Reads from when on leaves begin nothing on which hosts.
class ReservedHosts {
 public:
  ReservedHosts(LeafCourseInput& input, Forecast& forecast) : input_(input), forecast_(forecast) {}

  void find() {
    for (uint32_t h = 0; h < input_.snapshot.rows.size(); ++h) look_at(h);
    std::stable_sort(input_.closes.begin(), input_.closes.end(),
                     [](const HostCloses& a, const HostCloses& b) { return a.at_ms < b.at_ms; });
  }
  void note() const { note_reserved(forecast_, reserved_); }

 private:
  void look_at(uint32_t h) {
    const auto [g, row] = input_.snapshot.rows[h];
    const SlotGroup& group = input_.state.slot_groups[g];
    const Host& host = host_of(input_.state, group, row);
    if (!host.facts.horizon && host.barred.empty()) return;
    int64_t begins_ms = kNotAtAll;
    if (host.facts.horizon) {
      begins_ms = ms_until(Instant{host.facts.horizon->from_ms}, forecast_.now);
      input_.closes.push_back({begins_ms, kNoIndex, h});
    }
    for (size_t m = 0; m < group.members.size(); ++m) look_at_member(h, m, begins_ms);
  }

  void look_at_member(uint32_t h, size_t m, int64_t at_ms) {
    const auto [g, row] = input_.snapshot.rows[h];
    const SlotGroup& group = input_.state.slot_groups[g];
    const uint32_t known = group.members[m].plan_consumer;
    const uint32_t consumer =
        known == kNoIndex ? kNoIndex : input_.snapshot.ready->consumer_at[known];
    if (consumer == kNoIndex) return;
    const uint32_t cluster = group.members[m].cluster;
    if (m != kProvider && cluster != group.members[kProvider].cluster) {
      const Host& host = host_of(input_.state, group, row);
      const bool barred = reserved_from(input_.state, group, m, row);
      at_ms = barred ? 0
                     : ms_until(barred_from(host, input_.state.clusters[cluster], cluster),
                                forecast_.now);
      if (at_ms < kNotAtAll) input_.closes.push_back({at_ms, consumer, h});
    }
    if (consumer == input_.consumer) reserved_.add(at_ms, group.hosts[row].exported);
  }

  LeafCourseInput& input_;
  Forecast& forecast_;
  Reserved reserved_;
};

/// Returns the asking leaf's idle slots on hosts that are closed to it already.
int64_t closed_now(const LeafCourseInput& input) {
  int64_t slots = 0;
  for (const HostCloses& closes : input.closes) {
    if (closes.at_ms > 0 || closes.consumer != input.consumer) continue;
    for (const HostHolding& held : input.snapshot.hosts[closes.host].held) {
      if (held.consumer != input.consumer) continue;
      slots += std::max<int64_t>(0, held.slots - held.used);
    }
  }
  return slots;
}

bool waits_for_hosts(const Cluster& cluster) {
  return std::any_of(cluster.demand->begin(), cluster.demand->end(),
                     [](const wire::DemandBucket& bucket) {
                       return bucket.jobs > 0 && bucket.slots > 0 && needs_hosts(bucket);
                     });
}

/// Not of plans that are decided in whole hosts, nor where that would take long.
bool goes_by_host(const LeafCourseInput& input) {
  const std::vector<uint32_t>& clusters = input.snapshot.ready->cluster;
  const bool any = !input.closes.empty() ||
                   std::any_of(input.shaped.begin(), input.shaped.end(), [&](uint32_t c) {
                     return waits_for_hosts(input.state.clusters[clusters[c]]);
                   });
  return any && !input.snapshot.in_slots &&
         goes_by_work(input.slots.leaves.size(), input.snapshot.hosts.size());
}

}  // namespace

LeafCourseInput leaf_course_input(const State& state, uint32_t plan, uint32_t consumer,
                                  Forecast& forecast) {
  LeafCourseInput input{state, state.resource_groups[plan], forecast.now,
                        take_snapshot(state, plan), consumer};
  const bool whole = input.snapshot.in_slots.has_value();
  input.slots = whole ? input.snapshot.in_slots->state : input.snapshot.state;
  const std::vector<PlanHost>& hosts =
      whole ? input.snapshot.in_slots->hosts : input.snapshot.hosts;
  input.used.resize(input.slots.leaves.size(), 0);
  for (const PlanHost& host : hosts) {
    for (const HostHolding& held : host.held) {
      input.used[held.consumer] += std::min(held.used, held.slots);
    }
  }
  for (uint32_t c = 0; c < input.slots.leaves.size(); ++c) {
    const uint32_t cluster = input.snapshot.ready->cluster[c];
    const bool tells = cluster != kNoIndex && state.clusters[cluster].demand.has_value();
    if (tells && input.slots.leaves[c].connected) input.shaped.push_back(c);
  }
  ReservedHosts reserved(input, forecast);
  reserved.find();
  input.by_host = goes_by_host(input);
  if (input.by_host) {
    reserved.note();
  } else {
    input.closes.clear();
  }
  input.moves =
      state.config.mode == Mode::lease && (!state.frozen || frozen_until(state) != kNever);
  if (input.ledger.grid >= state.grids.size()) return input;
  const Grid& grid = state.grids[input.ledger.grid];
  const bool later = state.frozen && input.moves;
  const Instant next =
      later ? next_on_grid(grid, frozen_until(state)) : next_evaluation(grid, forecast.now);
  input.delay_ms = grid.delay_ms;
  input.waits = later;
  input.next_ms = next == kNever ? input.delay_ms : next - forecast.now;
  return input;
}

void forecast_leaf(const State& state, uint32_t plan, uint32_t consumer, Forecast& forecast) {
  const ResourceGroupLedger& ledger = state.resource_groups[plan];
  look_at_orders(state, forecast);
  const FreezeAhead freeze = freeze_ahead(state, forecast);
  look_at_groups(state, ledger, forecast);
  const int64_t slots = slots_at_best(state, ledger);
  for (const Plan& variant : resource_group(state, ledger.name)->variants) {
    forecast.most = std::max(forecast.most, most_under(variant, consumer, slots));
  }
  forecast.possible = forecast.slots <= forecast.most;
  if (forecast.possible) look_for_obstacle(state, plan, consumer, forecast);
  if (forecast.slots > forecast.most) {
    add_unknown(forecast, {Basis::limit, 0,
                           "limits, shares and loans of the plan let it have " +
                               std::to_string(forecast.most) + " slots at the most"});
  }
  LeafCourseInput input = leaf_course_input(state, plan, consumer, forecast);
  input.freeze = freeze;
  const LeafState& leaf = input.slots.leaves[consumer];
  if (!leaf.connected) {
    forecast.holds.push_back(takes_no_part(state, forecast.cluster));
    return add_unknown(forecast, forecast.holds.back());
  }
  forecast.idle = std::max<int64_t>(0, leaf.allocated - input.used[consumer] - closed_now(input));
  if (!forecast.possible) return;
  std::array<Course, kOutlooks> courses;
  for (size_t at = 0; at < kOutlooks; ++at) {
    courses[at] = leaf_course(input, forecast, outlook_at(at));
  }
  add_times(forecast, courses, Basis::others, "others, as the plan gives them");
}

}  // namespace leasehold::forecasting
