// The bytes of an event in the history: msgpack, an array [version, kind, fields…].
// Not the wire codec: these bytes never leave the database. Reading is total: any bytes give an
// event or an Error. A new field is added at the end of its struct and raises the version.
#pragma once

#include <string>
#include <string_view>

#include "broker/core/model/event.hpp"
#include "common/result.hpp"

namespace leasehold {

inline constexpr int kEventVersion = 1;

/// Appends the bytes of `event` to `out`.
void encode_event(const Event& event, std::string& out);
Result<Event> decode_event(std::string_view bytes);

/// What the core trusts of plans: every variant of a group has the same tree, parents and lists
/// name consumers that are there, and windows variants. Decoding of events refuses what has not.
bool plans_hold_together(const BrokerConfig& config, const ResolvedWindows& windows);

/// The kind of the event's row in the history: "input-hello".
const char* input_token(const Event& event);
/// The operator, or what loaded a configuration; "" for everything else.
std::string_view by_whom(const Event& event);
/// The cluster that the event is of; "" if none.
std::string_view cluster_of(const Event& event);

}  // namespace leasehold
