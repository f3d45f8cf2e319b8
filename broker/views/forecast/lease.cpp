#include "broker/views/forecast/lease.hpp"

#include <algorithm>

#include "broker/core/lease/demand_view.hpp"
#include "broker/core/lease/gate.hpp"
#include "broker/core/model/queries/horizons.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/views/explain/hindrances.hpp"
#include "broker/views/rows.hpp"

namespace leasehold::forecasting {

namespace {

using rows::count_of;

class CourseInput {
 public:
  CourseInput(const State& state, const SlotGroup& group, Forecast& forecast)
      : forecast_(forecast), input_{state, group, forecast.now} {
    input_.like = forecast.like;
    input_.asked = forecast.provider_side ? kProvider : kConsumer;
    const ExportPolicy& policy = state.policies[group.policy].config;
    input_.exclusive = is_exclusive(policy.type);
    const Rule& rule = rule_in_force(policy);
    if (rule.of_totals != nullptr) input_.of_totals = rule.of_totals;
    const bool shapes = input_.cluster(kProvider).demand || input_.cluster(kConsumer).demand;
    if (shapes) input_.of_work = rule.of_work;
    input_.grace_ms = policy.reclaim_grace_ms;
  }

  LeaseCourseInput take() {
    count_rows();
    look_at_reservations();
    count_under_way();
    for (const size_t m : {kProvider, kConsumer}) list_own(m);
    look_at_evaluations();
    look_at_work();
    look_at_gate();
    look_at_window();
    return input_;
  }

 private:
  void hold(Basis basis, std::string sentence) {
    forecast_.holds.push_back({basis, 0, std::move(sentence)});
  }

  /// Hosts that are down count among what the lease can ever have, because they come up again.
  void count_rows() {
    const SlotGroup& group = input_.group;
    int64_t away = 0;
    bool drains = !group.hosts.empty();
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const bool closed = row_drains(input_.state, group, kConsumer, row);
      const bool up = common_up(group, row);
      drains = drains && closed;
      const int64_t slots = group.hosts[row].exported;
      forecast_.most += input_.asked == kProvider || !closed ? slots : 0;
      if (!up || (closed && input_.asked == kConsumer)) away += slots;
      input_.hosts.push_back(host_at(row));
      if (!up) continue;
      if (!closed) input_.hosts[row].cap = consumer_cap(input_.state, group, row);
      for (const size_t m : {kProvider, kConsumer}) add_row(row, m, closed);
    }
    input_.returns_to_provider = drains || cluster_drains(input_.state, group, kConsumer);
    if (away > 0 && !input_.returns_to_provider) {
      hold(Basis::host_away, count_of(away, "slot") + " on hosts that are down, closed or " +
                                 "unknown to a side are not counted while they are");
    }
    if (input_.returns_to_provider) look_at_drain();
  }

  LeaseHost host_at(uint32_t row) const {
    const wire::HostFacts& facts = host_of(input_.state, input_.group, row).facts;
    const int32_t exported = input_.group.hosts[row].exported;
    LeaseHost host;
    for (HostSlots& slots : host.of) {
      slots.type = facts.type;
      slots.size = exported >= facts.slots ? exported : 0;
    }
    return host;
  }

  /// Slots that a consumer holds on a closed host are not available to new work.
  void add_row(uint32_t row, size_t m, bool closed) {
    const Holding& holding = input_.group.at(row, m);
    HostSlots& slots = input_.hosts[row].of[m];
    slots.used = std::min(holding.used, holding.held);
    slots.held = closed && m == kConsumer ? slots.used : holding.held;
  }

  /// Slots that the consumer has idle on a host that is closed to it come home.
  void look_at_reservations() {
    const SlotGroup& group = input_.group;
    const uint32_t consumer = group.members[kConsumer].cluster;
    Reserved reserved;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const Host& host = host_of(input_.state, group, row);
      const bool barred = reserved_from(input_.state, group, kConsumer, row);
      if (!common_up(group, row) || (!barred && !host.facts.horizon)) continue;
      LeaseHost& at = input_.hosts[row];
      const Instant from = barred_from(host, input_.cluster(kConsumer), consumer);
      at.closed_ms[kConsumer] = barred ? 0 : ms_until(from, forecast_.now);
      if (host.facts.horizon) {
        at.closed_ms[kProvider] = ms_until(Instant{host.facts.horizon->from_ms}, forecast_.now);
      }
      close_now(row);
      reserved.add(at.closed_ms[input_.asked], group.hosts[row].exported);
    }
    note_reserved(forecast_, reserved);
  }

