// JobSlots: the slots of a JobModel's hosts, and which of them its jobs use. It knows no times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/jobs/job.hpp"

namespace leasehold {

struct SlotsOnHost {
  uint32_t host = 0;  // as add_host numbered it
  int32_t slots = 0;
  bool operator==(const SlotsOnHost&) const = default;
};

class JobSlots {
 public:
  struct Host {
    int32_t own = 0;
    int32_t cap = 0;
    int32_t used = 0;
  };
  /// The slots of one job: the first of a chain.
  using Chain = uint32_t;
  static constexpr Chain kNone = UINT32_MAX;

  uint32_t add_host(int32_t own, int32_t cap);
  void set_cap(uint32_t host, int32_t cap);
  void set_own(uint32_t host, int32_t own) { hosts_[host].own = own; }
  const std::vector<Host>& hosts() const { return hosts_; }
  /// Returns the sum over hosts of max(0, cap - used).
  int64_t free() const { return free_; }
  int64_t used() const { return used_; }
  int32_t open_on(uint32_t host) const;

  bool fits(const Job& job);
  /// Picks the hosts of a job with hosts in one walk: a host with room for a larger part takes one
  /// while any is left, and is not kept for a smaller one. `at_most` bounds the slots taken of each
  /// host; if it is empty, all open ones may be. False: there is not room for all.
  bool pick_hosts(const Job& job, std::span<const int32_t> at_most);
  const std::vector<SlotsOnHost>& picks() const { return picks_; }  // of the last pick_hosts()
  /// Takes the slots of a job that fits; one with hosts goes where pick_hosts() last found room.
  Chain take(const Job& job);
  /// Takes these slots, even beyond a cap.
  Chain take(std::span<const SlotsOnHost> slots);
  void give_back(Chain chain);

  template <class Visit>
  void visit(Chain chain, const Visit& visit) const {
    for (; chain != kNone; chain = nodes_[chain].next) visit(nodes_[chain].at);
  }

 private:
  struct Node {  // freed nodes are chained too
    SlotsOnHost at;
    uint32_t next = kNone;
  };
  void use(uint32_t host, int32_t slots);
  Chain take_anywhere(int32_t width);
  void append(Chain& first, Chain& tail, const SlotsOnHost& at);

  std::vector<Host> hosts_;
  std::vector<SlotsOnHost> picks_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> nodes_free_;
  int64_t free_ = 0;
  int64_t used_ = 0;
};

}  // namespace leasehold
