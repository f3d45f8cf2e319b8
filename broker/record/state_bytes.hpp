// The whole State as bytes: for bases of the log (log_row.hpp), and for digests of its durable
// part. The changes of one commit are written by images.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "broker/core/model/state.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Writes everything, also what a restart resets, so that replay goes on from it as if it had never
/// stopped.
void encode_state(const State& state, std::string& out);
Result<State> decode_state(std::string_view bytes);

/// Write the durable part of one group, cluster, policy or plan, and of the rest: equal bytes mean
/// equal parts. The next evaluation instants are left out, because they change without anything to
/// record.
void encode_durable(const SlotGroup& group, std::string& out);
void encode_durable(const Cluster& cluster, std::string& out);
void encode_durable(const PolicyState& policy, std::string& out);
void encode_durable(const ResourceGroupLedger& plan, std::string& out);
void encode_durable_rest(const State& state, std::string& out);

}  // namespace leasehold
