// Attribution: whose slot is used? (schema/wire/PROTOCOL.md, "Whose slot is used".) A host's jobs
// count against the cluster's own slots first, then against the groups in declaration order,
// draining ones last, each up to its limit. What is above every limit is a breach. Pure; one host
// at a time.
#pragma once

#include <cstdint>
#include <span>

namespace leasehold::agent {

/// Fills `used` (one entry a limit, in the given order) and returns the slots above every limit.
/// `own`: slots of the host that are not leased; 0 for an imported host.
int32_t attribute(int32_t used_total, int32_t own, std::span<const int32_t> limits,
                  std::span<int32_t> used);

}  // namespace leasehold::agent
