// SimulatedWorld: jobs of one cluster on its own and imported hosts, in virtual time. It goes from
// event to event, so that the number of calls of advance() changes nothing. At one instant
// completions come first, then leases that end, then arrivals, then starts. It knows no file and no
// clock: simulated.hpp adds both.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "agent/core/reclaim/reclaim.hpp"
#include "agent/workload/simulated/job_source.hpp"
#include "agent/workload/simulated/jobs_file.hpp"
#include "common/jobs/job_model.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

class SimulatedWorld {
 public:
  /// Goes on from `stored`. `source` was opened past stored.arrived jobs.
  SimulatedWorld(const std::vector<wire::HostFacts>& own_hosts, StoredWorld stored,
                 JobSource source);

  /// Goes on to `to_ms`, virtual; an instant before the present changes nothing.
  void advance(int64_t to_ms);
  /// Sets the caps; jobs that they allow start at once. A cap without parts removes a fence.
  void set_caps(std::span<const HostCap> caps);
  /// Nothing starts on these hosts; what runs there goes on.
  void set_down(const std::vector<std::string>& hosts);
  bool requeue(uint64_t id);
  /// Does Workload::lease_until. A later instant stops what an earlier one began; what that closed
  /// stays closed.
  void set_lease_until(int64_t until_ms, const std::string& boot);
  /// Sets that instant in virtual time, as it passes now. Contract: called before each advance().
  void place_lease_end(int64_t virtual_ms, int64_t speed_milli);
  /// To be called at each look: begins the next window of peaks.
  void turn_peaks();

  bool is_down(const std::string& host) const { return down_.contains(host); }
  int32_t used(const std::string& host) const;
  int32_t peak(const std::string& host) const;
  int64_t pending_slots() const { return model_.pending_slots(); }
  int64_t used_slots() const { return model_.used_slots(); }
  std::vector<WorkUnit> units() const;  // times are virtual
  /// Visits each job with its virtual start, nullopt where it waits, in the order of their numbers.
  using VisitJob = std::function<void(const Job& job, std::optional<Instant> start)>;
  void visit_jobs(const VisitJob& visit) const;
  /// Returns the virtual instant of the next completion, arrival or end of leases; INT64_MAX: none.
  int64_t next_event_ms() const;

  const StoredWorld& stored() const { return stored_; }
  void set_wall(int64_t wall_ms) { stored_.wall_ms = wall_ms; }
  JobsFile::Change changes() const;
  /// changes() are durable now. Without this call they stay, and come with the next ones.
  void changes_saved();

 private:
  struct Host {
    std::string name;
    int32_t slots = 0;  // of an own host; for an imported one its cap's
    bool imported = false;
  };
  struct Live {
    Job job;
    bool running = false;
    Instant start;
  };

  uint32_t host_number(const std::string& name, bool imported);
  void apply_cap(uint32_t host);
  void resume_jobs(const std::vector<StoredJob>& jobs);
  void start_jobs();
  void end_jobs();
  void take_arrivals();
  int64_t grace_end_ms(uint32_t host) const;
  int64_t next_lease_ms() const;
  void end_leases();
  void requeue_all(uint32_t host);
  void note_peaks();
  StoredJob stored_job(uint64_t id, const Live& live) const;

  StoredWorld stored_;
  JobSource source_;
  std::optional<Job> next_;
  JobModel model_;
  std::vector<Host> hosts_;
  std::map<std::string, uint32_t> numbers_;
  std::set<std::string> down_;
  std::map<uint64_t, Live> live_;
  std::set<uint64_t> touched_;
  bool caps_changed_ = false;
  int64_t lease_end_ms_ = INT64_MAX;  // virtual
  int64_t speed_milli_ = 1000;
};

}  // namespace leasehold::agent
