#include "broker/rules/demand_aware/claim.hpp"

#include <algorithm>
#include <utility>

#include "broker/rules/demand_aware/back_off.hpp"
#include "broker/rules/demand_aware/packing.hpp"
#include "common/canary.hpp"

namespace leasehold::demand_aware {

namespace {

/// Only for the canary that takes slots for all alike.
inline Waiting in_pieces(Waiting waiting) {
  waiting.jobs *= waiting.shape.slots;
  waiting.shape = {};
  return waiting;
}

void add(const Shape& shape, const Packing::Put& put, int64_t own, Claim& claim) {
  if (put.jobs == 0) return;
  claim.fit.push_back(shape);
  if (put.with_moves == 0) return;
  claim.beside += own;
  const bool known = std::count(claim.shapes.begin(), claim.shapes.end(), shape) > 0;
  if (!known) claim.shapes.push_back(shape);
}

class Claiming {
 public:
  Claiming(const View& view, const Ledger& ledger, const Claimant& claimant)
      : view_(view),
        ledger_(ledger),
        claimant_(claimant),
        member_(claimant.member),
        packing_(member_, view.rows, view.sides[member_].elsewhere, claimant.protect) {}

  /// Returns what did not fit, if the member takes used slots.
  std::vector<Waiting> put_all(const std::vector<Waiting>& all) {
    std::vector<Waiting> left;
    for (const Waiting& waiting : all) {
      if (waits_off(ledger_, member_, waiting.shape, view_.now)) {
        claim_.waits_off = true;
        continue;
      }
      const int64_t own = packing_.own_taken();
      const Packing::Put put = LEASEHOLD_CANARY(ignores_shapes) ? packing_.put(in_pieces(waiting))
                                                                : packing_.put(waiting);
      add(waiting.shape, put, packing_.own_taken() - own, claim_);
      if (put.jobs == waiting.jobs || !claimant_.takes_used) continue;
      left.push_back(waiting);
      left.back().jobs -= put.jobs;
    }
    return left;
  }

  void take_used() { packing_.take_used(view_.rows); }

  Claim finish() {
    claim_.moves = packing_.moves();
    claim_.reclaims = packing_.reclaims();
    claim_.slots = packing_.slots_moved();
    return std::move(claim_);
  }

 private:
  const View& view_;
  const Ledger& ledger_;
  const Claimant& claimant_;
  const uint8_t member_;
  Packing packing_;
  Claim claim_;
};

}  // namespace

Claim claim_of(const View& view, const Ledger& ledger, const Claimant& claimant,
               const std::vector<Waiting>& waiting) {
  Claiming claiming(view, ledger, claimant);
  const std::vector<Waiting> left = claiming.put_all(waiting);
  if (!left.empty()) {
    claiming.take_used();
    claiming.put_all(left);
  }
  return claiming.finish();
}

}  // namespace leasehold::demand_aware
