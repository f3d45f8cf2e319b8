// Leadership: which of several brokers on one database may be followed
// (schema/wire/PROTOCOL.md, "Handshake"; rule 12 of broker/store/postgres/README.md). Which broker
// is asked next is decided in agent/io/broker/broker_turns.hpp; agent/io/state/state_file.hpp keeps
// the highest leadership.
#pragma once

#include <cstdint>
#include <optional>

namespace leasehold::agent {

/// Epoch 0 means a broker that has its database to itself; it draws an incarnation at each start.
struct Leadership {
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  bool operator==(const Leadership&) const = default;
};

/// Returns the leadership that a message states; an absent number counts as 0.
Leadership leadership_of(std::optional<uint64_t> epoch, std::optional<uint64_t> incarnation);

/// True if an agent that has seen `seen` may greet a broker that claims `claimed`: the claim is
/// higher, or is the same one, or neither has an epoch.
bool may_follow(const Leadership& seen, const Leadership& claimed);

/// Returns what the agent has seen after it greeted `followed`. A broker without an epoch leaves no
/// trace.
Leadership highest(const Leadership& seen, const Leadership& followed);

/// True if a message that states these numbers comes from the leadership that was greeted.
bool is_of(const Leadership& followed, std::optional<uint64_t> epoch,
           std::optional<uint64_t> incarnation);

}  // namespace leasehold::agent
