// Shapes of waiting work and the slots that it may be put on: what the rule demand-aware goes by.
// Not how agents tell of them (common/wire/demand.hpp): here a bucket is already one that the
// group's hosts can serve.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace leasehold::demand_aware {

/// Members of a lease. `kNobody`: neither.
inline constexpr uint8_t kProvider = 0;
inline constexpr uint8_t kConsumer = 1;
inline constexpr uint8_t kNobody = 2;
constexpr uint8_t other(uint8_t member) {
  return static_cast<uint8_t>(1 - member);
}

inline constexpr uint32_t kNoRow = std::numeric_limits<uint32_t>::max();

/// The slots that each job of a bucket needs: at least `slots_per_host` on each of at least `hosts`
/// hosts, `slots` in all. All are at least 1, and slots at least their product. `whole`: it takes
/// all of each of those hosts, whatever their size, and needs each wholly idle.
struct Shape {
  int32_t slots_per_host = 1;
  int32_t hosts = 1;
  int64_t slots = 1;
  bool whole = false;
  bool operator==(const Shape&) const = default;
};

/// Jobs of one shape. `rows`: bit r % 64 of word r / 64 says whether row r of the group will do;
/// empty: each will.
struct Waiting {
  Shape shape;
  int64_t jobs = 0;
  int64_t age_ms = 0;  // of the oldest of them; 0: not known
  std::vector<uint64_t> rows = {};
  int64_t limit_ms = 0;  // none of them runs for longer; 0: not known

  bool may_use(uint32_t row) const { return rows.empty() || ((rows[row / 64] >> (row % 64)) & 1); }
};

/// Sets Waiting::rows to those, of `count` rows, whose host is of one of these types; none are
/// named: leaves it empty. False: there are types, and no row has a host of one.
template <class TypeOf>
bool set_rows(Waiting& waiting, std::span<const std::string> types, size_t count,
              const TypeOf& type_of) {
  if (types.empty()) return true;
  waiting.rows.assign(count / 64 + 1, 0);
  bool any = false;
  for (uint32_t row = 0; row < count; ++row) {
    if (std::find(types.begin(), types.end(), type_of(row)) == types.end()) continue;
    waiting.rows[row / 64] |= uint64_t{1} << (row % 64);
    any = true;
  }
  return any;
}

/// Slots in use whose work is expected to end so long from now, wherever they are.
struct Ending {
  int64_t after_ms = 0;
  int64_t within_ms = 0;  // above after_ms
  int64_t slots = 0;
};

/// Idle slots of one host of the group, by the member that holds them: those that it could give,
/// and those that only it can use (of a host that moves as a whole, beside its work there).
struct IdleRow {
  std::array<int32_t, 2> idle{};
  std::array<int32_t, 2> beside{};
  int32_t in_use = 0;  // lent and not idle, nothing of the row being asked back
  int32_t on_way = 0;  // being taken back from work for the provider
  /// Slots of the host, where the group has all of them: only such a one is ever wholly idle, else
  /// nobody knows what runs on the rest. 0: it has a part, or no work takes hosts whole.
  int32_t size = 0;
  bool whole = false;  // all that is idle of it moves, or nothing
};

/// Slots to move, of one row.
struct RowSlots {
  uint32_t row = 0;
  int32_t slots = 0;
  bool operator==(const RowSlots&) const = default;
};

/// A host on which a member's waiting work is placed, and its slots that are the other's.
struct Place {
  int32_t own = 0;        // idle slots that the member has
  int32_t moved = 0;      // of those: they were the other's, and are to be moved
  int32_t given = 0;      // slots that the other could still give
  int32_t released = 0;   // of those moved: so many were idle
  int32_t size = 0;       // IdleRow::size; of a host outside the group it is not known
  uint32_t row = kNoRow;  // kNoRow: a host outside the group
  bool whole = false;     // IdleRow::whole
};

}  // namespace leasehold::demand_aware