  void close_now(uint32_t row) {
    LeaseHost& host = input_.hosts[row];
    HostSlots& lent = host.of[kConsumer];
    HostSlots& home = host.of[kProvider];
    if (host.closed_ms[kConsumer] == 0 && lent.idle() > 0) {
      input_.coming[kProvider].push_back({row, lent.idle()});
      lent.held = lent.used;
    }
    if (host.closed_ms[kProvider] == 0) home.held = home.used;
  }

  void look_at_drain() {
    if (input_.asked == kConsumer) forecast_.most = 0;
    hold(Basis::draining,
         input_.asked == kConsumer
             ? "the lease drains: its slots go back to " + input_.cluster(kProvider).name
             : "the lease drains: each slot comes back when its job at " +
                   input_.cluster(kConsumer).name + " ends");
  }

  void count_under_way() {
    const SlotGroup& group = input_.group;
    for (const Transfer& transfer : group.transfers) {
      if (transfer.lowering != wire::Lowering::release || transfer.to > kConsumer) continue;
      if (transfer.step == TransferStep::releasing) count_released(transfer);
    }
    if (group.transfers.empty() || group.transfers.front().to > kConsumer) return;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const int64_t slots = group.hosts[row].in_transfer;
      if (slots > 0) input_.coming[group.transfers.front().to].push_back({row, slots});
    }
  }

  /// Idle slots of other hosts than it was asked of count, too.
  void count_released(const Transfer& transfer) {
    int64_t left = 0;
    for (const auto& [row, wanted] : transfer.wanted) left += wanted;
    const auto take = [&](uint32_t row, int64_t most) {
      HostSlots& from = input_.hosts[row].of[transfer.from];
      const int64_t slots = std::min({left, most, from.idle()});
      if (slots <= 0) return;
      from.held -= slots;
      left -= slots;
      input_.coming[transfer.to].push_back({row, slots});
    };
    for (const auto& [row, wanted] : transfer.wanted) take(row, wanted);
    for (uint32_t row = 0; row < input_.hosts.size(); ++row) take(row, left);
  }

  void list_own(size_t m) {
    std::vector<uint32_t> exported;
    for (const HostLedger& row : input_.group.hosts) {
      if (m == kProvider) exported.push_back(row.host);
    }
    input_.own[m] = own_hosts(input_.cluster(m), exported);
  }

  void look_at_evaluations() {
    const State& state = input_.state;
    const bool known = input_.group.grid < state.grids.size();
    if (!known || state.grids[input_.group.grid].next == kNever) {
      input_.moves = input_.moves_in_early_outlook = false;
      return;
    }
    const Grid& grid = state.grids[input_.group.grid];
    input_.delay_ms = grid.delay_ms;
    input_.next_ms = next_evaluation(grid, forecast_.now) - forecast_.now;
  }

  /// Reads what of the rule's view does not change as time goes on.
  void look_at_work() {
    if (input_.group.grid >= input_.state.grids.size()) input_.of_work = nullptr;
    if (input_.of_work == nullptr) return;
    input_.view.settings = demand_settings(input_.state, input_.group);
    for (uint32_t row = 0; row < input_.hosts.size(); ++row) {
      demand_aware::IdleRow& idle = input_.view.rows.emplace_back();
      idle.whole = moves_whole(input_.state, input_.group, row);
      idle.size = static_cast<int32_t>(input_.hosts[row].of[kConsumer].size);
      input_.view.exported.push_back(input_.group.hosts[row].exported);
    }
  }

  void nothing_moves(Basis basis, std::string sentence, bool lasts = false) {
    input_.moves = false;
    input_.moves_in_early_outlook = input_.moves_in_early_outlook && !lasts;
    hold(basis, std::move(sentence));
  }

  void look_at_gate() {
    const State& state = input_.state;
    if (state.config.mode == Mode::observe) {
      nothing_moves(Basis::observe, "the broker observes: it orders nothing", true);
    }
    if (state.frozen) look_at_freeze();
    input_.freeze = freeze_ahead(state, forecast_);
    for (const size_t m : {kProvider, kConsumer}) {
      if (input_.cluster(m).contact == Contact::ok) continue;
      nothing_moves(Basis::agent_lost, "the agent of " + input_.cluster(m).name +
                                           " is silent: nothing moves before it reports");
    }
    look_at_reason(gate(state, input_.group));
    if (input_.exclusive && input_.asked == kProvider && !input_.returns_to_provider) {
      hold(Basis::exclusive, "an exclusive lease gives back nothing by itself");
    }
  }

  void look_at_freeze() {
    const Instant until = frozen_until(input_.state);
    if (until == kNever) {
      return nothing_moves(Basis::frozen, "an operator froze the leases: leasectl thaw", true);
    }
    hold(Basis::frozen, "an operator froze the leases until " + format_utc(until));
    if (!input_.moves) return;
    const Grid& grid = input_.state.grids[input_.group.grid];
    input_.next_ms = next_on_grid(grid, until) - forecast_.now;
    input_.moves_from_ms = ms_until(until, forecast_.now);
  }

  void look_at_reason(Reason reason) {
    switch (static_cast<int>(reason)) {
      case static_cast<int>(Reason::closed):
        forecast_.most = 0;
        return nothing_moves(Basis::draining, "the lease is over", true);
      case static_cast<int>(Reason::quarantine):
        return nothing_moves(Basis::quarantine,
                             "not every side has reported since the broker's start");
      case static_cast<int>(Reason::breach):
        return nothing_moves(Basis::breach, "a side uses more than it was given");
      case static_cast<int>(Reason::degraded):
        return nothing_moves(Basis::degraded,
                             "a side's workload manager does not answer its agent");
      case static_cast<int>(Reason::no_common_host):
        return nothing_moves(Basis::host_away, "no host is up for both sides");
      case static_cast<int>(Reason::host_indivisible):
        return nothing_moves(Basis::not_obliged,
                             "its hosts may not be split, and parts of them are exported", true);
      case static_cast<int>(Reason::host_reserved):
        return nothing_moves(Basis::host_away,
                             "its hosts are reserved at " + input_.cluster(kProvider).name);
      case static_cast<int>(Reason::cannot_fence):
        return nothing_moves(Basis::not_obliged,
                             input_.cluster(kProvider).name + " cannot fence what is exported",
                             true);
      case static_cast<int>(Reason::not_made):
        return nothing_moves(Basis::not_made,
                             input_.cluster(kConsumer).name +
                                 " has not yet run a job on its slot: until then nothing moves");
      default:
        return;
    }
  }

  /// An export that ends takes back the idle slots.
  void look_at_window() {
    if (input_.asked != kConsumer) return;
    const std::string& policy = input_.state.policies[input_.group.policy].config.name;
    for (const auto& windows : input_.state.windows.policies) {
      if (windows.policy != policy) continue;
      for (const Interval& open : windows.open) {
        if (open.to <= forecast_.now || open.from > forecast_.now) continue;
        input_.ends_ms = open.to - forecast_.now;
        hold(Basis::window, "the export ends at " + format_utc(open.to));
      }
    }
  }

  Forecast& forecast_;
  LeaseCourseInput input_;
};

