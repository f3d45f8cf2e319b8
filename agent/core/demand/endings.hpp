// Endings: when running work is expected to end, from its limits and from how long such work ran
// before, and how wrong that was. It learns from consecutive looks, and starts without knowledge
// when the agent starts. It has nothing to do with the end of leases. Pure.
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
  /// Returns the expectation at this look. Work that the last look showed and this one does not has
  /// ended.
  wire::Ending look(std::span<const RunningWork> running, Instant now);
  /// Notes that the job was warned that it must end, or that its end was ordered: the length of
  /// this run then says nothing of how long such work runs. A job that the last look did not show
  /// is ignored.
  void note_ordered_end(const std::string& job);

 private:
  struct Known {
    Instant started;
    Instant until;
    int64_t expected_ms = -1;  // its length, as expected when it was first seen; -1: unknown
    bool by_order = false;     // it was warned that it must end, or ordered to
    int64_t seen = 0;          // the number of the last look that showed it
  };
  /// A mean in which older values count for less and less.
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
