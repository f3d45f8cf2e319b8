// Spans: what the classes of time that agents report mean in each outlook of a forecast. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "common/wire/demand.hpp"

namespace leasehold::forecasting {

/// Unknown times are taken as early, as likely, or as late as the report allows.
enum class Outlook : uint8_t { early = 0, likely = 1, late = 2 };
inline constexpr size_t kOutlooks = 3;

/// Times are milliseconds from now; kNotAtAll: nothing says that it happens.
inline constexpr int64_t kNotAtAll = std::numeric_limits<int64_t>::max() / 4;

/// The time left to work of a class: above `from`, up to `to`.
struct Span {
  int64_t from = 0;
  int64_t to = 0;
};

/// The error of a cluster's reports of ends, and the time that its work usually has left.
struct EndsKnown {
  int64_t error_milli = 0;
  int64_t typical_ms = kNotAtAll;  // of work without a limit
};

/// Returns when work of the class ends.
Span span_left(wire::TimeClass left, const EndsKnown& known, Outlook outlook);

/// Returns the average time left to work that reports one; kNotAtAll: none does.
int64_t mean_left(const wire::Ending& ending);

/// Returns how long work with such a limit runs; kNotAtAll: for ever.
int64_t length_of(wire::TimeClass limit, int64_t typical_ms, Outlook outlook);

}  // namespace leasehold::forecasting
