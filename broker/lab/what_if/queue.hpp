// EstimatedQueue: the work that waits at an estimated cluster, by shape: what waited as recorded,
// without what was started here sooner, and with what was started then and not here. The caller
// gives it the free slots; the slots in use are known to the cluster (cluster.hpp).
//
// It assumes that jobs of one shape are alike: those that leave a bucket are first the ones that
// run here already. Work that came and started between two reports was in no bucket: the cluster
// takes it for single slots.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "broker/rules/demand_aware/shapes.hpp"
#include "common/wire/demand.hpp"

namespace leasehold {

class EstimatedQueue {
 public:
  /// The free slots of one host, and its type.
  struct Free {
    int32_t slots = 0;
    std::string type;
    int32_t size = 0;  // of the host, where its group has all of it; else 0
  };
  // By position in the list of free hosts; a position may occur twice.
  using Starts = std::vector<demand_aware::RowSlots>;

  /// Sets the slots that a job which takes whole hosts is assumed to have of each, until it starts.
  void whole_host(int32_t slots) { whole_host_ = slots; }
  /// Takes the waiting work of a report.
  void waited(const wire::Demand& demand);
  /// Takes the slots idle outside of all slot groups, host by host; {} where they were not
  /// reported.
  void idle_elsewhere(std::vector<int32_t> idle_slots);
  /// `slots` more than run here should run: that much of what left a bucket since the last call was
  /// started then and is late here. Returns the rest.
  int64_t be_late(int64_t slots);
  /// Drops that many slots' worth of late work, which is no longer wanted.
  void drop_late(int64_t slots);
  /// Starts whole jobs where they fit: late ones first, then in the order of the buckets.
  Starts start(std::vector<Free> free);

  /// That many single slots find no place here and run outside, as far as slots are idle there.
  void send_away(int64_t slots);
  /// That many slots' worth of away() has ended.
  void end_away(int64_t slots) { away_ -= std::min(away_, slots); }
  /// Returns the slots of work that runs outside of all slot groups here, and inside of them in the
  /// record.
  int64_t away() const { return away_; }

  /// Returns the slots that wait, late ones among them.
  int64_t waiting() const { return waits(recorded_) + late(); }
  int64_t late() const { return waits(late_); }
  /// Returns the slots of slot groups that are used here by work which waited as recorded.
  int64_t early() const;

  /// Return what an agent would report: demand with `singles` single slots, and idle slots outside.
  wire::Demand demand(int64_t singles) const;
  std::vector<int32_t> elsewhere() const;

 private:
  /// Waiting jobs of one shape.
  struct Jobs {
    wire::DemandBucket of;  // `jobs`: as recorded, or late ones
    int64_t width = 1;      // slots that each job has where it runs
    int64_t wants = 1;  // the least that each wants: fewer than `width` where it takes whole hosts
    int64_t early = 0;  // jobs of them that were started here sooner
    int64_t outside = 0;  // slots of those on hosts outside of all slot groups

    int64_t waits() const { return of.jobs - early; }
    bool alike(const Jobs& other) const;
    demand_aware::Waiting waiting(std::span<const Free> free) const;
  };

  void leave(Jobs& before, std::vector<Jobs>& now);
  void narrow(Jobs& jobs, int64_t width) const;
  void add_late(const Jobs& jobs, int64_t count, int64_t width);
  static void put(std::vector<Jobs>& all, std::span<Free> free, std::span<const int32_t> idle,
                  Starts& starts);
  int64_t idle_outside() const;
  static int64_t waits(const std::vector<Jobs>& all);

  std::vector<Jobs> recorded_;
  std::vector<Jobs> left_;  // left a bucket since be_late(), and were not started here
  std::vector<Jobs> late_;
  std::vector<int32_t> elsewhere_;
  int64_t away_ = 0;
  int32_t whole_host_ = 0;
};

}  // namespace leasehold
