// Watches what plans do with slots for waiting work of which agents tell the shapes
// (broker/rules/plan/README.md, "Demand by shape"). It reads who holds, uses and is due slots, step
// by step, and does not ask the rule again. Not by what numbers they move: the quotas.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/owner_jobs.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/queries/ready_plan.hpp"
#include "broker/rules/demand_aware/back_off.hpp"

namespace leasehold::test {

class PlanWorkWatch {
 public:
  /// Is called after every step. Of both kinds the last sentence found is kept.
  void look(const State& state) {
    const bool same = std::exchange(incarnation_, state.incarnation) == state.incarnation;
    if (!same) forget();
    for (uint32_t r = 0; r < state.resource_groups.size(); ++r) {
      const ResourceGroupLedger& ledger = state.resource_groups[r];
      for (const uint32_t g : ledger.slot_groups) look_at_reclaims(state, ledger, g, same);
      for (uint32_t leaf = 0; leaf < ledger.consumers.size(); ++leaf) {
        look_at_grants(state, ledger, leaf, leaves_[{r, leaf}]);
      }
    }
    looked_at_ = state.now;
  }

  /// Work was ended for a leaf of whose waiting work nothing would start then. "": none was.
  std::string ended_in_vain;
  /// Slots came for work of a leaf, stayed unused, and did not go back in time. "": none.
  std::string kept_unused;

 private:
  /// A host's slots that a leaf is due.
  struct Row {
    const SlotGroup& group;
    size_t member;
    uint32_t row;
    const Holding& holding() const { return group.at(row, member); }
    int32_t unused() const {
      return holding().up ? std::max(0, holding().due - holding().used) : holding().due;
    }
    /// A host that comes whole is used as a whole.
    int32_t unused(bool whole) const {
      return whole && holding().up && holding().used > 0 ? 0 : unused();
    }
  };
  struct Came {
    int64_t slots = 0;
    Instant at;
  };
  struct Part {
    int32_t due = 0;
    int32_t unused = 0;
  };
  using Parts = std::map<std::pair<uint64_t, uint32_t>, Part>;  // by generation and row
  struct Leaf {
    std::vector<Came> came;  // unused since, the oldest first
    int64_t beside = 0;      // what was idle besides, when the last ones came
    demand_aware::Grant last;
    int64_t late_ms = 0;  // beyond the time, as far as steps were seen
    Parts parts;          // after the last step
    size_t earlier = 0;   // grants before the last one
  };
  using Asked = std::map<std::pair<size_t, uint32_t>, int32_t>;  // by member and row

  void forget() {
    leaves_.clear();
    asked_.clear();
  }

  /// Not the broker's own rows_of_leaf(): a row that it forgot would be missing here, too.
  static std::vector<Row> rows_of(const State& state, const ResourceGroupLedger& ledger,
                                  uint32_t leaf) {
    std::vector<Row> rows;
    for (const uint32_t g : ledger.slot_groups) {
      const SlotGroup& group = state.slot_groups[g];
      for (size_t m = 0; m < group.members.size(); ++m) {
        if (group.members[m].plan_consumer != leaf) continue;
        for (uint32_t row = 0; row < group.hosts.size(); ++row) rows.push_back({group, m, row});
      }
    }
    return rows;
  }

  /// Returns nullptr if its agent tells none, or the leaf has no member.
  static const Cluster* shaped_cluster(const State& state, const std::vector<Row>& rows) {
    if (rows.empty()) return nullptr;
    const Cluster& cluster = state.clusters[rows[0].group.members[rows[0].member].cluster];
    return cluster.demand ? &cluster : nullptr;
  }

  /// True if one job of the shape fits on what the leaf will have idle.
  static bool fits(const State& state, const std::vector<Row>& rows,
                   const wire::DemandBucket& bucket) {
    const demand_aware::Shape shape = waiting_of_bucket(state.now, bucket).shape;
    int64_t hosts = 0;
    int64_t slots = 0;
    for (const Row& row : rows) {
      const auto& types = bucket.host_types;
      const std::string& type = host_of(state, row.group, row.row).facts.type;
      const int32_t least = shape.whole ? row.group.hosts[row.row].exported : shape.slots_per_host;
      const bool suits = types.empty() || std::count(types.begin(), types.end(), type) > 0;
      if (!suits || !row.holding().up || row.unused() < least) continue;
      ++hosts;
      slots += row.unused();
    }
    return hosts >= shape.hosts && slots >= shape.slots;
  }

  /// Work of the leaf that runs on slots that it is due no more. It will wait, and start again on
  /// others. No shape tells it until then, but what runs is demand: the plan gives slots for it.
  static int64_t to_leave(const std::vector<Row>& rows) {
    int64_t slots = 0;
    for (const Row& row : rows) {
      const Holding& holding = row.holding();
      if (holding.up) slots += std::max(0, std::min(holding.used, holding.held) - holding.due);
    }
    return slots;
  }

