// Course: how many slots each cluster held and used over a simulated run, as means over equal
// stretches of time, for its picture (picture.hpp). No figure of the answer comes from it.
//
// A run's length is not known before its end. The stretches begin short, and whenever there would
// be too many of them, pairs are merged, so that a run of any length takes the same room.
#pragma once

#include <cstdint>
#include <vector>

#include "common/time/instant.hpp"

namespace leasehold {

/// The slots that a side may run on, and those of them that jobs use. Slots in transfer are
/// nobody's.
struct SideSlots {
  int64_t held = 0;
  int64_t used = 0;
};

class Course {
 public:
  /// More stretches than this are merged in pairs.
  static constexpr size_t kStretchesMax = 480;

  /// Nothing is held before `from`.
  Course(size_t clusters, Instant from);

  /// From `now` on `cluster` has these slots; `now` never goes back for one cluster.
  void at(uint32_t cluster, Instant now, SideSlots slots);
  /// The last slots of each cluster lasted until `end`.
  void finish(Instant end);

  Instant from() const { return from_; }
  int64_t stretch_ms() const { return stretch_ms_; }
  size_t stretches() const;
  /// Merges the stretches in pairs.
  void coarsen();
  /// Return the means of stretch `index`; 0 where nothing was counted.
  double held(uint32_t cluster, size_t index) const;
  double used(uint32_t cluster, size_t index) const;

 private:
  __extension__ using SlotMs = __int128;
  struct Sums {
    SlotMs held = 0;
    SlotMs used = 0;
  };
  struct Side {
    Instant counted_to;
    SideSlots now;
    std::vector<Sums> sums;  // by stretch
  };
  void count(Side& side, Instant until);
  double mean(SlotMs sum) const;

  Instant from_;
  int64_t stretch_ms_ = 1000;
  std::vector<Side> sides_;  // by cluster
};

/// Gives courses that began at one instant the same length of stretch: the longest.
void align(std::vector<Course*> courses);

}  // namespace leasehold
