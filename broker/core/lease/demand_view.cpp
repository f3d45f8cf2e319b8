#include "broker/core/lease/demand_view.hpp"

#include <algorithm>
#include <array>

#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/owner_jobs.hpp"
#include "broker/core/model/turn/deadlines.hpp"

namespace leasehold {

bool goes_by_demand(const State& state, const SlotGroup& group) {
  const ExportPolicy* policy = policy_of_lease(state, group);
  if (policy == nullptr || group.phase == Phase::closed) return false;
  return rule_in_force(*policy).of_work != nullptr;
}

namespace {

using demand_aware::IdleRow;
using demand_aware::View;
using demand_aware::Waiting;

/// The most hosts outside the group that are listed one by one.
constexpr size_t kElsewhereMost = 1024;

bool in_use(const State& state, const SlotGroup& group, uint32_t row) {
  return common_up(group, row) && consumer_cap(state, group, row) > 0;
}

bool would_wake(const State& state, const SlotGroup& group, uint32_t row, Asleep asleep) {
  if (asleep == Asleep::left_out) return false;
  const bool would_be_up =
      wakes(state, group, row) || (asleep == Asleep::counted && sleeps(state, group, row));
  return would_be_up && consumer_cap(state, group, row) > 0;
}

/// The slots asked from both members of a lease.
struct AskedOfBoth {
  explicit AskedOfBoth(const SlotGroup& group)
      : from{AskedRows(group, kProvider), AskedRows(group, kConsumer)} {}
  std::array<AskedRows, 2> from;
};

IdleRow idle_row(const State& state, const SlotGroup& group, uint32_t row,
                 const AskedOfBoth& asked) {
  IdleRow idle;
  idle.whole = moves_whole(state, group, row);
  if (!in_use(state, group, row)) return idle;
  for (const size_t m : {kProvider, kConsumer}) {
    const Holding& holding = group.at(row, m);
    const int32_t wanted = asked.from[m].wanted(row);
    const int32_t free = holding.held - holding.used - wanted;
    idle.idle[m] = idle_there(state, group, m, row, wanted);
    idle.beside[m] = std::max(0, free - idle.idle[m]);
  }
  const AskedRow from_consumer = asked.from[kConsumer].at(row);
  if (from_consumer.wanted == 0) {
    idle.in_use = std::max(0, group.at(row, kConsumer).held - idle.idle[kConsumer]);
  }
  idle.on_way = from_consumer.nominated;
  const bool to_owner =
      from_consumer.first == wire::Lowering::shrink && from_consumer.for_owner > 0;
  if (idle.on_way > 0 || to_owner) {  // nothing goes to where something is taken from
    idle.beside[kProvider] += idle.idle[kProvider];
    idle.idle[kProvider] = 0;
  }
  if (to_owner) {  // a row has one kind of lowering at a time
    idle.beside[kConsumer] += idle.idle[kConsumer];
    idle.idle[kConsumer] = 0;
  }
  return idle;
}

/// Nothing runs there: all of it is as idle slots of its owner, whoever holds them.
IdleRow row_to_wake(const State& state, const SlotGroup& group, uint32_t row) {
  IdleRow idle;
  idle.whole = moves_whole(state, group, row);
  idle.idle[kProvider] = idle.whole ? group.hosts[row].exported : consumer_cap(state, group, row);
  return idle;
}

/// Returns the host's size if the group has all of it, else 0: on a part, nobody knows what runs on
/// the rest, and a manager that gives out whole hosts starts nothing there.
int32_t whole_size(const State& state, const SlotGroup& group, uint32_t row,
                   Asleep asleep = Asleep::left_out) {
  const int32_t exported = group.hosts[row].exported;
  const bool counts = in_use(state, group, row) || would_wake(state, group, row, asleep);
  return counts && exported >= host_of(state, group, row).facts.slots ? exported : 0;
}

void add_sizes(const State& state, const SlotGroup& group, Asleep asleep, View& view) {
  for (uint32_t row = 0; row < view.rows.size(); ++row) {
    view.rows[row].size = whole_size(state, group, row, asleep);
  }
}

/// Scales the slots by how right the agent's forecasts were so far, by its own measure; none if it
/// has no measure.
std::vector<demand_aware::Ending> ending_of(const Cluster& cluster) {
  std::vector<demand_aware::Ending> ending;
  if (!cluster.ending || cluster.ending->error_milli < 0) return ending;
  const int64_t right_milli = std::max(0, 1000 - cluster.ending->error_milli);
  for (const wire::EndingSlots& one : cluster.ending->slots) {
    const auto left = static_cast<size_t>(one.left);
    if (left >= std::size(wire::kClassMs)) continue;
    const int64_t after_ms = left == 0 ? 0 : wire::kClassMs[left - 1];
    ending.push_back({after_ms, wire::kClassMs[left], one.slots * right_milli / 1000});
  }
  return ending;
}

/// Returns the number of its own hosts and of those of its leases.
int64_t hosts_of(const State& state, const Cluster& cluster) {
  auto hosts = static_cast<int64_t>(cluster.hosts.size());
  for (const uint32_t lease : cluster.slot_groups) {
    hosts += static_cast<int64_t>(state.slot_groups[lease].hosts.size());
  }
  return hosts;
}

/// Adds what waits, but for jobs that slots elsewhere are for. An agent that tells no shapes has
/// work of single slots.
void add_waiting(const State& state, const SlotGroup& group, size_t member,
                 const BeingServed& served, ViewReader* reader, std::vector<Waiting>& waiting) {
  const uint32_t index = group.members[member].cluster;
  const Cluster& cluster = state.clusters[index];
  if (!cluster.demand) {
    const int64_t jobs = cluster.pending - served.jobs_of(0);
    if (jobs > 0) waiting.push_back({{}, jobs, 0, {}});
    return;
  }
  const wire::Demand& demand = *cluster.demand;
  const std::vector<Waiting>* read = reader == nullptr ? nullptr : &reader->waiting_of(index);
  waiting.reserve(demand.size());
  for (size_t b = 0; b < demand.size(); ++b) {
    if (read != nullptr && demand[b].host_types.empty()) {
      waiting.push_back((*read)[b]);
    } else if (auto one = waiting_in_group(state, group, demand[b])) {
      waiting.push_back(*std::move(one));
    } else {
      continue;
    }
    const int64_t jobs_served = served.jobs_of(b);
    waiting.back().jobs -= jobs_served;
    if (jobs_served > 0 && waiting.back().jobs <= 0) waiting.pop_back();
  }
}

constexpr int32_t kNotSummed = -1;

/// Returns the idle slots of a lease at the cluster, if its cached totals are enough.
inline int32_t idle_of_summary(const LeaseSummary& summary, uint32_t cluster) {
  if (summary.stale || !summary.no_transfer_open || summary.granted) return kNotSummed;
  const int32_t slots =
      summary.provider == cluster ? summary.totals.provider_idle() : summary.totals.consumer_idle();
  return slots <= 0 ? 0 : summary.one_host ? slots : kNotSummed;
}

/// Adds the slots of another lease that are idle at the cluster or on their way to it, but for
/// those that are for work which is left out.
void add_idle_of(const State& state, const SlotGroup& group, uint32_t cluster,
                 std::vector<int32_t>& idle) {
  if (group.resource_group != kNoIndex || group.phase == Phase::closed) return;
  const uint32_t member = member_of(group, cluster);
  if (member == kNoIndex) return;
  const size_t first = idle.size();
  for (uint32_t row = 0; row < group.hosts.size() && idle.size() < kElsewhereMost; ++row) {
    if (!in_use(state, group, row)) continue;
    if (const int32_t slots = idle_there(state, group, member, row); slots > 0) {
      idle.push_back(slots);
    }
  }
  for (const Transfer& transfer : group.transfers) {
    if (transfer.to == member && transfer.slots_wanted > 0) idle.push_back(transfer.slots_wanted);
  }
  int64_t served = slots_for_served(state, group, static_cast<uint8_t>(member));
  for (; served > 0 && idle.size() > first; idle.pop_back()) {
    const auto some = static_cast<int32_t>(std::min<int64_t>(served, idle.back()));
    served -= some;
    idle.back() -= some;
    if (idle.back() > 0) break;
  }
}

/// Most leases have nothing idle: such a one costs no more than a look at its summary.
void add_idle_elsewhere(const State& state, const SlotGroup& group, uint32_t member,
                        std::vector<int32_t>& idle) {
  const uint32_t index = group.members[member].cluster;
  const auto own = static_cast<uint32_t>(&group - state.slot_groups.data());
  const std::span<const LeaseSummary> summaries = state.summaries;
  const std::span<const uint32_t> all = state.clusters[index].slot_groups;
  std::span<const uint32_t> leases = all.first(std::min(all.size(), kOtherGroupsMost));
  if (std::find(leases.begin(), leases.end(), own) != leases.end()) {
    leases = all.first(std::min(all.size(), kOtherGroupsMost + 1));
  }
  if (group.demand) idle = group.demand->elsewhere[member];
  for (const uint32_t lease : leases) {
    const int32_t slots =
        lease < summaries.size() ? idle_of_summary(summaries[lease], index) : kNotSummed;
    if (slots == 0 || lease == own) continue;
    if (idle.size() >= kElsewhereMost) break;
    if (slots > 0) {
      idle.push_back(slots);
    } else {
      add_idle_of(state, state.slot_groups[lease], index, idle);
    }
  }
}

/// Returns the slots of all its own hosts that are up; exported ones count with the group.
int64_t own_slots(const State& state, const SlotGroup& group, uint32_t member) {
  int64_t slots = 0;
  for (const Host& host : state.clusters[group.members[member].cluster].hosts) {
    if (host.present && host.facts.up) slots += host.facts.slots;
  }
  return member == kProvider ? std::max<int64_t>(0, slots - exported(group)) : slots;
}

/// False: no slots of the group could be moved to the member, whatever waits there.
bool may_be_given(const View& view, uint8_t member) {
  const bool takes_used = member == kProvider && view.settings.provider_first;
  return std::any_of(view.rows.begin(), view.rows.end(), [&](const IdleRow& row) {
    return row.idle[demand_aware::other(member)] > 0 || (takes_used && row.in_use > 0);
  });
}

/// Until a move was timed no end is known to be sooner.
void add_ending(const State& state, const SlotGroup& group, uint32_t member,
                demand_aware::Side& side) {
  if (!group.demand || group.demand->pace.move_ms == 0) return;
  const Cluster& cluster = state.clusters[group.members[member].cluster];
  side.ending = ending_of(cluster);
  if (!side.ending.empty()) side.hosts = hosts_of(state, cluster);
}

}  // namespace

std::vector<IdleRow> idle_rows(const State& state, const SlotGroup& group) {
  const AskedOfBoth asked(group);
  std::vector<IdleRow> rows;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    rows.push_back(idle_row(state, group, row, asked));
    rows.back().size = whole_size(state, group, row);
  }
  return rows;
}