/// Whatever is idle, work that looks as what is asked for finds no host of the lease that would do.
void look_for_obstacle(const LeaseCourseInput& input, Forecast& forecast) {
  if (!forecast.like || input.group.grid >= input.state.grids.size()) return;
  explanation::SlotsSeen seen =
      explanation::seen_of_lease(input.state, input.group, static_cast<uint8_t>(input.asked));
  seen.elsewhere.clear();
  const explanation::Found found = find_obstacle(seen, *forecast.like);
  if (!is_too_small(found.what)) return;
  set_obstacle(forecast, too_small_words(found, *forecast.like, forecast.id));
}

}  // namespace

LeaseCourseInput lease_course_input(const State& state, const SlotGroup& group,
                                    Forecast& forecast) {
  return CourseInput(state, group, forecast).take();
}

void forecast_lease(const State& state, const SlotGroup& group, Forecast& forecast) {
  const LeaseCourseInput input = lease_course_input(state, group, forecast);
  if (input.exclusive && input.asked == kProvider && !input.returns_to_provider) {
    forecast.most = input.held(kProvider);
  }
  forecast.possible = forecast.slots <= forecast.most;
  if (forecast.possible) look_for_obstacle(input, forecast);
  if (input.cluster(input.asked).contact != Contact::ok) {
    return add_unknown(forecast,
                       {Basis::agent_lost, 0, "the agent of " + forecast.cluster + " is silent"});
  }
  forecast.idle = std::max<int64_t>(0, input.idle(input.asked));
  if (!forecast.obstacle.empty()) return;
  if (!forecast.possible) {
    const Premise most{Basis::limit, 0,
                       "it exports " + std::to_string(forecast.most) + " at the most"};
    return add_unknown(forecast, forecast.holds.empty() ? most : forecast.holds.front());
  }
  std::array<Course, kOutlooks> courses;
  for (size_t at = 0; at < kOutlooks; ++at) {
    courses[at] = lease_course(input, forecast.slots, outlook_at(at));
  }
  add_times(forecast, courses, Basis::other_side, input.cluster(1 - input.asked).name);
}

}  // namespace leasehold::forecasting
