#include "broker/views/explain/slots_seen.hpp"

#include <algorithm>

#include "broker/core/lease/demand_view.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/rules/plan/hosts/host_index.hpp"

namespace leasehold::explanation {

namespace {

using demand_aware::IdleRow;

/// Adds what comes to the member of slots that transfers have in hand or still want.
void add_coming(const SlotGroup& group, size_t member, const std::vector<uint32_t>& row_at,
                std::vector<IdleRow>& rows, uint8_t as) {
  bool granting = false;
  for (const Transfer& transfer : group.transfers) {
    if (transfer.to != member) continue;
    granting = granting || transfer.slots_released > 0;
    for (const auto& [row, slots] : transfer.wanted) {
      if (row_at[row] != kNoIndex) rows[row_at[row]].idle[as] += slots;
    }
  }
  for (uint32_t row = 0; granting && row < group.hosts.size(); ++row) {
    if (row_at[row] != kNoIndex) rows[row_at[row]].idle[as] += group.hosts[row].in_transfer;
  }
}

/// The provider's own slots beside the exported ones of a host count with these, and not as those
/// of another host.
void add_beside(const SlotGroup& group, SlotsSeen& seen) {
  if (!group.demand) return;
  for (const auto& [host, slots] : group.demand->beside) {
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      if (group.hosts[row].host != host || seen.most[row] == 0) continue;
      seen.now[row].beside[kProvider] += slots;
      const auto same = std::find(seen.elsewhere.begin(), seen.elsewhere.end(), slots);
      if (same != seen.elsewhere.end()) seen.elsewhere.erase(same);
      break;
    }
  }
}

class OfPlan {
 public:
  OfPlan(const State& state, const PlanNow& now, uint32_t consumer)
      : state_(state),
        snapshot_(now.snapshot),
        hosts_(snapshot_.in_slots ? snapshot_.in_slots->hosts : snapshot_.hosts),
        consumer_(consumer),
        usable_(snapshot_.plan->consumers.size(), hosts_, snapshot_.select()) {}

  SlotsSeen see() {
    for (uint32_t h = 0; h < hosts_.size(); ++h) add(h);
    seen_.coming = seen_.now;
    for (const uint32_t g : groups()) add_coming_of(g);
    return std::move(seen_);
  }

 private:
  void add(uint32_t h) {
    const PlanHost& host = hosts_[h];
    const auto slots = static_cast<int32_t>(host.slots);
    const bool selected =
        consumer_ >= snapshot_.select().size() || snapshot_.select()[consumer_].matches(host.facts);
    seen_.types.push_back(host.facts.type);
    seen_.if_usable.push_back(selected ? slots : 0);
    seen_.most.push_back(usable_(consumer_, h) ? slots : 0);
    seen_.sizes.push_back(selected && slots >= host.facts.slots ? slots : 0);
    seen_.now.push_back(seen_.most.back() > 0 ? idle_of(h) : IdleRow{});
  }

  /// Slots that it is due and does not hold yet are idle for nobody.
  IdleRow idle_of(uint32_t h) const {
    const PlanHost& host = hosts_[h];
    IdleRow idle;
    idle.whole = snapshot_.in_slots.has_value();
    idle.size = seen_.sizes[h];
    int64_t free = host.slots - host.busy;
    for (const HostHolding& held : host.held) free -= held.slots;
    bool others_work = host.busy > 0;
    for (const HostHolding& held : host.held) {
      const int64_t unused = std::max<int64_t>(0, held.slots - held.used);
      if (held.consumer == consumer_) {
        idle.idle[kConsumer] = static_cast<int32_t>(std::min(unused, held_unused(h)));
        continue;
      }
      others_work = others_work || held.used > 0;
      free += unused;
    }
    const bool moves = !idle.whole || !others_work;
    idle.idle[kProvider] = moves ? static_cast<int32_t>(std::max<int64_t>(0, free)) : 0;
    return idle;
  }

  int64_t held_unused(uint32_t h) const {
    const RowRef& at = snapshot_.rows[h];
    const SlotGroup& group = state_.slot_groups[at.group];
    const uint32_t m = member_of(group, snapshot_.ready->cluster[consumer_]);
    if (m == kNoIndex) return 0;
    const Holding& holding = group.at(at.row, m);
    return holding.up ? std::max(0, holding.held - holding.used) : 0;
  }

  std::vector<uint32_t> groups() const {
    std::vector<uint32_t> groups;
    for (const RowRef& row : snapshot_.rows) {
      if (groups.empty() || groups.back() != row.group) groups.push_back(row.group);
    }
    return groups;
  }

  void add_coming_of(uint32_t g) {
    const SlotGroup& group = state_.slot_groups[g];
    const uint32_t m = member_of(group, snapshot_.ready->cluster[consumer_]);
    if (m == kNoIndex) return;
    std::vector<uint32_t> row_at(group.hosts.size(), kNoIndex);
    for (uint32_t h = 0; h < snapshot_.rows.size(); ++h) {
      if (snapshot_.rows[h].group == g) row_at[snapshot_.rows[h].row] = h;
    }
    add_coming(group, m, row_at, seen_.coming, kConsumer);
  }

  const State& state_;
  const PlanSnapshot& snapshot_;
  const std::vector<PlanHost>& hosts_;  // in slots
  const uint32_t consumer_;
  Usable usable_;
  SlotsSeen seen_;
};

}  // namespace

SlotsSeen seen_of_lease(const State& state, const SlotGroup& group, uint8_t member) {
  demand_aware::View view = demand_view(state, group);
  SlotsSeen seen;
  seen.member = member;
  seen.now = std::move(view.rows);
  seen.elsewhere = std::move(view.sides[member].elsewhere);
  std::vector<uint32_t> row_at;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const wire::HostFacts& facts = host_of(state, group, row).facts;
    const int32_t exported = group.hosts[row].exported;
    const int32_t whole = exported >= facts.slots ? exported : 0;
    // The rest of its own host is the provider's, too.
    const int32_t most = member == kProvider ? std::max(exported, facts.slots) : exported;
    seen.types.push_back(facts.type);
    seen.sizes.push_back(member == kProvider ? most : whole);
    seen.if_usable.push_back(most);
    seen.most.push_back(view.exported[row] > 0 ? most : 0);
    seen.now[row].on_way = 0;
    if (seen.most[row] > 0) seen.now[row].size = seen.sizes[row];
    row_at.push_back(row);
  }
  if (member == kProvider) add_beside(group, seen);
  seen.coming = seen.now;
  add_coming(group, member, row_at, seen.coming, member);
  return seen;
}

SlotsSeen seen_of_plan(const State& state, const PlanNow& now, uint32_t consumer) {
  return OfPlan(state, now, consumer).see();
}

}  // namespace leasehold::explanation