  /// True if something starts for which so many slots were asked back.
  static bool any_starts(const State& state, const ResourceGroupLedger& ledger, uint32_t leaf,
                         int64_t slots) {
    const std::vector<Row> rows = rows_of(state, ledger, leaf);
    const Cluster* cluster = shaped_cluster(state, rows);
    if (cluster == nullptr) return true;  // by numbers
    if (to_leave(rows) >= slots) return true;
    const CopyPtr<PlanWork>& work = ledger.consumers[leaf].work;
    return std::any_of(
        cluster->demand->begin(), cluster->demand->end(), [&](const wire::DemandBucket& bucket) {
          const demand_aware::Shape shape = waiting_of_bucket(state.now, bucket).shape;
          const bool off =
              work && demand_aware::waits_off(work->grants.back_offs, demand_aware::kConsumer,
                                              shape, state.now);
          return !off && fits(state, rows, bucket);
        });
  }

  static bool any_reserve(const Plan& plan) {
    return std::any_of(plan.consumers.begin(), plan.consumers.end(),
                       [](const PlanConsumer& one) { return one.reserved.has_value(); });
  }

  /// For a claimant's quota alone: not a limit, a loss, a switch, an order.
  static bool for_a_claim(const Transfer& transfer) {
    const bool quota = transfer.reason == Reason::reclaim_quota ||
                       transfer.reason == Reason::reclaim_share ||
                       transfer.reason == Reason::reclaim_owned;
    return quota && transfer.lowering == wire::Lowering::reclaim && transfer.to != kNoMember;
  }

  /// The site wants that no more moves in one cycle: a wide job has what it needs after several.
  static bool comes_in_parts(const PlanConsumerLedger& leaf) {
    return leaf.reason == Reason::share_moved;
  }

  /// A reclaim that is opened again asks for no more than before.
  void look_at_reclaims(const State& state, const ResourceGroupLedger& ledger, uint32_t g,
                        bool judged) {
    const SlotGroup& group = state.slot_groups[g];
    Asked now;
    for (const Transfer& transfer : group.transfers) {
      if (!for_a_claim(transfer)) continue;
      for (const auto& [row, slots] : transfer.wanted) now[{transfer.from, row}] += slots;
    }
    const Asked before = std::exchange(asked_[group.generation], now);
    const Plan* plan = plan_in_force(state, ledger);
    if (!judged || plan == nullptr || any_reserve(*plan)) return;
    for (const Transfer& transfer : group.transfers) {
      if (!for_a_claim(transfer) || transfer.since < state.now) continue;
      for (const auto& [row, slots] : transfer.wanted) {
        const auto known = before.find({transfer.from, row});
        const int32_t more =
            now.at({transfer.from, row}) - (known == before.end() ? 0 : known->second);
        const Holding& loser = group.at(row, transfer.from);
        const uint32_t leaf = group.members[transfer.to].plan_consumer;
        const bool ends_work = now.at({transfer.from, row}) > loser.held - loser.used;
        if (more <= 0 || !ends_work || leaf == kNoIndex) continue;
        if (comes_in_parts(ledger.consumers[leaf])) continue;
        if (any_starts(state, ledger, leaf, std::min(more, slots))) continue;
        ended_in_vain = lease_id(state, group, transfer.to) + ": " + std::to_string(slots) +
                        " slots of row " + std::to_string(row) + " are reclaimed from work of " +
                        lease_id(state, group, transfer.from) + ", and none of its own would start";
      }
    }
  }

  static Parts parts_of(const std::vector<Row>& rows, bool whole) {
    Parts parts;
    for (const Row& row : rows) {
      parts[{row.group.generation, row.row}] = {row.holding().due, row.unused(whole)};
    }
    return parts;
  }

  static int64_t unused_of(const Parts& parts) {
    int64_t unused = 0;
    for (const auto& [at, part] : parts) unused += part.unused;
    return unused;
  }

  /// The oldest are taken to be used first.
  static void keep_at_most(std::vector<Came>& came, int64_t slots) {
    for (auto one = came.rbegin(); one != came.rend(); ++one) {
      one->slots = std::min(one->slots, slots);
      slots -= one->slots;
    }
    std::erase_if(came, [](const Came& one) { return one.slots == 0; });
  }

  /// A report tells use group by group: where work began on slots of one group, and ended on those
  /// of the next, the broker saw fewer idle ones in between.
  static int64_t fewest_unused(const Parts& before, const Parts& now) {
    std::map<uint64_t, std::pair<int64_t, int64_t>> of_group;
    for (const auto& [at, part] : before) of_group[at.first].first += part.unused;
    for (const auto& [at, part] : now) of_group[at.first].second += part.unused;
    int64_t fewest = 0;
    for (const auto& [generation, unused] : of_group) {
      fewest += std::min(unused.first, unused.second);
    }
    return fewest;
  }

