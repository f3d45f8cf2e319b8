#include "broker/views/forecast/spans.hpp"

#include <algorithm>
#include <iterator>

namespace leasehold::forecasting {

namespace {

using wire::TimeClass;

constexpr int64_t kHourMs = 3'600'000;

Span span_of(TimeClass left) {
  const auto at = static_cast<size_t>(left);
  if (at >= std::size(wire::kClassMs)) return {wire::kClassMs[std::size(wire::kClassMs) - 1], 0};
  return {at == 0 ? 0 : wire::kClassMs[at - 1], wire::kClassMs[at]};
}

bool has_end(TimeClass left) {
  return static_cast<size_t>(left) < std::size(wire::kClassMs);
}

/// Returns the span of work that is known to take longer than all classes.
Span longest(int64_t from, Outlook outlook) {
  switch (outlook) {
    case Outlook::early:
      return {from, 2 * from};
    case Outlook::likely:
      return {from, 6 * from};
    case Outlook::late:
      break;
  }
  return {kNotAtAll, kNotAtAll};
}

/// Narrows or widens a span by the reported error: the end may come sooner, or later, by that part
/// of the length.
Span within(Span known, int64_t error_milli, Outlook outlook) {
  const int64_t quarter = (known.to - known.from) / 4;
  switch (outlook) {
    case Outlook::early:
      return {known.from * (1000 - error_milli) / 1000, known.from + quarter};
    case Outlook::late:
      return {known.to - quarter, known.to * 1000 / (1000 - error_milli)};
    case Outlook::likely:
      break;
  }
  return known;
}

}  // namespace

Span span_left(TimeClass left, const EndsKnown& known, Outlook outlook) {
  if (has_end(left)) return within(span_of(left), known.error_milli, outlook);
  if (left == TimeClass::longer) return longest(span_of(left).from, outlook);
  if (outlook == Outlook::early) return {0, std::min(known.typical_ms, kHourMs)};
  if (outlook == Outlook::late || known.typical_ms >= kNotAtAll) return {kNotAtAll, kNotAtAll};
  return {0, 2 * known.typical_ms};
}

int64_t mean_left(const wire::Ending& ending) {
  int64_t slots = 0;
  int64_t sum = 0;
  for (const wire::EndingSlots& row : ending.slots) {
    if (!has_end(row.left)) continue;
    const Span span = span_of(row.left);
    // Keeps products from overflowing.
    const int64_t counted = std::min<int64_t>(row.slots, 1'000'000);
    slots += counted;
    sum += counted * ((span.from + span.to) / 2);
  }
  return slots == 0 ? kNotAtAll : sum / slots;
}

int64_t length_of(TimeClass limit, int64_t typical_ms, Outlook outlook) {
  if (!has_end(limit)) return outlook == Outlook::late ? kNotAtAll : typical_ms;
  const Span span = span_of(limit);
  return outlook == Outlook::late ? span.to : (span.from + span.to) / 2;
}

}  // namespace leasehold::forecasting
