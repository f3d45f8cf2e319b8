// SiteMeter: adds up what a site's slots did while time passed, over states that follow each other:
// those that a history recorded, and those that a what-if computes. It treats both alike, so that
// they can be compared.
//
// idle_while_waited of a slot group counts, for a lease, each side's idle slots as far as the other
// side waits; for a plan, what is idle or unallocated as far as any member waits. A cluster that
// waits counts at each of its slot groups; `unmet` counts it once.
#pragma once

#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/lab/what_if/outcome.hpp"

namespace leasehold {

class SiteMeter {
 public:
  /// Adds up over [from, to), and its course in `stretches` parts.
  SiteMeter(Instant from, Instant to, size_t stretches);

  void began(State& state);
  /// The state became this one at `at`: slot groups marked as changed are looked at, and their
  /// marks cleared. Time never goes back: an earlier `at` counts as the last one.
  void changed(State& state, Instant at);
  /// The cluster wants that many slots more than it has.
  void waits(const State& state, uint32_t cluster, int64_t slots, Instant at);
  /// Slots of a slot group moved, or began to. Of a lease its flips count, of a plan's group what
  /// it hands out; the others are left out.
  void moved(const State& state, uint32_t group, int64_t slots, bool flip, Instant at);
  /// An evaluation of a plan gave or took slots.
  void plan_flip(const State& state, uint32_t plan, Instant at);

  SiteOutcome outcome(const State& state);

 private:
  struct Group {
    uint32_t name = kNoIndex;  // in names_
    bool planned = false;
    Instant counted_to;
    std::array<int64_t, kQuantities> slots{};
    std::array<int64_t, 2> idle{};  // provider, consumer; for a plan all, and nothing
  };

  void pass(Instant at);
  void count(Group& group);
  void look_at(const State& state, uint32_t index);
  void look_at_waiting(const State& state, Group& group, uint32_t index);
  int64_t waiting(const SlotGroup& group) const;
  uint32_t place_of(const std::string& name);
  Group& at(const State& state, uint32_t index);
  bool counts(Instant at) const { return at >= from_ && at <= to_; }

  Instant from_;
  Instant to_;
  Instant now_;
  int64_t stretch_ms_;
  std::vector<Group> groups_;     // by slot group
  std::vector<int64_t> waiting_;  // by cluster
  std::vector<SlotMs> unmet_;     // by cluster
  std::vector<Instant> waited_to_;
  std::array<int64_t, kQuantities> slots_{};  // of all groups
  std::vector<std::string> names_;
  std::vector<LeaseOutcome> outcomes_;  // parallel to names_
  std::map<std::string, uint32_t> name_at_;
  SiteOutcome total_;
};

}  // namespace leasehold
