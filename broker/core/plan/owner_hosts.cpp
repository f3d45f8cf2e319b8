#include "broker/core/plan/owner_hosts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "broker/core/ledger/claims.hpp"
#include "broker/core/ledger/dues.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/owner_jobs.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/rules/plan/moves/exchange.hpp"

namespace leasehold {

namespace {

using demand_aware::IdleRow;
using demand_aware::OwnerNeed;
using demand_aware::RowSlots;

/// A provider, and its leaf.
struct Owner {
  uint32_t cluster = 0;
  uint32_t consumer = kNoIndex;  // in Plan::consumers
};

/// Group, member, row of which something is asked back just now: it stays as it is.
using AskedBack = std::set<std::tuple<uint32_t, size_t, uint32_t>>;

AskedBack asked_back(const State& state, const std::vector<uint32_t>& groups) {
  AskedBack asked;
  for (const uint32_t g : groups) {
    for (const Transfer& open : state.slot_groups[g].transfers) {
      for (const auto& [row, slots] : open.wanted) {
        if (slots > 0) asked.emplace(g, open.from, row);
      }
    }
  }
  return asked;
}

/// One owner in one evaluation. Hosts are those of the snapshot, by position.
class OwnerHosts {
 public:
  OwnerHosts(Turn& turn, uint32_t resource_group, const PlanSnapshot& snapshot, Owner owner)
      : turn_(turn),
        snapshot_(snapshot),
        owner_(owner),
        whole_(snapshot.in_slots.has_value()),
        asked_(asked_back(turn.state, turn.state.resource_groups[resource_group].slot_groups)) {}

  /// One job at a time. True: a job of it starves later, if nothing else changes.
  bool serve() {
    const wire::Demand demand = *turn_.state.clusters[owner_.cluster].demand;
    OwnerRows rows = rows_of_owner();
    if (rows.rows.empty()) return false;
    bool later = false;
    for (const wire::DemandBucket& bucket : demand) {
      if (!is_wide(bucket)) continue;
      const auto job = owner_job(turn_.state, rows, bucket);
      if (!job || !job->need.starts) continue;
      if (!job->old_enough) {
        later = later || !job->need.lent.empty();
      } else if (job->need.lent.empty()) {
        for (const RowSlots& kept : job->need.kept) {
          rows.idle[kept.row].idle[kProvider] -= kept.slots;
        }
      } else if (have(rows, job->need)) {
        break;
      }
    }
    return later;
  }

 private:
  const SlotGroup& group_of(uint32_t host) const { return turn_.group(snapshot_.rows[host].group); }

  /// Returns kNoIndex if there is none.
  size_t member_for(uint32_t host, uint32_t consumer) const {
    const uint32_t member = holding_index(group_of(host)).member_for(snapshot_.ledger[consumer]);
    return member == kNoIndex ? size_t{kNoIndex} : member;
  }

  bool can_use(uint32_t consumer, uint32_t host) const {
    if (member_for(host, consumer) == kNoIndex) return false;
    const PlanHost& of = snapshot_.hosts[host];
    if (std::count(of.barred.begin(), of.barred.end(), consumer) > 0) return false;
    const std::span<const Selection> select = snapshot_.select();
    return consumer >= select.size() || select[consumer].matches(of.facts);
  }

  bool asked(uint32_t host, size_t member) const {
    const RowRef& at = snapshot_.rows[host];
    return asked_.contains(std::tuple(at.group, member, at.row));
  }

  /// Returns what others could give of one of the owner's hosts; all that is due of a host that
  /// goes whole.
  std::vector<HostHolding> others_on(uint32_t host) const {
    const SlotGroup& group = group_of(host);
    if (group.members[kProvider].cluster != owner_.cluster) return {};
    std::vector<std::pair<uint32_t, HostHolding>> found;  // by priority
    int holders = 0;
    for (size_t m = 0; m < group.members.size(); ++m) {
      const Holding& holding = group.at(snapshot_.rows[host].row, m);
      if (holding.due == 0) continue;
      ++holders;
      const uint32_t leaf = group.members[m].plan_consumer;
      const uint32_t consumer = leaf == kNoIndex ? kNoIndex : snapshot_.ready->consumer_at[leaf];
      const bool there = consumer != kNoIndex && holding.up && holding.held >= holding.due;
      if (m == kProvider || !there || asked(host, m)) continue;
      if (!snapshot_.state.leaves[consumer].connected) continue;
      found.emplace_back(priority_of(turn_.state, group, m), HostHolding{consumer, holding.due});
    }
    if (whole_ && holders != 1) return {};
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<HostHolding> others;
    for (const auto& [priority, other] : found) others.push_back(other);
    return others;
  }

  int32_t slots_of_host(uint32_t host) const {
    return plan_slots(turn_.state, group_of(host), snapshot_.rows[host].row);
  }

  /// All that the owner is due counts as its own, on its way or there.
  IdleRow idle_on(uint32_t host) const {
    IdleRow idle;
    if (!can_use(owner_.consumer, host)) return idle;
    const SlotGroup& group = group_of(host);
    const uint32_t row = snapshot_.rows[host].row;
    const Holding& own = group.at(row, member_for(host, owner_.consumer));
    idle.idle[kProvider] = std::max(0, own.due - own.used);
    for (const HostHolding& other : others_on(host)) {
      idle.in_use += static_cast<int32_t>(other.slots);
    }
    idle.whole = whole_;
    const int32_t slots = slots_of_host(host);
    if (slots >= host_of(turn_.state, group, row).facts.slots) idle.size = slots;
    return idle;
  }

