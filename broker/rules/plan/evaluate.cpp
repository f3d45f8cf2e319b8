#include "broker/rules/plan/evaluate.hpp"

#include <algorithm>

#include "broker/rules/plan/division/distribute.hpp"
#include "broker/rules/plan/division/ownership.hpp"
#include "broker/rules/plan/division/quota.hpp"
#include "broker/rules/plan/moves/moves.hpp"
#include "broker/rules/plan/rows.hpp"
#include "broker/rules/plan/tree.hpp"

namespace leasehold {

namespace {

class Evaluation {
 public:
  Evaluation(const Plan& plan, const std::shared_ptr<const CompiledPlan>& compiled,
             const PlanState& state)
      : plan_(plan),
        state_(state),
        tree_(lay_out(plan, compiled, state)),
        scale_(hybrid_scale(tree_)),
        idle_(tree_.slots - tree_.root().allocated),
        held_(tree_.nodes.size()),
        moves_(plan, tree_, idle_),
        distribution_(plan, tree_, quotas_, scale_, held_, moves_) {
    for (size_t p = 0; p < held_.size(); ++p) held_[p] = tree_.nodes[p].allocated;
    for_each_child(tree_, 0, [this](uint32_t p) {
      (tree_.nodes[p].policy == PlanPolicy::ownership ? some_own_ : some_divide_) = true;
    });
  }

  PlanAnswer answer() {
    set_quotas();
    if (some_own_) begin_ownership();
    if (some_divide_) {
      distribution_.take_beyond();
      distribution_.give_back_above_limits();
      moves_.close_give_backs();
    }
    std::vector<int64_t> claims = distribution_.claims();
    if (some_own_) run_ownership(claims);
    if (some_divide_) {
      distribution_.hand_out(claims);
      distribution_.reclaim(claims);
    }
    return finish();
  }

 private:
  void set_quotas() {
    set_common_numbers(tree_, scale_, quotas_);
    if (plan_.policy == PlanPolicy::share_ratio) {
      set_share_quotas(tree_, quotas_);
    } else if (some_divide_) {
      set_hybrid_quotas(plan_, tree_, scale_, quotas_);
    }
  }

  /// Beside hybrid branches those of ownership have exactly what they own
  /// (broker/rules/plan/README.md, "Mixed policies").
  int64_t owners_slots() const {
    if (!some_divide_) return tree_.slots;
    int64_t owned = 0;
    for_each_child(tree_, 0, [&](uint32_t p) {
      if (tree_.nodes[p].policy == PlanPolicy::ownership) owned += tree_.nodes[p].owned;
    });
    return std::min(owned, tree_.slots);
  }

  void begin_ownership() {
    ownership_.emplace(plan_, tree_, quotas_.want, owners_slots());
    ownership_->take_stock(state_);
    ownership_->give_back_at_once(moves_);
    moves_.close_give_backs();
  }

  /// Beside hybrid branches idle slots, and those given back, are handed out to owners and to them
  /// in one order.
  void run_ownership(std::vector<int64_t>& claims) {
    for (const Ownership::Step& step : ownership_->run()) {
      if (wants_its_own(step)) {
        moves_.take_back(step.from, step.to, step.slots, step.reason);
      } else if (step.from != kNoIndex) {
        moves_.reclaim(step.from, step.to, step.slots, step.reason, step.gain);
      } else if (some_divide_) {
        for (uint32_t p = step.to; p != 0; p = tree_.nodes[p].parent) claims[p] += step.slots;
      } else {
        moves_.hand_out(step.to, step.slots, step.reason);
      }
    }
  }

  /// `reclaim_before_borrow` is for owned slots that were chosen with care (Symphony, "Owning,
  /// lending, borrowing, sharing"): where the owner says of which hosts, as many others that the
  /// borrower gets in this cycle do not stand for them.
  bool wants_its_own(const Ownership::Step& step) const {
    return plan_.reclaim_before_borrow && step.reason == Reason::reclaim_owned &&
           !plan_.consumers[tree_.nodes[step.to].consumer].select.empty();
  }

  PlanAnswer finish() {
    PlanAnswer answer;
    answer.slots = tree_.slots;
    answer.idle = idle_;
    std::vector<PlanMoves::Kept> kept;
    answer.moves = moves_.finish(kept);
    for (const PlanMoves::Kept& one : kept) {
      if (tree_.nodes[one.leaf].policy == PlanPolicy::ownership) ownership_->keep(one);
    }
    Ownership* ownership = ownership_ ? &*ownership_ : nullptr;
    answer.rows = rows_of({plan_, tree_, quotas_, scale_, distribution_, ownership, answer.moves});
    return answer;
  }

  const Plan& plan_;
  const PlanState& state_;
  ConsumerTree tree_;
  Scale scale_;
  int64_t idle_;
  bool some_own_ = false;
  bool some_divide_ = false;  // by quotas: hybrid or share ratio
  Quotas quotas_;
  std::vector<int64_t> held_;
  PlanMoves moves_;
  Distribution distribution_;
  std::optional<Ownership> ownership_;
};

}  // namespace

PlanAnswer evaluate_plan(const Plan& plan, const std::shared_ptr<const CompiledPlan>& compiled,
                         const PlanState& state) {
  return Evaluation(plan, compiled, state).answer();
}

}  // namespace leasehold
