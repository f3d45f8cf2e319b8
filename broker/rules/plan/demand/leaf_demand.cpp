#include "broker/rules/plan/demand/leaf_demand.hpp"

#include <algorithm>
#include <utility>

#include "broker/rules/plan/demand/leaf_put.hpp"
#include "broker/rules/plan/demand/slot_table.hpp"
#include "broker/rules/plan/demand/unneeded.hpp"
#include "broker/rules/plan/evaluate.hpp"
#include "broker/rules/plan/hosts/host_index.hpp"

namespace leasehold {

namespace {

/// The reaches of work within its leaf's quota, and of work beyond it.
constexpr Reach kWithin[] = {Reach::free, Reach::unused, Reach::used, Reach::returned};
constexpr Reach kBeyond[] = {Reach::free, Reach::unused};
/// Those of work that waits for others' to end.
constexpr Reach kGivenUp[] = {Reach::free, Reach::unused, Reach::used};

class Demands {
 public:
  explicit Demands(const DemandInput& input)
      : input_(input),
        place_(input.plan.consumers.size(), 0),
        stays_(input.plan.consumers.size(), false),
        state_(input.state) {
    const std::vector<uint32_t>& order = input.compiled->order().leaves;
    for (uint32_t i = 0; i < order.size(); ++i) {
      place_[input.compiled->nodes[order[i]].consumer] = i;
    }
    for (uint32_t c = 0; c < state_.leaves.size(); ++c) stays_[c] = !state_.leaves[c].connected;
    for (uint32_t w = 0; w < input.works.size(); ++w) by_priority_.push_back(w);
    std::sort(by_priority_.begin(), by_priority_.end(), [&](uint32_t a, uint32_t b) {
      return place_[input_.works[a].consumer] < place_[input_.works[b].consumer];
    });
    find_usable();
  }

  LeafDemands find() {
    for (uint32_t w = 0; w < input_.works.size(); ++w) {
      most_.push_back(limit_of(input_.works[w].consumer));
      alone_.push_back(alone(w));
      state_.leaves[input_.works[w].consumer].demand = alone_.back().demand;
    }
    first_ = quotas();
    put_all();
    if (!is_given()) put_all();
    return answer();
  }

 private:
  struct Quotas {
    std::vector<int64_t> quota;   // by consumer
    std::vector<int64_t> excess;  // by consumer: what it may lose
    std::vector<int64_t> shrink;  // by consumer: what it gives up as its work ends
    bool shrinks = false;         // some leaf does
  };
  struct Wants {
    int64_t demand = 0;
    int64_t slots = 0;
  };

  uint32_t consumer_of(uint32_t work) const { return input_.works[work].consumer; }

  void find_usable() {
    Usable usable(input_.plan.consumers.size(), input_.hosts, input_.select);
    for (const LeafWork& work : input_.works) {
      TableLeaf& leaf = leaves_.emplace_back();
      leaf.consumer = work.consumer;
      for (uint32_t h = 0; h < input_.hosts.size(); ++h) {
        leaf.usable.push_back(usable(work.consumer, h));
      }
    }
  }

  static int64_t limit_in(const CompiledPlan& plan, uint32_t consumer) {
    int64_t limit = kUnlimited;
    for (uint32_t p = plan.position[consumer]; p != 0; p = plan.nodes[p].parent) {
      const ConsumerNode& node = plan.nodes[p];
      limit = std::min(limit, node.limit);
      if (node.policy == PlanPolicy::share_ratio) limit = std::min(limit, node.share_limit);
    }
    return limit;
  }

  /// Returns the least of its own limit and those above it.
  Most limit_of(uint32_t consumer) const {
    return {limit_in(*input_.compiled, consumer), limit_in(input_.in_slots, consumer)};
  }

  SlotTable table() const { return SlotTable(input_.hosts, input_.whole_hosts, {place_, stays_}); }

  LeafPut begin(uint32_t work, const LeafPut::Allocated& allocated) const {
    return {input_.works[work], allocated, input_.whole_hosts};
  }

  /// Returns what the leaf would want if nobody else wanted anything.
  Wants alone(uint32_t work) const {
    LeafPut put = begin(work, {});
    if (!put.any_left()) return {put.demand(), put.slots()};
    SlotTable table = this->table();
    table.clear_others(consumer_of(work));
    put.put(table, leaves_[work], kBeyond, most_[work]);
    return {put.demand(), put.slots()};
  }

