// AgentSide: what an agent keeps of one member of a slot group, whatever its cluster runs there.
#pragma once

#include <cstdint>

#include "common/time/instant.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

struct AgentSide {
  uint64_t generation = 0;
  uint64_t seq = 0;  // of the last order
  bool ever_used = false;
  Instant answer_at = kNever;  // the last order is answered then

  /// True if it states nothing until then.
  bool owes_answer() const { return answer_at != kNever; }
  bool is_newer(uint64_t order) const { return order > seq; }
  /// States the group, whose hosts are the block's rows from `first` on.
  void state(wire::StateBlock& block, size_t first) {
    for (size_t row = first; row < block.hosts.size(); ++row) {
      ever_used = ever_used || block.hosts[row].used > 0;
    }
    block.groups.push_back({generation, seq, ever_used, 0, static_cast<uint32_t>(first),
                            static_cast<uint32_t>(block.hosts.size() - first)});
  }
};

}  // namespace leasehold
