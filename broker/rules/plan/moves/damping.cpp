#include "broker/rules/plan/moves/damping.hpp"

#include <algorithm>

#include "broker/rules/plan/tree.hpp"

namespace leasehold {

bool for_quota(const PlanMove& move) {
  const bool reclaim = move.reason == Reason::reclaim_owned ||
                       move.reason == Reason::reclaim_share || move.reason == Reason::reclaim_quota;
  return reclaim || move.from == kNoIndex;
}

int64_t backoff_ms(const Plan& plan, int32_t reclaims) {
  constexpr int32_t kDoublingsMost = 10;  // 1,000 times the first wait is as good as for ever
  return plan.reclaim_backoff_ms << std::clamp(reclaims - 1, 0, kDoublingsMost);
}

namespace {

constexpr int64_t kMillion = 1'000'000;

class Damping {
 public:
  Damping(const Plan& plan, const std::shared_ptr<const CompiledPlan>& compiled,
          const PlanState& state, const PlanAnswer& answer, const std::vector<MoveHistory>& history,
          Instant now)
      : plan_(plan),
        compiled_(compiled),
        state_(state),
        answer_(answer),
        history_(history),
        now_(now),
        claims_(plan.consumers.size(), 0),
        below_owned_(plan.consumers.size(), 0),
        waits_(plan.consumers.size(), false),
        left_to_move_(std::max<int64_t>(1, answer.slots * plan.max_share_moved_ppm / kMillion)) {
    for (const PlanRow& row : answer.rows) {
      below_owned_[row.consumer] = std::max<int64_t>(0, row.owned - row.allocated);
    }
    for (const PlanMove& move : answer.moves) {
      if (move.to != kNoIndex && move.from != kNoIndex) claims_[move.to] += move.slots;
    }
  }

  DampedMoves take() {
    for (const PlanMove& move : answer_.moves) {
      if (move.to == kNoIndex || !for_quota(move)) {
        out_.moves.push_back(move);
      } else {
        consider(move);
      }
    }
    keep_limits();
    return std::move(out_);
  }

 private:
  void consider(PlanMove move) {
    const int64_t wanted = move.slots;
    const Reason reason = put_off(move);
    if (move.slots > 0) {
      out_.moves.push_back(move);
      below_owned_[move.to] = std::max<int64_t>(0, below_owned_[move.to] - move.slots);
    }
    if (move.slots < wanted) wait(move, reason);
  }

  void wait(const PlanMove& move, Reason reason) {
    if (!waits_[move.to]) out_.put_off.push_back({move.to, reason});
    waits_[move.to] = true;
    if (move.from != kNoIndex) out_.losers.push_back(move.from);
  }

  /// Lowers the move to what may happen now; says why it is not all.
  Reason put_off(PlanMove& move) {
    const auto cut = [&move](int64_t most, Reason reason) {
      if (move.slots <= most) return Reason::none;
      move.slots = std::max<int64_t>(0, most);
      return reason;
    };
    Reason reason = Reason::none;
    const auto first = [&reason](Reason found) {
      if (reason == Reason::none) reason = found;
    };
    if (move.from != kNoIndex) {
      const Instant gained_at = history_[move.from].gained_at;
      const bool held_long = gained_at.ms == INT64_MIN || now_ - gained_at >= plan_.min_hold_ms;
      if (!held_long) first(cut(0, Reason::min_hold));
      if (claims_[move.to] <= plan_.dead_zone_slots) first(cut(0, Reason::dead_zone));
    }
    // A backoff never limits a consumer below what it owns.
    if (history_[move.to].backoff_until > now_) {
      first(cut(below_owned_[move.to], Reason::reclaim_backoff));
    }
    if (plan_.max_share_moved_ppm < kMillion) {
      first(cut(left_to_move_, Reason::share_moved));
      left_to_move_ -= move.slots;
    }
    return reason;
  }

  /// A loss that was put off may have made room below a parent's limit that is now missing.
  void keep_limits() {
    if (out_.put_off.empty()) return;
    const ConsumerTree tree = lay_out(plan_, compiled_, state_);
    net_.assign(tree.nodes.size(), 0);
    into_.assign(tree.nodes.size(), {});
    for (uint32_t i = 0; i < out_.moves.size(); ++i) count_move(tree, i);
    for (uint32_t p = 1; p < tree.nodes.size(); ++p) {
      if (is_limited(tree.nodes[p])) keep_limit(tree, p);
    }
    std::erase_if(out_.moves, [](const PlanMove& move) { return move.slots == 0; });
  }

  static bool is_limited(const ConsumerNode& node) { return !node.leaf && node.limit < kUnlimited; }

  void count_move(const ConsumerTree& tree, uint32_t index) {
    const PlanMove& move = out_.moves[index];
    add(tree, move, move.slots);
    if (move.to == kNoIndex || !for_quota(move)) return;
    for (uint32_t p = tree.position(move.to); p != 0; p = tree.nodes[p].parent) {
      const bool inside = move.from != kNoIndex && tree.within(tree.position(move.from), p);
      if (is_limited(tree.nodes[p]) && !inside) into_[p].push_back(index);
    }
  }

  /// Adds so many slots by the move.
  void add(const ConsumerTree& tree, const PlanMove& move, int64_t slots) {
    const auto add_up = [&](uint32_t consumer, int64_t more) {
      if (consumer == kNoIndex) return;
      for (uint32_t p = tree.position(consumer); p != 0; p = tree.nodes[p].parent) net_[p] += more;
    };
    add_up(move.to, slots);
    add_up(move.from, -slots);
  }

  void keep_limit(const ConsumerTree& tree, uint32_t parent) {
    const ConsumerNode& node = tree.nodes[parent];
    int64_t excess = std::min(net_[parent], node.allocated + net_[parent] - node.limit);
    for (size_t i = into_[parent].size(); i-- > 0 && excess > 0;) {
      PlanMove& move = out_.moves[into_[parent][i]];
      const int64_t part = std::min(excess, move.slots);
      if (part == 0) continue;
      move.slots -= part;
      excess -= part;
      add(tree, move, -part);
      wait(move, out_.put_off.front().reason);
    }
  }

  const Plan& plan_;
  const std::shared_ptr<const CompiledPlan>& compiled_;
  const PlanState& state_;
  const PlanAnswer& answer_;
  const std::vector<MoveHistory>& history_;
  const Instant now_;
  std::vector<int64_t> claims_;       // by consumer: what it is to get from others
  std::vector<int64_t> below_owned_;  // by consumer: what it may have in spite of a back-off
  std::vector<bool> waits_;           // by consumer: it is among those put off
  std::vector<int64_t> net_;          // by position: what all moves bring it
  std::vector<std::vector<uint32_t>>
      into_;  // by position, if limited: moves from without, in order
  int64_t left_to_move_;
  DampedMoves out_;
};

}  // namespace

DampedMoves damp_moves(const Plan& plan, const std::shared_ptr<const CompiledPlan>& compiled,
                       const PlanState& state, const PlanAnswer& answer,
                       const std::vector<MoveHistory>& history, Instant now) {
  return Damping(plan, compiled, state, answer, history, now).take();
}

}  // namespace leasehold