int64_t idle_by_demand(const State& state, const SlotGroup& group, size_t member) {
  int64_t idle = 0;
  const AskedOfBoth asked(group);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    idle += idle_row(state, group, row, asked).idle[member];
  }
  return idle;
}

const std::vector<Waiting>& ViewReader::waiting_of(uint32_t cluster) {
  const std::optional<wire::Demand>& demand = state_.clusters[cluster].demand;
  std::vector<Waiting>& waiting = waiting_[cluster];
  if (!demand || waiting.size() == demand->size()) return waiting;
  for (const wire::DemandBucket& bucket : *demand) {
    waiting.push_back(waiting_of_bucket(state_.now, bucket));
  }
  return waiting;
}

View ViewReader::empty_view() {
  View view;
  std::swap(view.rows, used_.rows);
  std::swap(view.exported, used_.exported);
  view.rows.clear();
  view.exported.clear();
  for (const uint8_t m : {kProvider, kConsumer}) {
    std::swap(view.sides[m].waiting, used_.sides[m].waiting);
    std::swap(view.sides[m].elsewhere, used_.sides[m].elsewhere);
    view.sides[m].waiting.clear();
    view.sides[m].elsewhere.clear();
  }
  return view;
}

View demand_view(const State& state, const SlotGroup& group, Asleep asleep, Outside outside,
                 ViewReader* reader) {
  View view = reader == nullptr ? View{} : reader->empty_view();
  view.now = state.now;
  view.settings = demand_settings(state, group);
  const AskedOfBoth asked(group);
  view.rows.reserve(group.hosts.size());
  view.exported.reserve(group.hosts.size());
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const bool wakes = would_wake(state, group, row, asleep);
    view.rows.push_back(wakes ? row_to_wake(state, group, row)
                              : idle_row(state, group, row, asked));
    const bool counts = wakes || in_use(state, group, row);
    view.exported.push_back(counts ? group.hosts[row].exported : 0);
    view.slots += view.exported.back();
  }
  for (const uint8_t m : {kProvider, kConsumer}) {
    demand_aware::Side& side = view.sides[m];
    const BeingServed served = being_served(state, group.members[m].cluster, group);
    view.served_until = std::min(view.served_until, served.until);
    add_waiting(state, group, m, served, reader, side.waiting);
    if (side.waiting.empty() && served.jobs.empty()) continue;
    const bool read = outside == Outside::read || may_be_given(view, m);
    if (read) add_idle_elsewhere(state, group, m, side.elsewhere);
    if (read) add_ending(state, group, m, side);
    const auto any = [&side](const auto& is) {
      return std::any_of(side.waiting.begin(), side.waiting.end(), is);
    };
    const auto wide = [&view](const Waiting& one) {
      const bool hosts_lack = one.shape.whole && size_t(one.shape.hosts) > view.rows.size();
      return one.shape.slots > view.slots || hosts_lack;
    };
    if (read && any(wide)) side.slots_elsewhere = own_slots(state, group, m);
    if (any([](const Waiting& one) { return one.shape.whole; })) {
      add_sizes(state, group, asleep, view);
    }
  }
  return view;
}

}  // namespace leasehold
