// Prove plays every small state of plans whose leaves tell the shapes of their waiting work: prints
// a line for each kind of plan and each size.
#pragma once

#include <cstdint>

namespace leasehold::demand_aware::proof::plans {

/// Every `of`-th state of a site's hosts is played, from `at` on.
struct Share {
  int64_t at = 0;
  int64_t of = 1;
};

/// False: something is not as tests/demand/README.md, "The proof", says.
bool prove(bool longer, const Share& share);

}  // namespace leasehold::demand_aware::proof::plans
