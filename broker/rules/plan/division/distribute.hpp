// From quotas to moves, under hybrid and share ratio: missing slots, limits, idle slots, reclaim
// (broker/rules/plan/README.md, "Hybrid", steps 4 to 6; Symphony, "Hybrid scheduling policy").
// Pure. Not what a quota is, nor what ownership does with its own slots; but beside hybrid
// branches, what those of ownership claim of idle slots is handed out here
// (broker/rules/plan/README.md, "Mixed policies").
#pragma once

#include <cstdint>
#include <vector>

#include "broker/rules/plan/division/quota.hpp"
#include "broker/rules/plan/moves/moves.hpp"
#include "broker/rules/plan/moves/reclaim.hpp"
#include "broker/rules/plan/tree.hpp"

namespace leasehold {

class Distribution {
 public:
  /// `held`: what each node holds, by position; kept up to date. `moves` gets what moves.
  Distribution(const Plan& plan, const ConsumerTree& tree, const Quotas& quotas, Scale scale,
               std::vector<int64_t>& held, PlanMoves& moves);

  /// Takes the slots held beyond those there are to divide: missing slots, and those of owners.
  void take_beyond();
  /// Step 4.
  void give_back_above_limits();
  /// Step 5. `claims`: by position, what each may still get, parents' too; ends as what is unmet.
  void hand_out(std::vector<int64_t>& claims);
  /// Step 6.
  void reclaim(std::vector<int64_t>& claims);

  /// Returns how far each node is below its quota, by position; 0 for ownership.
  std::vector<int64_t> claims() const;
  /// Returns what a leaf above its quota keeps until its work ends: `reclaim` may not take it.
  int64_t shrink(uint32_t leaf) const;

 private:
  bool divided(uint32_t position) const;
  bool may_lose(uint32_t leaf) const;
  int64_t held_of_divided() const;
  const LeafOrder& losing_order() const;
  int64_t above_quota(uint32_t leaf) const;
  int64_t reclaimable(uint32_t leaf) const;
  int64_t room_above(uint32_t leaf) const;
  void change(uint32_t leaf, int64_t slots);
  void give_back(uint32_t leaf, int64_t slots, Reason reason);
  void hand_to(uint32_t leaf, int64_t slots, std::vector<int64_t>& claims);
  void pass_down(int64_t idle, std::vector<int64_t>& claims);
  void bound_branches(Reclaim& reclaim) const;

  const Plan& plan_;
  const ConsumerTree& tree_;
  const Quotas& quotas_;
  const int64_t slots_;  // to divide
  std::vector<int64_t>& held_;
  PlanMoves& moves_;
};

}  // namespace leasehold
