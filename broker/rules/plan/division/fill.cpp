#include "broker/rules/plan/division/fill.hpp"

#include <algorithm>

namespace leasehold {

std::span<Bowl> Filling::begin(int64_t slots, int64_t parts, size_t bowls) {
  bowls_.assign(bowls, Bowl{});
  open_.clear();
  parts_ = parts;
  over_ = 0;
  over_weight_ = 1;
  rest_ = Wide{slots} * parts;
  return bowls_;
}

/// Those that can still take something, with their rooms.
void Filling::gather(bool weightless) {
  open_.clear();
  for (uint32_t i = 0; i < bowls_.size(); ++i) {
    const Bowl& bowl = bowls_[i];
    if (bowl.cap <= bowl.level || (bowl.weight == 0) != weightless) continue;
    open_.push_back({i, weightless ? 1 : bowl.weight, std::min(bowl.cap - bowl.level, rest_)});
  }
}

void Filling::fill() {
  for (const bool weightless : {false, true}) {
    if (rest_ == 0) return;
    gather(weightless);
    raise();
  }
}

/// Hands out `rest_` among `open_`. All at their caps: open_ is empty after it; else rest_ is 0.
void Filling::raise() {
  Wide rooms = 0;
  for (const Open& open : open_) rooms += open.room;
  const size_t line = rooms <= rest_ ? open_.size() : water_line();
  for (size_t i = 0; i < line; ++i) {
    bowls_[open_[i].bowl].level += open_[i].room;
    rest_ -= open_[i].room;
  }
  open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(line));
  if (open_.empty()) return;
  over_ = rest_;
  over_weight_ = 0;
  for (const Open& open : open_) over_weight_ += open.weight;
  rest_ = 0;
}

/// Orders `open_` so that those below the returned position end at their caps and the others do
/// not. A search by halves, not a sort: linear.
size_t Filling::water_line() {
  const auto room_per_weight = [](const Open& a, const Open& b) {
    return a.room * b.weight < b.room * a.weight;
  };
  size_t first = 0;
  size_t last = open_.size();
  Wide left = rest_;  // after those below `first` are at their caps
  Wide above = 0;     // the weight of those from `last` on
  while (first < last) {
    const size_t middle = first + (last - first) / 2;
    const auto at = [this](size_t i) { return open_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(first), at(middle), at(last), room_per_weight);
    Wide rooms = 0;
    Wide weights = 0;
    for (size_t i = first; i <= middle; ++i) rooms += open_[i].room;
    for (size_t i = middle + 1; i < last; ++i) weights += open_[i].weight;
    const Open& pivot = open_[middle];
    if ((left - rooms) * pivot.weight >= pivot.room * (above + weights)) {
      left -= rooms;
      first = middle + 1;
    } else {
      above += weights + pivot.weight;
      last = middle;
    }
  }
  return first;
}

/// The whole slots in its level and what it has above it by weight; whether there is a fraction.
int64_t Filling::whole(const Bowl& bowl, Wide weight, bool& fraction) const {
  const Wide numerator = bowl.level * over_weight_ + weight * over_;
  const Wide denominator = over_weight_ * parts_;
  if (std::max(numerator, denominator) <= INT64_MAX) {  // a fast division
    const auto n = static_cast<int64_t>(numerator);
    const auto d = static_cast<int64_t>(denominator);
    fraction = n % d != 0;
    return n / d;
  }
  fraction = numerator % denominator != 0;
  return static_cast<int64_t>(numerator / denominator);
}

void Filling::round() {
  rounds_up_.resize(bowls_.size());
  Wide parts = over_;
  for (size_t i = 0; i < bowls_.size(); ++i) {
    Bowl& bowl = bowls_[i];
    bowl.slots = static_cast<int64_t>(bowl.level / parts_);
    rounds_up_[i] = bowl.level % parts_ != 0;
    parts += bowl.level;
  }
  for (const Open& open : open_) {
    bool fraction = false;
    bowls_[open.bowl].slots = whole(bowls_[open.bowl], open.weight, fraction);
    rounds_up_[open.bowl] = fraction;
  }
  Wide remain = parts / parts_;
  for (const Bowl& bowl : bowls_) remain -= bowl.slots;
  for (size_t i = 0; remain > 0; ++i) {
    if (!rounds_up_[i]) continue;
    ++bowls_[i].slots;
    --remain;
  }
}

}  // namespace leasehold
