// The whole State as bytes: for snapshots in the history, and digests of the durable part.
// Not how the broker restarts: that reads the current tables (broker/store/sqlite/load.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "broker/core/model/state.hpp"
#include "broker/record/history_row.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Everything, also what a restart resets: replay goes on from it as if it had never stopped.
void encode_state(const State& state, std::string& out);
Result<State> decode_state(std::string_view bytes);

/// Every index in a state that was read names something: the core trusts them.
Status check_indices(const State& state);

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

/// The columns of a current table that hold lists of their own.
void encode_host_extra(const Host& host, std::string& out);
Status decode_host_extra(std::string_view bytes, Host& host);
void encode_order(const StandingOrder& order, std::string& out);
/// No bytes: an order of a database that did not keep who gave it.
Status decode_order(std::string_view bytes, StandingOrder& order);
/// Cluster::demand and ending. No bytes: its agent did not tell them.
void encode_work(const Cluster& cluster, std::string& out);
Status decode_work(std::string_view bytes, Cluster& cluster);
void encode_policy_config(const ExportPolicy& policy, std::string& out);
Status decode_policy_config(std::string_view bytes, ExportPolicy& policy);
using HostSlots = std::vector<std::pair<uint32_t, int32_t>>;
void encode_due(const std::vector<HostSlots>& due, std::string& out);
Status decode_due(std::string_view bytes, std::vector<HostSlots>& due);
void encode_wanted(const HostSlots& wanted, std::string& out);
Status decode_wanted(std::string_view bytes, HostSlots& wanted);
void encode_loans(const std::vector<LentSlots>& loans, std::string& out);
Status decode_loans(std::string_view bytes, std::vector<LentSlots>& loans);

}  // namespace leasehold
