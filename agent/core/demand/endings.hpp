// Endings: when running work is expected to end, from its limits and from how long such work ran
// before, and how wrong that was. What it learns it learns from looks that follow each other; it
// keeps nothing over a start of the agent. Not the end of leases. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "agent/core/demand/shapes.hpp"

namespace leasehold::agent {

class Endings {
 public:
  /// Returns the expectation at this look. Work that ran at the last one and does not any more has
  /// ended.
  wire::Ending look(std::span<const RunningWork> running, Instant now);
  /// The job was ordered to end, or was ended: the length of this run says nothing of how long such
  /// work runs. A job that the last look did not show is ignored.
  void told_to_end(const std::string& job);

 private:
  struct Known {
    Instant started;
    Instant until;
    int64_t expected_ms = -1;  // its length, as expected when it was first seen; -1: unknown
    bool by_order = false;     // an order ends it
    int64_t seen = 0;          // the number of the last look that showed it
  };
  /// A mean in which what came long ago counts for less and less.
  struct Mean {
    int64_t sum = 0;
    int64_t count = 0;
    void add(int64_t value);
    int64_t value() const { return sum / count; }
  };

  int64_t expected_ms(Instant started, Instant until) const;
  wire::TimeClass left_of(const RunningWork& work, Instant now) const;
  void learn(const Known& ended, Instant now);
  void forget_ended(Instant now);

  std::map<std::string, Known> known_;  // jobs that ran at the last look
  int64_t looks_ = 0;
  std::array<Mean, wire::kTimeClasses> lengths_;  // by class of limit
  Mean error_milli_;
};

}  // namespace leasehold::agent