  Quotas quotas() const {
    PlanState lean = state_;
    for (uint32_t c = 0; c < lean.leaves.size(); ++c) {
      if (holds_unneeded(input_.plan, state_, c)) shrink_to_demand(lean.leaves[c]);
    }
    Quotas quotas;
    quotas.quota.assign(input_.plan.consumers.size(), 0);
    quotas.excess = quotas.quota;
    quotas.shrink = quotas.quota;
    for (const PlanRow& row : evaluate_plan(input_.plan, input_.compiled, lean).rows) {
      quotas.quota[row.consumer] = row.quota;
      quotas.shrink[row.consumer] = row.shrink;
      quotas.shrinks = quotas.shrinks || row.shrink > 0;
      if (row.consumer >= state_.leaves.size() || stays_[row.consumer]) continue;
      const int64_t above = state_.leaves[row.consumer].allocated - row.quota - row.shrink;
      quotas.excess[row.consumer] = std::max<int64_t>(0, above);
    }
    return quotas;
  }

  /// All leaves' work on one table, by priority: first what each is entitled to, then what idle
  /// slots start besides.
  void put_all() {
    SlotTable table = this->table();
    table.set_excess(first_.excess);
    puts_.clear();
    for (uint32_t w = 0; w < input_.works.size(); ++w) {
      const int64_t allocated = state_.leaves[consumer_of(w)].allocated;
      puts_.push_back(begin(w, {allocated, input_.works[w].slots_allocated}));
    }
    for (const uint32_t w : by_priority_) {
      const int64_t quota = std::min(first_.quota[consumer_of(w)], most_[w].demand);
      puts_[w].put(table, leaves_[w], kWithin, {quota, most_[w].slots});
    }
    const Quotas now = quotas_of_puts();  // a reserve is kept, wanted or not
    for (const uint32_t w : by_priority_) {
      const uint32_t consumer = consumer_of(w);
      const int64_t lost = first_.excess[consumer] - table.excess(consumer);
      if (!puts_[w].any_coming()) table.spare_idle(consumer, now.excess[consumer] - lost);
    }
    for (const uint32_t w : by_priority_) puts_[w].put(table, leaves_[w], kBeyond, most_[w]);
    beside_.clear();
    stuck_.clear();
    for (uint32_t w = 0; w < input_.works.size(); ++w) {
      beside_.push_back(table.idle_slots_of(consumer_of(w)) + puts_[w].exchanged());
      stuck_.push_back(is_stuck(w, table));
    }
    returning_.clear();
    if (first_.shrinks && !input_.whole_hosts) put_on_returning(table);
  }

  /// The work that is left waits for slots that leaves give up as theirs ends: these are to be of
  /// hosts on which some of it starts.
  void put_on_returning(SlotTable& table) {
    table.set_excess(first_.shrink);
    for (const uint32_t w : by_priority_) {
      const int64_t quota = std::min(first_.quota[consumer_of(w)], most_[w].demand);
      LeafPut put = puts_[w];
      put.forget_wanted();
      put.put(table, leaves_[w], kGivenUp, {quota, most_[w].slots});
      for (const WantedSlots& one : put.wanted()) {
        if (one.from != kNoIndex && first_.shrink[one.from] > 0) returning_.push_back(one);
      }
    }
  }

  bool provides(uint32_t consumer) const {
    return std::any_of(input_.hosts.begin(), input_.hosts.end(),
                       [consumer](const PlanHost& host) { return host.owner == consumer; });
  }

  /// Not for a provider, who is given others' slots of its own hosts in exchange, nor where what is
  /// unneeded counts as idle anyhow.
  bool is_stuck(uint32_t work, const SlotTable& table) const {
    const uint32_t consumer = consumer_of(work);
    if (input_.whole_hosts || puts_[work].any_placed() || !puts_[work].any_left()) return false;
    const int64_t idle = table.idle_of(consumer);
    const int64_t allocated = state_.leaves[consumer].allocated - idle;
    const int64_t reserved = input_.plan.consumers[consumer].reserved.value_or(0);
    if (idle == 0 || allocated < reserved) return false;
    if (provides(consumer) || under_ownership(input_.plan, consumer)) return false;
    LeafPut without = begin(work, {allocated, allocated});
    SlotTable trial = table;
    trial.free_idle(consumer);
    const int64_t quota = std::min(first_.quota[consumer], most_[work].demand);
    without.put(trial, leaves_[work], kWithin, {quota, most_[work].slots});
    return without.any_coming();
  }

