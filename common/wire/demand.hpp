// The shape of a cluster's work as its agent reports it: waiting work by shape, running work by its
// expected end. These are counts: no broker knows which job belongs to whom. schema/wire/README.md,
// "demand and ending", says what the numbers mean; nothing here decides anything.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "common/tokens.hpp"

namespace leasehold::wire {

/// Coarse lengths of time: limits of jobs, and what is left of them. Each class includes its own
/// length (kClassMs).
enum class TimeClass : uint8_t {
  minute_1 = 0,
  minutes_5 = 1,
  minutes_15 = 2,
  hour_1 = 3,
  hours_4 = 4,
  day_1 = 5,
  longer = 6,
  unknown = 7,  // nobody set a limit, or the workload manager does not report it
};
constexpr auto tokens_of(TimeClass) {
  using enum TimeClass;
  return tokens<TimeClass>({{minute_1, "1m"},
                            {minutes_5, "5m"},
                            {minutes_15, "15m"},
                            {hour_1, "1h"},
                            {hours_4, "4h"},
                            {day_1, "1d"},
                            {longer, "longer"},
                            {unknown, "unknown"}});
}
inline constexpr size_t kTimeClasses = kTokensOf<TimeClass>.size();

/// The lengths of the classes that have one.
inline constexpr int64_t kClassMs[] = {60'000, 300'000, 900'000, 3'600'000, 14'400'000, 86'400'000};

constexpr TimeClass time_class(int64_t length_ms) {
  size_t found = 0;
  while (found < std::size(kClassMs) && length_ms > kClassMs[found]) ++found;
  return static_cast<TimeClass>(found);
}

/// Waiting jobs of one shape. Each wants slots / jobs slots in all: at least `slots_per_host` on
/// each of at least `hosts` hosts. With `whole` it takes all slots of each of those hosts and
/// shares them with no other job. The last bucket of a full demand may sum up others.
struct DemandBucket {
  int32_t slots_per_host = 1;
  int32_t hosts = 1;
  TimeClass limit = TimeClass::unknown;
  int64_t oldest_ms = 0;  // when the oldest was submitted, since 1970, to 10 s; 0: unknown
  int64_t jobs = 0;
  int64_t slots = 0;
  // suitable HostFacts::type values; {}: any, or not known
  std::vector<std::string> host_types = {};
  bool whole = false;
  bool operator==(const DemandBucket&) const = default;
};
using Demand = std::vector<DemandBucket>;

inline constexpr size_t kDemandBucketsMax = 16;
inline constexpr size_t kHostTypesMax = 4;  // in a bucket
inline constexpr size_t kHostTypeBytesMax = 64;
inline constexpr int64_t kOldestStepMs = 10'000;

/// Slots whose work is expected to end within the class.
struct EndingSlots {
  TimeClass left = TimeClass::unknown;
  int64_t slots = 0;
  bool operator==(const EndingSlots&) const = default;
};

struct Ending {
  // each class at most one time, in order; one without slots is left out
  std::vector<EndingSlots> slots;
  /// The error of past expectations: the mean of |expected - true length|, in thousandths of the
  /// longer of the two. -1: no work has ended yet.
  int32_t error_milli = -1;
  /// The longest time limit of work that runs, or could start, on hosts of other clusters (where
  /// that is not known: of all work), rounded up to a class, above a day to whole days. 0: there is
  /// none; kNoTimeLimit: some of it has none; nullopt: not reported.
  std::optional<int64_t> longest_limit_ms = std::nullopt;
  bool operator==(const Ending&) const = default;
};

}  // namespace leasehold::wire
