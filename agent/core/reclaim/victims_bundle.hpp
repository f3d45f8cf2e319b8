// Bundle: units that can only be ended together, because they use the same slots. Most have one
// unit. The smallest thing that victims.hpp and preemption/preemption.hpp choose. Pure.
//
// "If multiple slots are shared by more than one session, the session with the highest preemption
// rank is taken into consideration" (Symphony, "Workload preemption"): a bundle belongs to its most
// important session.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agent/core/work/work_session.hpp"

namespace leasehold::agent {

struct Bundle {
  std::vector<size_t> units = {};             // positions, rising
  size_t session = 0;                         // its most important one, by position
  int64_t importance = 0;                     // that one's
  std::map<std::string, int32_t> slots = {};  // on each host, shared ones counted once
  std::map<size_t, int64_t> taken = {};       // what each session loses by it
  int64_t run_ms = 0;                         // of its units together
  Instant newest = {};                        // start of the last of its units
  std::string id = {};                        // the least of its units'
  bool for_good = false;  // a unit that is not ending yet cannot be queued again
  bool operator==(const Bundle&) const = default;
};

/// The measure of a session when work must end: "For priority scheduling, consider session priority
/// instead of preemption rank" (Symphony, "Resource reclaim").
enum class Importance : uint8_t { rank, priority };
int64_t importance_of(const WorkSession& session, Importance by);

/// Returns the bundles of the running units, in the order of their first units. A bundle belongs to
/// the older one of two equally important sessions.
std::vector<Bundle> bundles_of(std::span<const WorkUnit> units, const WorkSessions& sessions,
                               Importance by, Instant now);

/// The bundles, and where to find them: made once for all that is chosen from the same units.
struct BundleIndex {
  std::vector<Bundle> bundles;
  std::map<std::string, std::vector<size_t>> on_host;  // positions, rising
  std::map<std::string, size_t> of_unit;               // by id
};
BundleIndex index_of(std::span<const WorkUnit> units, const WorkSessions& sessions, Importance by,
                     Instant now);

/// Joins all bundles with work on a host that must be given whole.
Bundle joined(std::span<const Bundle* const> bundles, const WorkSessions& sessions);

/// Stands for "at random" (agent/core/README.md, "Ties"): host name, then start time, newest first,
/// then id; with a seed an order that the seed and the names fix.
class TieOrder {
 public:
  explicit TieOrder(std::optional<uint64_t> seed) : seed_(seed) {}
  bool host_before(const std::string& a, const std::string& b) const;
  bool before(const Bundle& a, const Bundle& b) const;

 private:
  std::optional<uint64_t> seed_;
};

}  // namespace leasehold::agent
