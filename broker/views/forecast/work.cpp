#include "broker/views/forecast/work.hpp"

#include <algorithm>

namespace leasehold::forecasting {

namespace {

using wire::TimeClass;

constexpr int64_t kHourMs = 3'600'000;
/// The ends of one class are spread over at most so many instants.
constexpr int64_t kPoints = 8;
/// Slots of one cluster are counted up to this, so that no product overflows.
constexpr int64_t kSlotsCounted = 1'000'000'000;
/// Errors above this carry no information.
constexpr int64_t kErrorMost = 900;

/// The time left to work of a class: above `from`, up to `to`.
struct Span {
  int64_t from = 0;
  int64_t to = 0;
};

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

/// Returns the average time left to work that reports one; kNotAtAll: none does.
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

}  // namespace

Work::Work(const Cluster& cluster, int64_t held, int64_t used, Outlook outlook)
    : outlook_(outlook), held_(held), used_(used) {
  if (cluster.ending) {
    error_milli_ = std::clamp<int64_t>(cluster.ending->error_milli, 0, kErrorMost);
    typical_ms_ = mean_left(*cluster.ending);
    add_running(*cluster.ending);
  } else {
    add_class(TimeClass::unknown, used, 0);
  }
  add_waiting(cluster);
}

/// The report covers all of the cluster's work, so the same share of each class is taken to run on
/// these slots.
void Work::add_running(const wire::Ending& ending) {
  int64_t all = 0;
  for (const wire::EndingSlots& row : ending.slots) all += row.slots;
  const int64_t here = std::min({used_, all, kSlotsCounted});
  int64_t reported = 0;
  int64_t placed = 0;
  for (const wire::EndingSlots& row : ending.slots) {
    reported += row.slots;
    const int64_t so_far = all == 0 ? 0 : reported * here / all;
    add_class(row.left, so_far - placed, row.slots - (so_far - placed));
    placed = so_far;
  }
  add_class(TimeClass::unknown, used_ - placed, 0);
}

void Work::add_class(TimeClass left, int64_t slots, int64_t own) {
  if (slots + own <= 0) return;
  Span span{kNotAtAll, kNotAtAll};
  if (has_end(left)) {
    span = within(span_of(left), error_milli_, outlook_);
  } else if (left == TimeClass::longer) {
    span = longest(span_of(left).from, outlook_);
  } else if (outlook_ == Outlook::early) {
    span = {0, std::min(typical_ms_, kHourMs)};
  } else if (outlook_ == Outlook::likely && typical_ms_ < kNotAtAll) {
    span = {0, 2 * typical_ms_};
  }
  if (span.to >= kNotAtAll) return;
  const int64_t points = std::min(kPoints, std::max(slots, own));
  const auto part = [points](int64_t of, int64_t point) {
    return of * (point + 1) / points - of * point / points;
  };
  for (int64_t p = 0; p < points; ++p) {
    const int64_t at_ms = span.from + (span.to - span.from) * (2 * p + 1) / (2 * points);
    ends_.push({at_ms, part(slots, p), part(own, p)});
  }
}

/// The earliest outlook assumes that waiting work is gone, or fits elsewhere.
void Work::add_waiting(const Cluster& cluster) {
  if (outlook_ == Outlook::early) return;
  const auto length = [this](TimeClass limit) { return length_of(limit, typical_ms_, outlook_); };
  if (!cluster.demand) {
    if (cluster.pending > 0) waiting_.push_back({1, cluster.pending, length(TimeClass::unknown)});
    return;
  }
  for (const wire::DemandBucket& bucket : *cluster.demand) {
    if (bucket.jobs <= 0 || bucket.slots <= 0) continue;
    const int64_t width = std::max<int64_t>(1, bucket.slots / bucket.jobs);
    waiting_.push_back({width, bucket.jobs, length(bucket.limit)});
  }
}

int64_t Work::waiting() const {
  int64_t sum = 0;
  for (const Waiting& row : waiting_) sum += row.width * row.jobs;
  return sum;
}

void Work::advance(int64_t now_ms) {
  for (; !ends_.empty() && ends_.top().at_ms <= now_ms; ends_.pop()) {
    const int64_t gone = std::min(stopped_, ends_.top().slots);
    const int64_t left = std::min(used_, ends_.top().slots - gone);
    stopped_ -= gone;
    used_ -= left;
    ended_ += left;
    own_idle_ += ends_.top().own;
  }
}

void Work::start(int64_t now_ms) {
  for (Waiting& row : waiting_) {
    const int64_t jobs = std::min(row.jobs, (own_idle_ + idle()) / row.width);
    if (jobs == 0) continue;
    const int64_t own = std::min(own_idle_, jobs * row.width);
    const int64_t here = jobs * row.width - own;
    own_idle_ -= own;
    used_ += here;
    taken_ += here;
    row.jobs -= jobs;
    if (row.length_ms < kNotAtAll) ends_.push({now_ms + row.length_ms, here, own});
  }
}

void Work::overtake() {
  const int64_t slots = std::clamp<int64_t>(ended_ / 2 - overtaken_, 0, idle());
  used_ += slots;
  taken_ += slots;
  overtaken_ += slots;
}

void Work::stop(int64_t slots) {
  const int64_t stopped = std::min(slots, used_);
  used_ -= stopped;
  ended_ += stopped;
  stopped_ += stopped;
}

}  // namespace leasehold::forecasting
