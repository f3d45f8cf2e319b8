// The bytes of an event in the history: msgpack, an array [version, kind, fields…]. This is not the
// wire codec: the bytes never leave the database. Decoding accepts any bytes and returns an event
// or an Error. A new field is added at the end of its struct and raises the version.
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

/// Checks what the core relies on in plans: every variant of a group has the same tree, parents and
/// lists name existing consumers, and windows name existing variants. Decoding refuses events that
/// fail this.
bool plans_hold_together(const BrokerConfig& config, const ResolvedWindows& windows);

/// Returns the kind of the event's row in the history: "input-hello".
const char* input_token(const Event& event);
/// Returns the operator, or the loader of a configuration; "" for every other event.
std::string_view by_whom(const Event& event);
/// Returns the cluster that the event is about; "" if there is none.
std::string_view cluster_of(const Event& event);

}  // namespace leasehold
