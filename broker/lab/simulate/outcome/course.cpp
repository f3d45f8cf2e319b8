#include "broker/lab/simulate/outcome/course.hpp"

#include <algorithm>

namespace leasehold {

Course::Course(size_t clusters, Instant from) : from_(from), sides_(clusters) {
  for (Side& side : sides_) side.counted_to = from;
}

void Course::at(uint32_t cluster, Instant now, SideSlots slots) {
  Side& side = sides_[cluster];
  count(side, now);
  side.now = slots;
}

void Course::finish(Instant end) {
  for (Side& side : sides_) count(side, end);
}

void Course::count(Side& side, Instant until) {
  while (until - from_ > stretch_ms_ * static_cast<int64_t>(kStretchesMax)) coarsen();
  while (side.counted_to < until) {
    const int64_t index = (side.counted_to - from_) / stretch_ms_;
    const Instant end = std::min(until, from_ + (index + 1) * stretch_ms_);
    if (side.sums.size() <= static_cast<size_t>(index)) {
      side.sums.resize(static_cast<size_t>(index) + 1);
    }
    Sums& sums = side.sums[static_cast<size_t>(index)];
    sums.held += static_cast<SlotMs>(side.now.held) * (end - side.counted_to);
    sums.used += static_cast<SlotMs>(side.now.used) * (end - side.counted_to);
    side.counted_to = end;
  }
}

void Course::coarsen() {
  stretch_ms_ *= 2;
  for (Side& side : sides_) {
    std::vector<Sums> halved((side.sums.size() + 1) / 2);
    for (size_t i = 0; i < side.sums.size(); ++i) {
      halved[i / 2].held += side.sums[i].held;
      halved[i / 2].used += side.sums[i].used;
    }
    side.sums = std::move(halved);
  }
}

size_t Course::stretches() const {
  size_t most = 0;
  for (const Side& side : sides_) most = std::max(most, side.sums.size());
  return most;
}

/// The last stretch of a run may be cut short: its slots are spread over the whole stretch.
double Course::mean(SlotMs sum) const {
  return static_cast<double>(sum) / static_cast<double>(stretch_ms_);
}

double Course::held(uint32_t cluster, size_t index) const {
  const std::vector<Sums>& sums = sides_[cluster].sums;
  return index < sums.size() ? mean(sums[index].held) : 0;
}

double Course::used(uint32_t cluster, size_t index) const {
  const std::vector<Sums>& sums = sides_[cluster].sums;
  return index < sums.size() ? mean(sums[index].used) : 0;
}

void align(std::vector<Course*> courses) {
  int64_t longest = 0;
  for (const Course* course : courses) longest = std::max(longest, course->stretch_ms());
  for (Course* course : courses) {
    while (course->stretch_ms() < longest) course->coarsen();
  }
}

}  // namespace leasehold
