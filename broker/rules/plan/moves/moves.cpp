#include "broker/rules/plan/moves/moves.hpp"

#include <algorithm>
#include <tuple>

namespace leasehold {

PlanMoves::PlanMoves(const Plan& plan, const ConsumerTree& tree, int64_t idle)
    : plan_(plan),
      tree_(tree),
      place_(tree.order().place),
      idle_(std::max<int64_t>(idle, 0)),
      missing_(std::max<int64_t>(-idle, 0)),
      gains_(tree.nodes.size()),
      losses_(tree.nodes.size()) {}

void PlanMoves::give_back(uint32_t leaf, int64_t slots, Reason reason, bool firm) {
  give_backs_.push_back({leaf, slots, reason, firm});
  given_back_ += slots;
}

bool PlanMoves::keeps(uint32_t leaf) const {
  return !plan_.consumers[tree_.nodes[leaf].consumer].rebalance;
}

void PlanMoves::close_give_backs() {
  std::stable_sort(give_backs_.begin() + static_cast<std::ptrdiff_t>(next_give_back_),
                   give_backs_.end(), [this](const GiveBack& a, const GiveBack& b) {
                     return std::tuple(keeps(a.leaf), place_[b.leaf]) <
                            std::tuple(keeps(b.leaf), place_[a.leaf]);
                   });
  while (missing_ > 0 && given_back_ > 0) {
    const GiveBack gone = take_given_back(missing_);
    missing_ -= gone.slots;
    pass({.from = gone.leaf, .slots = gone.slots, .loss = gone.reason, .firm = true});
  }
}

PlanMoves::GiveBack PlanMoves::take_given_back(int64_t most) {
  GiveBack& next = give_backs_[next_give_back_];
  GiveBack taken = next;
  taken.slots = std::min(next.slots, most);
  next.slots -= taken.slots;
  given_back_ -= taken.slots;
  if (next.slots == 0) ++next_give_back_;
  return taken;
}

void PlanMoves::lose(uint32_t leaf, int64_t slots) {
  missing_ -= slots;
  pass({.from = leaf, .slots = slots, .loss = Reason::slots_lost, .firm = true});
}

void PlanMoves::hand_out(uint32_t leaf, int64_t slots, Reason reason) {
  const int64_t from_idle = std::min(slots, idle_);
  idle_ -= from_idle;
  pass({.to = leaf, .slots = from_idle, .gain = reason});
  for (int64_t left = slots - from_idle; left > 0;) {
    const GiveBack taken = take_given_back(left);
    left -= taken.slots;
    pass({taken.leaf, leaf, taken.slots, taken.reason, reason});
  }
}

void PlanMoves::reclaim(uint32_t from, uint32_t to, int64_t slots, Reason reason, Reason gain) {
  pass({from, to, slots, reason, gain, true});
}

void PlanMoves::take_back(uint32_t from, uint32_t to, int64_t slots, Reason reason) {
  transfers_.push_back({from, to, slots, reason, reason, true});
}

/// Passes slots that `from` gained before on to `to`: then `from` did not gain them.
void PlanMoves::pass(Transfer transfer) {
  if (transfer.from != kNoIndex) {
    for (Transfer* gained = oldest_gain(transfer.from); gained != nullptr && transfer.slots > 0;
         gained = oldest_gain(transfer.from)) {
      const int64_t through = std::min(gained->slots, transfer.slots);
      gained->slots -= through;
      transfer.slots -= through;
      const bool firm = gained->firm || (transfer.to == kNoIndex && transfer.firm);
      pass_from({gained->from, transfer.to, through, gained->loss, transfer.gain, firm});
    }
  }
  pass_from(transfer);
}

/// Sends slots that `to` lost before to where those went: then `to` gains none.
void PlanMoves::pass_from(Transfer transfer) {
  if (transfer.to != kNoIndex) {
    for (Transfer* lost = oldest_loss(transfer.to); lost != nullptr && transfer.slots > 0;
         lost = oldest_loss(transfer.to)) {
      const int64_t through = std::min(lost->slots, transfer.slots);
      lost->slots -= through;
      transfer.slots -= through;
      // To nobody, before anything was handed out: those slots were missing.
      const bool firm = transfer.firm || lost->to == kNoIndex;
      append({transfer.from, lost->to, through, transfer.loss, lost->gain, firm});
    }
  }
  append(transfer);
}

void PlanMoves::append(const Transfer& transfer) {
  if (transfer.slots == 0 || transfer.from == transfer.to) return;
  const auto index = static_cast<uint32_t>(transfers_.size());
  transfers_.push_back(transfer);
  const auto link = [&](std::vector<Chain>& chains, uint32_t leaf, uint32_t Transfer::*next) {
    if (leaf == kNoIndex) return;
    Chain& chain = chains[leaf];
    (chain.first == kNoIndex ? chain.first : transfers_[chain.last].*next) = index;
    chain.last = index;
  };
  link(losses_, transfer.from, &Transfer::next_loss);
  link(gains_, transfer.to, &Transfer::next_gain);
}

PlanMoves::Transfer* PlanMoves::oldest_gain(uint32_t leaf) {
  uint32_t& first = gains_[leaf].first;
  while (first != kNoIndex && transfers_[first].slots == 0) first = transfers_[first].next_gain;
  return first == kNoIndex ? nullptr : &transfers_[first];
}

PlanMoves::Transfer* PlanMoves::oldest_loss(uint32_t leaf) {
  uint32_t& first = losses_[leaf].first;
  while (first != kNoIndex && transfers_[first].slots == 0) first = transfers_[first].next_loss;
  return first == kNoIndex ? nullptr : &transfers_[first];
}

/// The borrower's grace, or that of the closest common ancestor below the root
/// (broker/rules/plan/README.md, "Grace").
int64_t PlanMoves::grace_ms(const Transfer& transfer) const {
  if (transfer.from == kNoIndex) return 0;
  uint32_t whose = transfer.from;
  if (plan_.use_ancestor_grace_period && transfer.to != kNoIndex) {
    const uint32_t ancestor = common_ancestor(tree_, transfer.from, transfer.to);
    if (ancestor != 0) whose = ancestor;
  }
  return plan_.consumers[tree_.nodes[whose].consumer].reclaim_grace_ms;
}

PlanMove PlanMoves::move_of(const Transfer& transfer) const {
  const auto consumer = [this](uint32_t leaf) {
    return leaf == kNoIndex ? kNoIndex : tree_.nodes[leaf].consumer;
  };
  const Reason reason = transfer.from == kNoIndex ? transfer.gain : transfer.loss;
  return {consumer(transfer.from), consumer(transfer.to), transfer.slots, grace_ms(transfer),
          reason};
}

std::vector<PlanMove> PlanMoves::finish(std::vector<Kept>& kept) {
  while (given_back_ > 0) {
    const GiveBack left = take_given_back(given_back_);
    pass({.from = left.leaf, .slots = left.slots, .loss = left.reason, .firm = left.firm});
  }
  const auto stays = [this](const Transfer& t) {
    return t.to == kNoIndex && !t.firm && keeps(t.from);
  };
  const auto place = [this](uint32_t leaf) { return leaf == kNoIndex ? kNoIndex : place_[leaf]; };
  const auto order = [&](const Transfer& t) {
    return std::tuple(t.from != kNoIndex, place(t.to), ~place(t.from));
  };
  std::sort(transfers_.begin(), transfers_.end(), [&](const Transfer& a, const Transfer& b) {
    return std::tuple(order(a), a.loss, a.gain) < std::tuple(order(b), b.loss, b.gain);
  });
  std::vector<PlanMove> moves;
  const Transfer* before = nullptr;
  for (const Transfer& transfer : transfers_) {
    if (transfer.slots == 0) continue;
    if (stays(transfer)) {
      kept.push_back({transfer.from, transfer.slots});
    } else if (before != nullptr && order(*before) == order(transfer)) {
      moves.back().slots += transfer.slots;
    } else {
      moves.push_back(move_of(transfer));
      before = &transfer;
    }
  }
  return moves;
}

}  // namespace leasehold
