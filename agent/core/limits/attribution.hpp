// Attribution: which group a slot in use counts for (schema/wire/PROTOCOL.md, "Whose slot is
// used"). A host's jobs count against the cluster's own slots first, then against the groups in
// declaration order, draining ones last, each up to what is open of its limit, then up to its
// limit. What is above every limit is a breach. Pure; one host at a time.
#pragma once

#include <cstdint>
#include <span>

namespace leasehold::agent {

/// The slots that one group has on the host.
struct Slots {
  int32_t limit = 0;
  int32_t open = 0;  // of those, where work may start: not what is fenced to be given up
};

/// Fills `used` (one entry a group, in the given order) and returns the slots above every limit.
/// `own`: slots of the host that are not leased; 0 for an imported host.
int32_t attribute(int32_t used_total, int32_t own, std::span<const Slots> groups,
                  std::span<int32_t> used);

}  // namespace leasehold::agent
