#include "broker/rules/plan/division/distribute.hpp"

#include <algorithm>

namespace leasehold {

namespace {

/// The limit on all that a node holds: under share ratio all of it is shared.
int64_t limit_of(const ConsumerNode& node) {
  const bool shares = node.policy == PlanPolicy::share_ratio;
  return shares ? std::min(node.limit, node.share_limit) : node.limit;
}

Reason above_limit(const ConsumerNode& node) {
  return limit_of(node) < node.limit ? Reason::over_share_limit : Reason::over_limit;
}

}  // namespace

Distribution::Distribution(const Plan& plan, const ConsumerTree& tree, const Quotas& quotas,
                           Scale scale, std::vector<int64_t>& held, PlanMoves& moves)
    : plan_(plan), tree_(tree), quotas_(quotas), slots_(scale.slots), held_(held), moves_(moves) {}

/// By quotas: ownership has rules of its own.
bool Distribution::divided(uint32_t position) const {
  return tree_.nodes[position].policy != PlanPolicy::ownership;
}

/// A disconnected member keeps what it holds.
bool Distribution::may_lose(uint32_t leaf) const {
  return tree_.nodes[leaf].connected && divided(leaf);
}

int64_t Distribution::held_of_divided() const {
  int64_t held = 0;
  for_each_child(tree_, 0, [&](uint32_t p) {
    if (divided(p)) held += held_[p];
  });
  return held;
}

/// Under share ratio ranks count across branches (Symphony, "Resource reclaim": first from rank
/// 50, then from rank 25); under hybrid they do not ("Comparing consumer rank").
const LeafOrder& Distribution::losing_order() const {
  return plan_.policy == PlanPolicy::share_ratio ? tree_.by_rank() : tree_.by_tree();
}

int64_t Distribution::above_quota(uint32_t leaf) const {
  return may_lose(leaf) ? std::max<int64_t>(held_[leaf] - quotas_.quota[leaf], 0) : 0;
}

/// EGO_DISABLE_RECLAIM_HYBRID_OWN protects the ownership as configured when it was scaled down;
/// reclaim_shared = false protects all.
int64_t Distribution::reclaimable(uint32_t leaf) const {
  const ConsumerNode& node = tree_.nodes[leaf];
  if (node.policy == PlanPolicy::share_ratio && !plan_.reclaim_shared) return 0;
  const int64_t above = above_quota(leaf);
  if (!plan_.disable_reclaim_hybrid_own || tree_.slots >= tree_.configured ||
      node.policy != PlanPolicy::hybrid) {
    return above;
  }
  return std::clamp<int64_t>(held_[leaf] - node.owned, 0, above);
}

int64_t Distribution::shrink(uint32_t leaf) const {
  return above_quota(leaf) - reclaimable(leaf);
}

void Distribution::change(uint32_t leaf, int64_t slots) {
  for (uint32_t p = leaf; p != 0; p = tree_.nodes[p].parent) held_[p] += slots;
}

void Distribution::give_back(uint32_t leaf, int64_t slots, Reason reason) {
  if (slots <= 0) return;
  change(leaf, -slots);
  moves_.give_back(leaf, slots, reason);
}

/// Missing slots are gone; the others wait for their owners.
void Distribution::take_beyond() {
  const std::vector<uint32_t>& leaves = losing_order().leaves;
  int64_t beyond = held_of_divided() - slots_;
  for (size_t i = leaves.size(); i-- > 0 && beyond > 0;) {
    const int64_t taken = std::min(above_quota(leaves[i]), beyond);
    if (taken == 0) continue;
    const int64_t gone = std::min(taken, moves_.missing());
    change(leaves[i], -taken);
    if (gone > 0) moves_.lose(leaves[i], gone);
    if (taken > gone) moves_.give_back(leaves[i], taken - gone, Reason::slots_lost, true);
    beyond -= taken;
  }
}

/// Leaves first; then parents, the deepest first, from their leaves above quota: there are enough
/// of those, as the quotas of a branch are within its limit.
void Distribution::give_back_above_limits() {
  const std::vector<uint32_t>& leaves = tree_.by_tree().leaves;
  for (size_t i = leaves.size(); i-- > 0;) {
    const uint32_t leaf = leaves[i];
    const ConsumerNode& node = tree_.nodes[leaf];
    if (may_lose(leaf)) give_back(leaf, held_[leaf] - limit_of(node), above_limit(node));
  }
  for (auto p = static_cast<uint32_t>(tree_.nodes.size()); --p > 0;) {
    const ConsumerNode& node = tree_.nodes[p];
    if (node.leaf || !divided(p)) continue;
    for (uint32_t leaf = node.end; held_[p] > limit_of(node) && --leaf > p;) {
      if (!tree_.nodes[leaf].leaf) continue;
      give_back(leaf, std::min(above_quota(leaf), held_[p] - limit_of(node)), above_limit(node));
    }
  }
}

std::vector<int64_t> Distribution::claims() const {
  std::vector<int64_t> claims(tree_.nodes.size(), 0);
  for (uint32_t p = 1; p < tree_.nodes.size(); ++p) {
    const ConsumerNode& node = tree_.nodes[p];
    if (!divided(p) || !node.connected) continue;
    claims[p] = std::max<int64_t>(quotas_.quota[p] - held_[p], 0);
  }
  return claims;
}

/// Returns the slots that may still come into the parents of a leaf.
int64_t Distribution::room_above(uint32_t leaf) const {
  int64_t room = kUnlimited;
  for (uint32_t p = tree_.nodes[leaf].parent; p != 0; p = tree_.nodes[p].parent) {
    const ConsumerNode& node = tree_.nodes[p];
    room = std::min(room, limit_of(node) - held_[p]);
  }
  return std::max<int64_t>(room, 0);
}

/// Hands out at most what is available: slots of a disconnected member beyond its due are others'
/// by right, but cannot be taken.
void Distribution::hand_to(uint32_t leaf, int64_t slots, std::vector<int64_t>& claims) {
  slots = std::min(slots, moves_.available());
  if (slots == 0) return;
  claims[leaf] -= slots;
  if (divided(leaf)) change(leaf, slots);
  moves_.hand_out(leaf, slots, Reason::below_quota);
}

/// To root-level consumers in order, and within each to its children in the same way. Owners have
/// their own beside what is to divide.
void Distribution::pass_down(int64_t idle, std::vector<int64_t>& claims) {
  std::vector<int64_t> budget(tree_.nodes.size(), 0);
  budget[0] = idle;
  for (uint32_t p = 1; p < tree_.nodes.size(); ++p) {
    const ConsumerNode& node = tree_.nodes[p];
    budget[p] = claims[p];
    if (divided(p)) {
      budget[p] = std::min(budget[node.parent], claims[p]);
      budget[node.parent] -= budget[p];
    }
    if (node.leaf) hand_to(p, budget[p], claims);
  }
}

void Distribution::hand_out(std::vector<int64_t>& claims) {
  if (moves_.available() == 0) return;
  pass_down(std::max<int64_t>(slots_ - held_of_divided(), 0), claims);
  int64_t left = slots_ - held_of_divided();
  for (const uint32_t leaf : tree_.by_tree().leaves) {
    if (left <= 0) return;
    if (claims[leaf] == 0) continue;  // an owner has one only where nothing is to be had
    const int64_t held = held_[leaf];
    hand_to(leaf, std::min({claims[leaf], left, room_above(leaf)}), claims);
    left -= held_[leaf] - held;
  }
}

/// share_enforcement = "parent": between root-level branches only what the one is below its quota
/// and the other above its own.
void Distribution::bound_branches(Reclaim& reclaim) const {
  reclaim.surplus.assign(tree_.nodes.size(), 0);
  for_each_child(tree_, 0, [&](uint32_t p) {
    reclaim.surplus[p] = held_[p] - quotas_.quota[p];
    reclaim.room[p] = std::min(reclaim.room[p], -reclaim.surplus[p]);
  });
}

void Distribution::reclaim(std::vector<int64_t>& claims) {
  Reclaim reclaim(tree_, losing_order());
  for (uint32_t p = 1; p < tree_.nodes.size(); ++p) {
    const ConsumerNode& node = tree_.nodes[p];
    if (!divided(p)) continue;
    if (node.leaf) reclaim.excess[p] = reclaimable(p);
    if (!node.leaf) reclaim.room[p] = limit_of(node) - held_[p];
  }
  if (plan_.policy == PlanPolicy::share_ratio &&
      plan_.share_enforcement == ShareEnforcement::parent) {
    bound_branches(reclaim);
  }
  for (const uint32_t leaf : losing_order().leaves) {
    if (claims[leaf] == 0 || !divided(leaf)) continue;
    claims[leaf] -= reclaim.claim(leaf, claims[leaf], [&](uint32_t victim, int64_t slots) {
      change(victim, -slots);
      change(leaf, slots);
      moves_.reclaim(victim, leaf, slots, Reason::reclaim_quota, Reason::below_quota);
    });
  }
}

}  // namespace leasehold
