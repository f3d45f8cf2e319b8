// PreemptionEnds: what may end for sessions that take slots (preemption.hpp), what of it is chosen,
// and the slots that come free by it. It keeps the rules of who gives and in which order; whose
// waiting work is served, and that it starts, is preemption.cpp's. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "agent/core/preemption/rooms.hpp"
#include "agent/core/reclaim/victims_bundle.hpp"
#include "agent/core/work/scheduling.hpp"
#include "agent/core/work/waiting_shapes.hpp"

namespace leasehold::agent {

struct PreemptionRequest {
  /// Slots of each host that work may use, 0 on a host that starts nothing. A host that is missing
  /// here has as many as are in use there.
  std::map<std::string, int64_t> usable = {};
  /// Positions of units that were ended and are still there: their slots count as free.
  std::vector<size_t> going = {};
  /// Shapes for which nothing ends now (served.hpp).
  std::set<ShapeKey> backing_off = {};
};

class PreemptionEnds {
 public:
  /// The arguments outlive it.
  PreemptionEnds(const PreemptionRequest& request, std::span<const WorkUnit> units,
                 const WorkSessions& sessions, const SchedulingSettings& settings, Instant now);
  PreemptionEnds(const PreemptionEnds&) = delete;

  /// Returns the slots of the hosts as they are when all that is chosen has ended.
  const Rooms& rooms() const { return rooms_; }
  /// Starts at most so many tasks of the unit, which take their slots for good, and returns how
  /// many.
  int64_t start(const WorkUnit& unit, int64_t most) { return rooms_.start(unit, most); }
  bool may_start(const WorkUnit& unit, const std::string& host);
  const std::map<std::string, std::vector<size_t>>& work_on_host() const { return index_.on_host; }

  /// Chooses what ends so that the unit gains `wanted` slots, on this host or (nullptr) on any host
  /// that it may use; fewer where no more work may end.
  void end_for(size_t taker, const WorkUnit& unit, const std::string* host, int64_t wanted);
  /// Returns how many bundles were chosen since take().
  size_t chosen() const { return ended_.size(); }
  /// Drops the bundles from this one on from the choice.
  void undo(size_t from);
  /// Drops those bundles from this one on without which as many tasks start: a larger one that was
  /// chosen later made them superfluous. It drops none for a taker of whole hosts.
  void spare(size_t taker, const WorkUnit& unit, size_t from, int64_t tasks);
  /// The cost of the bundles from this one on: whether work ends for good, the highest rank, and
  /// the sum of the run times; less is better.
  using Cost = std::tuple<bool, int64_t, int64_t>;
  Cost cost(size_t from) const;
  /// Returns the units of all that is chosen, in order; undo() and spare() do not reach them any
  /// more.
  std::vector<size_t> take();

 private:
  /// A part of the host's work that can only end together, with what the taker gains by it.
  struct Offer {
    const Bundle* bundle = nullptr;
    std::vector<size_t> parts;  // positions in bundles()
    int64_t gain = 0;
  };

  const std::vector<Bundle>& bundles() const { return index_.bundles; }
  void fill_rooms();
  void leave_what_goes();
  bool may_take(const WorkSession& taker, const Bundle& bundle) const;
  bool losses_fit(const Bundle& bundle) const;
  std::vector<Offer> offers_to(size_t index, const WorkUnit& unit, const std::string* only);
  int64_t gain_of(const std::string& host, int64_t slots) const;
  std::vector<Offer> single_bundles(const std::string* only) const;
  std::vector<Offer> whole_hosts(const std::string* only);
  size_t giver(const std::vector<Offer>& offers) const;
  bool gives_before(const Bundle& a, const Bundle& b) const;
  int64_t take_of(size_t session, const std::vector<Offer>& offers, int64_t wanted);
  bool still_fits(const Offer& offer) const;
  int64_t end(const Offer& offer);
  void mark(size_t bundle, bool gone);

  const PreemptionRequest& request_;
  std::span<const WorkUnit> units_;
  const WorkSessions& sessions_;
  const SchedulingSettings& settings_;
  TieOrder tie_;
  BundleIndex index_;
  std::deque<Bundle> hosts_;  // whole ones that the last offers point to
  std::vector<bool> gone_;
  std::vector<size_t> ended_;                          // positions in bundles()
  std::map<const void*, std::set<std::string>> fits_;  // by WorkUnit::fits
  std::vector<int64_t> excess_;
  Rooms rooms_;
};

}  // namespace leasehold::agent
