// Quotas: how many slots each consumer is entitled to now, under hybrid and share ratio
// (broker/rules/plan/README.md, "Hybrid" and "Share ratio"). Pure. Not what moves: that is
// distribute.hpp; not ownership, where a quota is what comes of a cycle (ownership.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "broker/rules/plan/division/fill.hpp"
#include "broker/rules/plan/tree.hpp"

namespace leasehold {

/// By position. Ownership leaves' entries stay 0 here.
struct Quotas {
  std::vector<int64_t> want;  // with reserve and limit: a quota never exceeds it
  std::vector<int64_t> own;   // owned as scaled, rounded down (hybrid), else as configured
  std::vector<int64_t> reserved;
  std::vector<int64_t> quota;
};

/// The slots that hybrid branches divide, and the scale of their ownership: `slots` / `configured`
/// (broker/rules/plan/README.md, "Mixed policies": both less what ownership branches own; nothing
/// configured: they own nothing).
struct Scale {
  int64_t slots = 0;
  int64_t configured = 0;
};
Scale hybrid_scale(const ConsumerTree& tree);

/// Sets want, own and reserved of all nodes.
void set_common_numbers(const ConsumerTree& tree, Scale scale, Quotas& quotas);

void set_hybrid_quotas(const Plan& plan, const ConsumerTree& tree, Scale scale, Quotas& quotas);
void set_share_quotas(const ConsumerTree& tree, Quotas& quotas);

}  // namespace leasehold
