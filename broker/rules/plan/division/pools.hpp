// Share pools of ownership: the slots of a branch that none of its children owns, and what each
// leaf deserves of them by the share ratios (broker/rules/plan/README.md, "Ownership"; Symphony,
// "Owning, lending, borrowing, sharing": a branch's pool first, then up the tree). Pure. Not who
// holds them now.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/rules/plan/tree.hpp"

namespace leasehold {

/// By position of a parent: the slots of its pool. If slots were lost, parents keep theirs in
/// priority order first; the root's is the rest. `slots`: what there is for ownership branches.
std::vector<int64_t> share_pools(const ConsumerTree& tree, int64_t slots);

/// By position: the deserved share, of a parent that of its leaves. `want`: by position.
std::vector<int64_t> deserved_shares(const ConsumerTree& tree, const std::vector<int64_t>& pools,
                                     const std::vector<int64_t>& want);

}  // namespace leasehold
