// Hosts: slots of one cluster host by host, as a projection of its work sees them. Waiting work is
// put on idle ones with the packing that the rules use. Pure; it knows no time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "broker/rules/demand_aware/shapes.hpp"

namespace leasehold::forecasting {

/// Slots of one host that the cluster may use.
struct HostSlots {
  int64_t held = 0;
  int64_t used = 0;
  int64_t placed = 0;  // of those: by work that is known to run here
  int64_t size = 0;    // of the host, if all of it is here; 0: a part is
  std::string_view type = {};
  bool known = true;  // false: slots of which nobody knows on how many hosts they are

  int64_t idle() const { return held > used ? held - used : 0; }
  void place(int64_t slots) {
    used += slots;
    placed += slots;
  }
  /// Work leaves slots: where it is known to run, or where that is not known.
  void leave(int64_t slots) {
    used -= slots;
    placed = placed < used ? placed : used;
  }
};

/// Slots of one host, by its position.
struct OnHost {
  uint32_t host = 0;
  int64_t slots = 0;
};
int64_t slots_in_all(std::span<const OnHost> slots);

/// Says on which hosts work ends where nobody knows.
enum class EndsOn : uint8_t {
  few,  // on one host after the other, so that whole hosts become idle as soon as can be
  all,  // on each host its share
};
/// Ends work of which the host is not known on up to so many slots. Returns how many more there
/// were to end.
int64_t end_work(std::span<HostSlots> hosts, int64_t slots, EndsOn where);

/// Places work on up to so many idle slots, from the first host on.
std::vector<OnHost> use_any(std::span<HostSlots> hosts, int64_t slots);

/// True if the job does not care on which hosts its slots are.
bool goes_anywhere(const demand_aware::Waiting& job);

struct PutJobs {
  int64_t jobs = 0;
  std::vector<OnHost> on;  // in all
};
/// Returns where as many of the jobs as fit would start on idle slots of the hosts from `first` on
/// and before `last`. Slots of no known host start none. Rows of the jobs are positions in `hosts`.
PutJobs put_jobs(const demand_aware::Waiting& waiting, std::span<const HostSlots> hosts,
                 size_t first, size_t last);

}  // namespace leasehold::forecasting