  /// Slots that the leaf lost without having used them may be those that came, though as many
  /// others are idle by now, because their work ended.
  static int64_t lost_unused(const Parts& before, const Parts& now) {
    int64_t lost = 0;
    for (const auto& [at, part] : before) {
      const auto found = now.find(at);
      const int32_t due = found == now.end() ? 0 : found->second.due;
      lost += std::clamp(part.due - due, 0, part.unused);
    }
    return lost;
  }

  static void note_use(const Parts& now, Leaf& leaf) {
    const Parts before = std::exchange(leaf.parts, now);
    int64_t left = 0;
    for (const Came& one : leaf.came) left += one.slots;
    const int64_t fewest = fewest_unused(before, now) - leaf.beside;
    left = std::min(left - lost_unused(before, now), fewest);
    keep_at_most(leaf.came, std::max<int64_t>(0, left));
  }

  /// A grant is read where the broker remembers it, when it is given, or when the watch begins
  /// again; its use from then on is read of the hosts.
  static void note_given(const PlanConsumerLedger& known, int64_t idle, Leaf& leaf) {
    const demand_aware::Grant grant = known.work ? known.work->grants.grant : demand_aware::Grant{};
    const size_t earlier = known.work ? known.work->grants.earlier.size() : 0;
    const demand_aware::Grant last = std::exchange(leaf.last, grant);
    const size_t earlier_before = std::exchange(leaf.earlier, earlier);
    // While a leaf gathers all its grants are over at one time.
    const bool another =
        grant.at != last.at || grant.slots != last.slots || earlier > earlier_before;
    if (grant.to == demand_aware::kNobody || !another) return;
    if (earlier == demand_aware::kEarlierMost) {
      leaf = {{}, 0,          grant,
              0,  leaf.parts, earlier};  // the last one may be another one with more slots
      return;
    }
    int64_t came = 0;
    for (const Came& one : leaf.came) came += one.slots;
    leaf.beside = std::max<int64_t>(0, idle - came - grant.unused);
    leaf.came.push_back({grant.unused, grant.at});
  }

  /// True if nothing keeps slots of the leaf from going back.
  static bool may_go_back(const State& state, const ResourceGroupLedger& ledger, const Plan& plan,
                          const std::vector<Row>& rows, int64_t slots) {
    const bool whole = decides_in_hosts(state, ledger, plan);
    bool any = false;
    for (const Row& row : rows) {
      const bool part =
          takes_part(state, row.group) && member_takes_part(state, row.group, row.member);
      if (!part) return false;
      if (row.holding().due == 0) continue;
      if (!row.holding().up || !row_counts(state, row.group, row.row)) return false;
      const int32_t unused = row.unused(whole);
      any = any || (unused > 0 && (!whole || unused <= slots));
    }
    return any && !state.frozen && state.config.mode == Mode::lease && !any_reserve(plan);
  }

  void look_at_grants(const State& state, const ResourceGroupLedger& ledger, uint32_t at,
                      Leaf& leaf) {
    const std::vector<Row> rows = rows_of(state, ledger, at);
    const Plan* plan = plan_in_force(state, ledger);
    const ResourceGroup* group = resource_group(state, ledger.name);
    if (plan == nullptr || group == nullptr || !ledger.consumers[at].configured ||
        shaped_cluster(state, rows) == nullptr) {
      leaf = {};
      return;
    }
    note_use(parts_of(rows, decides_in_hosts(state, ledger, *plan)), leaf);
    const int64_t idle = unused_of(leaf.parts);
    note_given(ledger.consumers[at], idle, leaf);
    // Slots that went back may have come again at once, for work that has to leave other slots.
    keep_at_most(leaf.came, std::max<int64_t>(0, idle - leaf.beside - to_leave(rows)));
    const int64_t use_by_ms =
        std::max(group->use_by_ms.value_or(kDemandUseByMs), plan->min_hold_ms);
    int64_t late = 0;  // slots that are on their way have the time twice
    for (const Came& one : leaf.came) late += one.at + 2 * use_by_ms <= state.now ? one.slots : 0;
    if (late == 0 || !may_go_back(state, ledger, *plan, rows, late)) {
      leaf.late_ms = 0;
      return;
    }
    leaf.late_ms += std::min<int64_t>(kStepMostMs, state.now - looked_at_);
    if (leaf.late_ms <= 2 * group->cycle_ms + state.config.agent_timeout_ms) return;
    kept_unused = ledger.name + ":" + ledger.consumers[at].path + ": " + std::to_string(late) +
                  " slots stay unused, for " + std::to_string(leaf.late_ms / 1000) +
                  " s longer than they may be";
  }

  /// A broker that was stopped for longer could do nothing meanwhile.
  static constexpr int64_t kStepMostMs = 5'000;

  uint64_t incarnation_ = 0;
  Instant looked_at_;
  std::map<std::pair<uint32_t, uint32_t>, Leaf> leaves_;  // by resource group and consumer
  std::map<uint64_t, Asked> asked_;                       // by generation
};

}  // namespace leasehold::test