  OwnerRows rows_of_owner() const {
    OwnerRows all;
    for (uint32_t host = 0; host < snapshot_.rows.size(); ++host) {
      all.groups.push_back(snapshot_.rows[host].group);
      all.rows.push_back(snapshot_.rows[host].row);
      all.idle.push_back(idle_on(host));
    }
    return all;
  }

  /// Returns the owner's idle slots on the host; for a host that goes whole all that it is due, or
  /// 0. `idle`: less what other jobs of it are to have.
  int64_t spare_on(uint32_t host, int32_t idle) const {
    const size_t member = member_for(host, owner_.consumer);
    if (idle <= 0 || asked(host, member)) return 0;
    const SlotGroup& group = group_of(host);
    const uint32_t row = snapshot_.rows[host].row;
    const HostLedger& ledger = group.hosts[row];
    if (ledger.just_exported > 0 || ledger.exported > ledger.target) return 0;
    const Holding& own = group.at(row, member);
    const int32_t there = std::min({idle, own.due, own.held - own.used});
    if (!whole_) return std::max(0, there);
    const bool all = there == own.due && group_of(host).hosts[row].in_transfer == 0 &&
                     holding_index(group).due(row) == own.due;
    return all ? own.due : 0;
  }

  /// Returns false if the leaf has not as many idle slots elsewhere.
  bool have(const OwnerRows& rows, const OwnerNeed& need) {
    std::vector<int32_t> idle;
    for (const IdleRow& row : rows.idle) idle.push_back(row.idle[kProvider]);
    for (const RowSlots& kept : need.kept) idle[kept.row] -= whole_ ? idle[kept.row] : kept.slots;
    for (const RowSlots& lent : need.lent) idle[lent.row] = 0;
    std::vector<ExchangeHost> hosts(idle.size());
    for (uint32_t host = 0; host < hosts.size(); ++host) {
      hosts[host] = {spare_on(host, idle[host]), {}, whole_, slots_of_host(host)};
    }
    std::vector<LackedSlots> lacking;
    for (const RowSlots& lent : need.lent) {
      hosts[lent.row].others = others_on(lent.row);
      lacking.push_back({lent.row, lent.slots});
    }
    const std::vector<HostsExchanged> made = exchange_hosts(
        std::move(hosts), lacking,
        [this](uint32_t consumer, uint32_t host) { return can_use(consumer, host); });
    carry_out(made);
    return !made.empty();
  }

  void carry_out(const std::vector<HostsExchanged>& made) {
    for (const HostsExchanged& one : made) {
      move(one.taken, {one.consumer, owner_.consumer}, one.slots);
      move(one.given, {owner_.consumer, one.consumer}, one.slots);
    }
    for (const auto& [ends, rows] : shrinks_) {
      const auto& [group, from, to] = ends;
      shrink_for_plan(turn_, group, {from, to}, Reason::owner_waits, {rows.begin(), rows.end()});
    }
    shrinks_.clear();
  }

  /// `between` are consumers.
  void move(uint32_t host, std::pair<uint32_t, uint32_t> between, int64_t slots) {
    const RowRef& at = snapshot_.rows[host];
    const auto some = static_cast<int32_t>(slots);
    const size_t from = member_for(host, between.first);
    const size_t to = member_for(host, between.second);
    turn_.group(at.group).at(at.row, from).due -= some;
    turn_.group(at.group).at(at.row, to).due += some;
    group_changed(turn_, at.group);
    shrinks_[{at.group, from, to}][at.row] += some;
  }

  Turn& turn_;
  const PlanSnapshot& snapshot_;
  const Owner owner_;
  const bool whole_;  // hosts have one holder
  const AskedBack asked_;
  /// By group, from, to: slots by row.
  std::map<std::tuple<uint32_t, size_t, size_t>, std::map<uint32_t, int32_t>> shrinks_;
};

/// A provider without a leaf does not own the plan's slots.
std::vector<Owner> owners_in(const State& state, uint32_t resource_group,
                             const PlanSnapshot& snapshot) {
  std::vector<Owner> owners;
  std::set<uint32_t> seen;
  for (const uint32_t g : state.resource_groups[resource_group].slot_groups) {
    const Member& provider = state.slot_groups[g].members[kProvider];
    if (provider.plan_consumer == kNoIndex || !has_wide_work(state.clusters[provider.cluster])) {
      continue;
    }
    const uint32_t consumer = snapshot.ready->consumer_at[provider.plan_consumer];
    if (consumer == kNoIndex || !snapshot.state.leaves[consumer].connected) continue;
    if (seen.insert(provider.cluster).second) owners.push_back({provider.cluster, consumer});
  }
  return owners;
}

/// True while slots that were exchanged for one of its jobs are still to come: nothing more is
/// given for another. Slots that cannot come, as of a host that is down or a disconnected consumer,
/// do not count.
bool still_comes(const State& state, uint32_t resource_group, const Owner& owner) {
  for (const uint32_t g : state.resource_groups[resource_group].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.members[kProvider].cluster != owner.cluster || !takes_part(state, group)) continue;
    for (const Transfer& open : group.transfers) {
      const bool exchanged = open.reason == Reason::owner_waits && open.to == kProvider;
      if (!exchanged || !member_takes_part(state, group, open.from)) continue;
      for (const auto& [row, slots] : open.wanted) {
        if (slots > 0 && row_is_there(state, group, row)) return true;
      }
    }
  }
  return false;
}

}  // namespace

void give_owners_hosts(Turn& turn, uint32_t resource_group, const PlanSnapshot& snapshot) {
  for (const Owner& owner : owners_in(turn.state, resource_group, snapshot)) {
    if (still_comes(turn.state, resource_group, owner)) continue;
    if (OwnerHosts(turn, resource_group, snapshot, owner).serve()) {
      queue_plan_evaluation(turn.state, resource_group);
    }
  }
}

}  // namespace leasehold
