// The memory of the rule demand-aware about one lease, from evaluation to evaluation. It is
// durable. The rule makes the next one from the last (decide.hpp); only the functions below change
// it besides.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "broker/rules/demand_aware/shapes.hpp"
#include "common/time/instant.hpp"

namespace leasehold::demand_aware {

/// A shape that a member was given slots for and did not use: not again before `until`.
struct BackOff {
  uint8_t member = kNobody;
  Shape shape;
  Instant until{INT64_MIN};
  int32_t times = 0;  // in a row
  bool operator==(const BackOff&) const = default;
};
inline constexpr size_t kBackOffsMost = 16;  // of a lease; the one that ends soonest makes room

/// Slots that were moved for work that waited, until it is seen that it runs there.
struct Grant {
  uint8_t to = kNobody;
  int32_t slots = 0;
  int32_t unused = 0;  // the fewest that were idle there since
  Instant at{INT64_MIN};
  std::vector<Shape> shapes;  // that they were moved for
  bool operator==(const Grant&) const = default;
};
inline constexpr size_t kEarlierMost = 8;  // of a lease; then the oldest ends before its time

/// Idle slots are kept for a job that is too wide for those that are idle now.
struct Gathering {
  uint8_t member = kNobody;
  Shape shape;
  Instant until{INT64_MIN};
  bool operator==(const Gathering&) const = default;
};

/// Remembers how long moves take, and who waits for work of its own to end instead of one.
struct Pace {
  int64_t move_ms = 0;        // lately, until the slots were there; 0: none has come as yet
  Instant moving{INT64_MIN};  // since when one is on its way that is timed
  /// Each member waits until then, and not again for a delay after that.
  std::array<Instant, 2> until{Instant{INT64_MIN}, Instant{INT64_MIN}};
  bool operator==(const Pace&) const = default;
  bool empty() const { return *this == Pace{}; }
};

/// Work of the provider that has all it lacked (owner_unit.hpp), until it is seen to start there.
struct OwnerTrial {
  std::optional<Instant> since;    // it has had that; no value: it has not
  std::vector<BackOff> back_offs;  // shapes that did not start: nothing comes back for them
  bool operator==(const OwnerTrial&) const = default;
  bool empty() const { return *this == OwnerTrial{}; }
};

/// Counts what members were given in vain since they last used something of it.
struct InVain {
  /// The last move to each brought less than was given: whoever else could serve the same work does
  /// not wait to see it used (broker/core/model/queries/being_served.hpp).
  std::array<bool, 2> failed{};
  int32_t shapes = 0;        // of the consumer: new ones in a row that left slots unused
  Instant until{INT64_MIN};  // none of the consumer's work is given anything before
  bool operator==(const InVain&) const = default;
  bool empty() const { return *this == InVain{}; }
};

struct Ledger {
  Instant evaluated_at{INT64_MIN};
  Instant moved_at{INT64_MIN};             // slots were last moved by this rule
  std::array<int64_t, 2> wanted{};         // slots that waited at the last evaluation
  std::array<int64_t, 2> waited_slot_s{};  // unmet demand, of the last hour or so
  /// Idle slots host by host outside of all leases, as each member's agent said last. The
  /// caller keeps it, not the rule.
  std::array<std::vector<int32_t>, 2> elsewhere;
  Grant grant;
  Gathering gathering;
  std::vector<BackOff> back_offs;
  /// The group is evaluated then, beside its grid, because a report showed a taker. The caller
  /// keeps it, not the rule.
  Instant react_at = kNever;
  Pace pace;
  /// Slots that grants left unused with the consumer, that have to go back, and for which no move
  /// is under way: their host was down when their time was over, or the move failed.
  int32_t left_unused = 0;
  /// Grants of the consumer that a later grant has replaced, and whose time is not over yet. The
  /// oldest stands first.
  std::vector<Grant> earlier;
  /// The shape of the provider's work for which slots come back as the work on them ends
  /// (owner_unit.hpp). The caller keeps it.
  std::optional<Shape> owner = std::nullopt;
  /// Idle slots of the provider on hosts of which a part is exported, by host. The caller
  /// keeps them.
  std::vector<std::pair<uint32_t, int32_t>> beside;
  OwnerTrial owner_trial;  // of work of `owner`'s shape; the caller keeps it
  InVain in_vain;
  bool operator==(const Ledger&) const = default;
};

/// True if slots were given for waiting work of which it is not known yet whether it uses them.
inline bool any_granted(const Ledger& ledger) {
  return ledger.grant.to != kNobody || !ledger.earlier.empty();
}

inline bool gathers(const Ledger& ledger) {
  return ledger.gathering.member != kNobody;
}

/// True if slots are gathered for work of one of these shapes.
inline bool is_gathered(const Ledger& ledger, const std::vector<Shape>& shapes) {
  return gathers(ledger) && std::count(shapes.begin(), shapes.end(), ledger.gathering.shape) > 0;
}

/// `idle`: slots of the group that the member may have idle, as it just stated them. What it used
/// at any time counts as used. Of several grants the oldest is taken to be used first.
inline void noted_use(Ledger& ledger, uint8_t member, int64_t idle) {
  const auto at_most = [&idle](int32_t& slots) {
    slots = static_cast<int32_t>(std::min<int64_t>(slots, idle));
    idle -= slots;
  };
  if (ledger.grant.to == member) at_most(ledger.grant.unused);
  if (member != kConsumer) return;
  for (auto one = ledger.earlier.rbegin(); one != ledger.earlier.rend(); ++one) {
    at_most(one->unused);
  }
  at_most(ledger.left_unused);
}

/// A move that was to bring back what was left unused has ended without so many of its slots, which
/// have to be asked for again. `idle`: slots that the consumer may have idle.
inline void noted_kept(Ledger& ledger, int32_t slots, int64_t idle) {
  ledger.left_unused = static_cast<int32_t>(std::min(int64_t{ledger.left_unused} + slots, idle));
}

/// Notes that slots on their way to the member did not come, but for those that `came`. Whether
/// they would have been used is not known: no work waits because some lie idle, and those that came
/// have to go back.
inline void noted_failure(Ledger& ledger, size_t member, int32_t came = 0) {
  if (ledger.grant.to != member) return;
  const bool all = came >= ledger.grant.slots;
  ledger.in_vain.failed[member] = !all;
  if (came > 0) {
    if (!all) ledger.grant.shapes.clear();
    ledger.grant.slots = came;
    ledger.grant.unused = std::min(ledger.grant.unused, came);
    return;
  }
  ledger.grant = {};
  ledger.pace.moving = Instant{INT64_MIN};
}

/// Notes that the last move is there. The estimate for the next one is the mean of its duration and
/// the estimate before, so that later moves count more.
inline void noted_arrival(Ledger& ledger, Instant now) {
  Pace& pace = ledger.pace;
  if (pace.moving.ms == INT64_MIN) return;
  const int64_t took_ms = now > pace.moving ? now - pace.moving : 0;
  pace.move_ms = pace.move_ms == 0 ? took_ms : (pace.move_ms + took_ms) / 2;
  pace.moving = Instant{INT64_MIN};
}

}  // namespace leasehold::demand_aware
