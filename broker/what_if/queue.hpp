// EstimatedQueue: what waits at an estimated cluster, by shape: what waited as recorded, less what
// was started here sooner, with what was started then and not here. Which slots are free it is
// told; how many are in use the cluster knows (cluster.hpp).
//
// Assumed: jobs of one shape are alike, so that of those that leave a bucket the ones that run here
// already are the first. What came and started between two reports no bucket ever told: the cluster
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
  /// Free slots of one host, and what kind it is.
  struct Free {
    int32_t slots = 0;
    std::string type;
    int32_t size = 0;  // of the host, where its group has all of it; else 0
  };
  using Starts = std::vector<demand_aware::RowSlots>;  // by place in what was given as free; a
                                                       // place may come twice

  /// A job that takes hosts whole is taken to have so many slots of each, until it starts.
  void whole_host(int32_t slots) { whole_host_ = slots; }
  /// What waited by a report.
  void waited(const wire::Demand& demand);
  /// Host by host what was idle outside of all slot groups; {} where nobody told.
  void idle_elsewhere(std::vector<int32_t> idle_slots);
  /// So many slots more than run here would have to: of what left a bucket since the last call, so
  /// much was started then and is late here. Returns the rest.
  int64_t be_late(int64_t slots);
  /// So many slots' worth of what is late is not wanted any more.
  void drop_late(int64_t slots);
  /// Whole jobs where they fit, those that are late first, then as the buckets stand.
  Starts start(std::vector<Free> free);

  /// So many single slots that find no place here run outside, as far as it is idle there.
  void send_away(int64_t slots);
  /// So many slots' worth of what is away() has come to its end.
  void end_away(int64_t slots) { away_ -= std::min(away_, slots); }
  /// Slots of work that runs outside of all slot groups, where the record has it in them.
  int64_t away() const { return away_; }

  /// Slots that wait, that are late among them.
  int64_t waiting() const { return waits(recorded_) + late(); }
  int64_t late() const { return waits(late_); }
  /// Slots of slot groups that work has here which waited as recorded.
  int64_t early() const;

  /// What an agent would tell, with so many single slots; and of what is idle outside.
  wire::Demand demand(int64_t singles) const;
  std::vector<int32_t> elsewhere() const;

 private:
  /// Jobs of one shape that wait.
  struct Jobs {
    wire::DemandBucket of;  // `jobs`: as recorded, or that are late
    int64_t width = 1;      // slots that each of them has where it runs
    int64_t wants = 1;      // and wants at the least: less, where it takes hosts whole
    int64_t early = 0;      // of them: started here sooner
    int64_t outside = 0;    // slots of those that lie on hosts outside of all slot groups

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
