// The whole State as bytes: for bases of the log (log_row.hpp), and digests of the durable part.
// Not what a commit changed: that is images.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "broker/core/model/state.hpp"
#include "broker/record/hash.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Everything, also what a restart resets: replay goes on from it as if it had never stopped.
void encode_state(const State& state, std::string& out);
Result<State> decode_state(std::string_view bytes);

/// The durable part of one group, cluster, policy or plan, and of the rest: equal bytes, equal
/// parts. The next evaluation instants are left out: they move without anything to record.
void encode_durable(const SlotGroup& group, std::string& out);
void encode_durable(const Cluster& cluster, std::string& out);
void encode_durable(const PolicyState& policy, std::string& out);
void encode_durable(const ResourceGroupLedger& plan, std::string& out);
void encode_durable_rest(const State& state, std::string& out);

/// BLAKE2b over the durable part: equal for a state, for the same state after commit and load, and
/// for the state that a replay of its history ends in.
Hash state_digest(const State& state);

}  // namespace leasehold