  /// Returns what the plan gives for what was counted.
  Quotas quotas_of_puts() {
    for (uint32_t w = 0; w < puts_.size(); ++w) {
      state_.leaves[consumer_of(w)].demand = puts_[w].demand();
    }
    return quotas();
  }

  /// From now on whoever has no more than its quota loses nothing; false: nobody was to.
  bool spare_losers(const Quotas& quotas) {
    bool any = false;
    for (const LeafPut& put : puts_) {
      for (const WantedSlots& one : put.wanted()) {
        if (one.from == kNoIndex || quotas.excess[one.from] > 0) continue;
        first_.excess[one.from] = 0;
        any = true;
      }
    }
    return any;
  }

  /// True if the plan gives what was counted. If not, no leaf is counted again for more than it
  /// gives, nor on slots that it does not take.
  bool is_given() {
    if (std::none_of(puts_.begin(), puts_.end(),
                     [](const LeafPut& put) { return put.any_coming(); })) {
      return true;
    }
    const Quotas second = quotas_of_puts();
    bool given = !spare_losers(second);
    for (uint32_t w = 0; w < puts_.size(); ++w) {
      const int64_t quota = second.quota[consumer_of(w)];
      if (!puts_[w].any_coming() || quota >= puts_[w].demand()) continue;
      most_[w].demand = quota;
      given = false;
    }
    return given;
  }

  /// True if none of its work would start, though not for want of a quota alone.
  bool misfit(uint32_t work) const {
    const int64_t in_use = input_.works[work].in_use;
    if (puts_[work].any_placed() || !puts_[work].any_left()) return false;
    if (alone_[work].demand <= in_use) return true;
    return !first_.shrinks && first_.quota[consumer_of(work)] > in_use;
  }

  /// Slots that come only as work ends, nobody knows where, go to whoever could start something.
  Wants wants_of(uint32_t work) const {
    const LeafPut& put = puts_[work];
    if (!first_.shrinks) return {put.demand(), put.slots()};
    return {std::max(put.demand(), alone_[work].demand), std::max(put.slots(), alone_[work].slots)};
  }

  /// A host that comes whole is granted whole.
  int64_t granted(uint32_t work) const {
    if (!input_.whole_hosts) return puts_[work].granted();
    int64_t slots = 0;
    for (const WantedSlots& wanted : puts_[work].wanted()) slots += input_.hosts[wanted.host].slots;
    return slots;
  }

  LeafDemands answer() const {
    LeafDemands demands;
    demands.returning = returning_;
    for (uint32_t w = 0; w < puts_.size(); ++w) {
      const Wants wants = wants_of(w);
      demands.leaves.push_back({consumer_of(w), wants.demand, wants.slots, misfit(w), granted(w),
                                puts_[w].shapes(), beside_[w], stuck_[w], puts_[w].own()});
      const std::vector<WantedSlots>& wanted = puts_[w].wanted();
      demands.wanted.insert(demands.wanted.end(), wanted.begin(), wanted.end());
    }
    return demands;
  }

  const DemandInput& input_;
  std::vector<uint32_t> place_;        // by consumer: its place among leaves
  std::vector<bool> stays_;            // by consumer
  PlanState state_;                    // with the demand of each round
  std::vector<uint32_t> by_priority_;  // positions in `works`
  // By position in `works`:
  std::vector<TableLeaf> leaves_;
  std::vector<Most> most_;  // its limits
  std::vector<Wants> alone_;
  std::vector<LeafPut> puts_;
  std::vector<int64_t> beside_;
  std::vector<bool> stuck_;
  std::vector<WantedSlots> returning_;
  Quotas first_;  // of the first round
};

}  // namespace

LeafDemands leaf_demands(const DemandInput& input) {
  return Demands(input).find();
}

}  // namespace leasehold
