// Leadership: which of several brokers on one database may be followed
// (schema/wire/PROTOCOL.md, "Handshake"; rule 12 of the design). Not who is asked next
// (agent/io/line.hpp), nor where the highest is kept (agent/io/state_file.hpp).
#pragma once

#include <cstdint>
#include <optional>

namespace leasehold::agent {

/// Epoch 0: a broker that has its database to itself, and draws an incarnation at each start.
struct Leadership {
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  bool operator==(const Leadership&) const = default;
};

/// As a message says it; what is absent counts as 0.
Leadership leadership_of(std::optional<uint64_t> epoch, std::optional<uint64_t> incarnation);

/// Who has seen `seen` may greet a broker that says `claimed`: it is higher, or the same one, or
/// neither has an epoch.
bool may_follow(const Leadership& seen, const Leadership& claimed);

/// What has been seen once `followed` was greeted. Nothing is kept of a broker without an epoch.
Leadership highest(const Leadership& seen, const Leadership& followed);

/// A message that says this is of the leadership that was greeted.
bool is_of(const Leadership& followed, std::optional<uint64_t> epoch,
           std::optional<uint64_t> incarnation);

}  // namespace leasehold::agent
