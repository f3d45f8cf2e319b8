// Work: what a cluster's jobs do from now on with the slots that a forecast is about: which of them
// end when, and which wait before new work. It is a projection, not a record: each Outlook reads
// the same report in its own way (broker/views/forecast/README.md, "Outlooks"). Pure; it uses
// integers only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "broker/core/model/cluster.hpp"
#include "broker/views/forecast/hosts.hpp"
#include "broker/views/forecast/spans.hpp"

namespace leasehold::forecasting {

/// The slots of one cluster. If no host of them is known, all work goes by numbers.
struct WorkHosts {
  std::vector<HostSlots> leased;    // the forecast's, in the order of its hosts
  std::vector<HostSlots> own = {};  // all of them in use, as far as is known
};

/// True if the bucket's jobs do not start wherever as many slots are idle.
bool needs_hosts(const wire::DemandBucket& bucket);

/// Returns the cluster's hosts but for those that are exported, if its agent tells shapes: else no
/// work goes by hosts. Of very many the first ones; work on others starts wherever slots are.
std::vector<HostSlots> own_hosts(const Cluster& cluster, std::span<const uint32_t> exported);

class Work {
 public:
  /// Running work of the cluster's report that is not on leased slots runs on its own.
  Work(const Cluster& cluster, WorkHosts hosts, Outlook outlook, Instant now);

  int64_t held() const { return held_; }
  int64_t used() const { return used_; }
  int64_t idle() const { return held_ > used_ ? held_ - used_ : 0; }
  /// Returns the forecast's slots, by host.
  std::span<const HostSlots> leased() const { return std::span(hosts_).first(leased_); }
  /// Returns the slots that waiting work wants.
  int64_t waiting() const;
  /// Returns the waiting work as rules read it so long from now; positions of hosts are those of
  /// leased().
  std::vector<demand_aware::Waiting> waiting_at(int64_t now_ms) const;
  /// Returns one more job that looks like those of the bucket, or that takes so many slots wherever
  /// they are.
  demand_aware::Waiting one_job(const std::optional<wire::DemandBucket>& like, int64_t slots) const;
  /// True if the forecast's idle slots start the job.
  bool starts(const demand_aware::Waiting& job) const;
  /// Return the forecast's slots that running work has left, and that other work has taken, so far.
  int64_t ended() const { return ended_; }
  int64_t taken() const { return taken_; }

  void gain(std::span<const OnHost> slots);
  /// Contract: so many slots are idle there.
  void give(const OnHost& slots);
  /// Gives up to so many idle slots, from the first host on, of those that `may(host)` allows.
  template <class May>
  std::vector<OnHost> give_idle(int64_t slots, const May& may) {
    std::vector<OnHost> given;
    for (uint32_t h = 0; h < leased_ && slots > 0; ++h) {
      const int64_t some = may(h) ? std::min(slots, hosts_[h].idle()) : 0;
      if (some == 0) continue;
      given.push_back({h, some});
      give(given.back());
      slots -= some;
    }
    return given;
  }
  /// Gives slots whose work is ended by order where they are not idle.
  void give_up(const OnHost& slots);
  /// New work takes idle slots and keeps them until the end of the projection. Contract: that many
  /// are idle.
  void occupy(int64_t slots);
  /// New work takes every other slot that work has left so far.
  void overtake();
  /// Ends the work whose time has come.
  void advance(int64_t now_ms);
  /// Starts waiting work where it fits, the oldest first: on its cluster's own slots, then on
  /// these.
  void start(int64_t now_ms);
  /// Returns when the next work ends; kNotAtAll: nothing says so.
  int64_t next_end() const { return ends_.empty() ? kNotAtAll : ends_.top().at_ms; }

 private:
  struct End {
    int64_t at_ms = 0;
    int64_t slots = 0;  // of the forecast's slots
    int64_t own = 0;
    std::vector<OnHost> on = {};  // where the work is known to run
    bool operator>(const End& other) const { return at_ms > other.at_ms; }
  };
  /// Waiting jobs that look alike.
  struct Waiting {
    demand_aware::Waiting work;
    int64_t length_ms = 0;
  };

  void add_running(const wire::Ending& ending);
  void add_class(wire::TimeClass left, int64_t slots, int64_t own);
  void add_waiting(const Cluster& cluster);
  bool by_host() const;
  std::optional<demand_aware::Waiting> waiting_of(const wire::DemandBucket& bucket) const;
  void end_there(int64_t slots, size_t first, size_t last, const std::vector<OnHost>& on);
  std::vector<OnHost> use_idle(size_t first, size_t last, int64_t slots);
  PutJobs put(const demand_aware::Waiting& work);
  PutJobs put_anywhere(const demand_aware::Waiting& work);

  const Outlook outlook_;
  const Instant now_;
  EndsKnown known_;
  std::vector<HostSlots> hosts_;  // the forecast's, then its own: the last for what is nowhere
  size_t leased_ = 0;
  int64_t held_ = 0;
  int64_t used_ = 0;
  int64_t own_idle_ = 0;
  int64_t stopped_ = 0;  // slots whose work was to end later
  int64_t ended_ = 0;
  int64_t taken_ = 0;
  int64_t overtaken_ = 0;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<Waiting> waiting_;
};

}  // namespace leasehold::forecasting
