#include "tests/demand/proof/plans/entitled.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "broker/core/plan/take_snapshot.hpp"
#include "broker/rules/plan/evaluate.hpp"
#include "tests/demand/proof/taker.hpp"

namespace leasehold::demand_aware::proof::plans {

namespace {

/// Tries every way to place one job.
class Placing {
 public:
  /// `excess`: by leaf, what it may lose in all.
  Placing(const Site& site, size_t leaf, const Shape& shape, std::vector<int64_t> excess)
      : site_(site), leaf_(leaf), shape_(shape), excess_(std::move(excess)) {}

  /// True if it fits, and so many slots at most have to come.
  bool fits(int64_t coming) { return on(0, 0, 0, coming); }

 private:
  bool on(size_t host, int64_t placed, int64_t hosts, int64_t coming) {
    if (placed == shape_.slots && hosts >= shape_.hosts) return true;
    if (host == site_.hosts()) return false;
    for (int64_t some = shape_.slots - placed; some >= shape_.slots_per_host; --some) {
      const int64_t lacking = std::max<int64_t>(0, some - site_.idle(leaf_)[host]);
      const int64_t of_others = std::max<int64_t>(0, lacking - site_.free()[host]);
      if (lacking > coming) continue;
      const auto next = [&] { return on(host + 1, placed + some, hosts + 1, coming - lacking); };
      if (lose(host, 0, of_others, next)) return true;
    }
    return on(host + 1, placed, hosts, coming);
  }

  /// Has the other leaves lose so many slots there, in each possible way.
  template <class Next>
  bool lose(size_t host, size_t other, int64_t slots, const Next& next) {
    if (slots == 0) return next();
    if (other == site_.leaves()) return false;
    const int64_t most =
        other == leaf_ ? 0 : std::min<int64_t>({slots, excess_[other], site_.due(other, host)});
    for (int64_t some = std::max<int64_t>(0, most); some >= 0; --some) {
      excess_[other] -= some;
      const bool found = lose(host, other + 1, slots - some, next);
      excess_[other] += some;
      if (found) return true;
    }
    return false;
  }

  const Site& site_;
  const size_t leaf_;
  const Shape shape_;
  std::vector<int64_t> excess_;
};

PlanState with_demands_alone(const Site& site, const PlanSnapshot& snapshot) {
  PlanState state = snapshot.state;
  for (size_t leaf = 0; leaf < site.leaves(); ++leaf) {
    const int64_t starts = most_started(site.counting(leaf), site.all_but_used(leaf));
    state.leaves[leaf].demand = site.used(leaf) + starts;
  }
  return state;
}

/// Returns the plan's answer if the leaf wanted so many slots besides those that it is due.
PlanAnswer answer_if(const PlanSnapshot& snapshot, PlanState state, size_t leaf, int64_t more) {
  state.leaves[leaf].demand = state.leaves[leaf].allocated + more;
  return evaluate_plan(*snapshot.plan, snapshot.compiled, state);
}

/// Returns by leaf what it may lose.
std::vector<int64_t> excess_in(const Site& site, const PlanAnswer& answer) {
  std::vector<int64_t> excess(site.leaves(), 0);
  for (const PlanRow& row : answer.rows) {
    excess[row.consumer] = std::max<int64_t>(0, row.allocated - row.quota - row.shrink);
  }
  return excess;
}

bool starves(const Site& site, const PlanSnapshot& snapshot, size_t leaf) {
  const PlanState alone = with_demands_alone(site, snapshot);
  const Queue queue = site.counting(leaf);
  int64_t most = 0;
  for (const Waiting& one : queue) most = std::max(most, one.shape.slots);
  for (int64_t coming = 1; coming <= most; ++coming) {
    const PlanAnswer first = answer_if(snapshot, alone, leaf, coming);
    const PlanAnswer last = answer_if(snapshot, snapshot.state, leaf, coming);
    std::vector<int64_t> excess = excess_in(site, first);
    const std::vector<int64_t> in_the_end = excess_in(site, last);
    for (size_t l = 0; l < excess.size(); ++l) excess[l] = std::min(excess[l], in_the_end[l]);
    const bool given = std::any_of(first.rows.begin(), first.rows.end(), [&](const PlanRow& row) {
      return row.consumer == leaf && row.quota >= row.allocated + coming;
    });
    if (!given) continue;
    for (const Waiting& one : queue) {
      if (Placing(site, leaf, one.shape, excess).fits(coming)) return true;
    }
  }
  return false;
}

}  // namespace

Starving starving(const Site& site) {
  const PlanSnapshot snapshot = take_snapshot(site.state(), 0);
  Starving found = Starving::nobody;
  if (snapshot.in_slots) return found;
  for (size_t leaf = 0; leaf < site.leaves(); ++leaf) {
    if (!starves(site, snapshot, leaf)) continue;
    const Idle idle = site.idle(leaf);
    const bool any = std::accumulate(idle.begin(), idle.end(), 0) > 0;
    found = std::max(found, any ? Starving::beside_idle : Starving::yes);
  }
  return found;
}

}  // namespace leasehold::demand_aware::proof::plans
