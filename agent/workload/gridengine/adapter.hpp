// The Grid Engine adapter's class; its parts are in gridengine.cpp (looks), shapes.cpp (waiting
// work), fence.cpp and reclaim.cpp. Others include gridengine.hpp.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "agent/workload/gridengine/cell.hpp"
#include "agent/workload/gridengine/demand.hpp"
#include "agent/workload/gridengine/hosts.hpp"
#include "agent/workload/gridengine/notes.hpp"
#include "agent/workload/support/cap_journal.hpp"
#include "agent/workload/support/host_owners.hpp"
#include "agent/workload/support/unknown_words.hpp"
#include "agent/workload/workload.hpp"
#include "common/clock.hpp"

namespace leasehold::agent {

/// With more pending jobs `qstat -j` is asked only about running ones: it prints up to 20 kB a job.
inline constexpr size_t kGridEnginePendingMost = 10'000;
/// The caution for that case.
inline constexpr const char* kGridEngineTooMany =
    "more than 10,000 jobs wait: reclaims still end running jobs, but none is preempted for those "
    "that wait until fewer do";

class GridEngine final : public Workload {
 public:
  GridEngine(GridEngineCell cell, HostNames names, HostOwners owners,
             std::vector<std::string> leased_queues, CapJournal journal, GridEngineNotes notes,
             bool read_only, const TimeSource& time)
      : cell_(std::move(cell)),
        names_(std::move(names)),
        owners_(std::move(owners)),
        leased_queues_(std::move(leased_queues)),
        journal_(std::move(journal)),
        notes_(std::move(notes)),
        read_only_(read_only),
        time_(time) {}

  WorkloadTraits traits() const override { return {"gridengine", {}, 0, false}; }
  /// Does the part of a start that asks the cell. ErrorCode::usage: the configuration is wrong.
  Status prepare();
  Result<View> read(std::span<const std::string> imported) override;
  Status enforce(std::span<const HostCap> caps) override;
  Status fence_resources(std::span<const wire::ConfiguredResource> resources) override;
  Result<WorkList> work_units() override;
  Status interrupt(const WorkUnit& job, const std::string& signal, int64_t grace_ms) override;
  Status end_and_requeue(const WorkUnit& job) override;
  Result<JobEnd> end_of(const WorkUnit& job) override;
  Result<std::vector<std::string>> permissions_lacking() override { return cell_.lacking(); }
  Result<std::vector<std::string>> leave() override;
  Result<std::vector<std::string>> cautions() override {
    std::vector<std::string> cautions;
    unknown_.add_to(cautions);
    return cautions;
  }
  /// Grid Engine notifies nobody, so that a change is looked for every second.
  int64_t next_change_in_ms() override { return 1'000; }

 private:
  Status close_ungranted(const QueueHosts& hosts);
  Status resume_stopped();
  Status renew_ending();
  Result<QueueHosts> look();
  /// Finds the cap in the journal by binary search.
  const HostCap* fenced(const std::string& host) const;
  int32_t capacity(const GridEngineInstance& instance) const;
  std::map<std::string, WorkUnit> running_units(const QueueHosts& hosts) const;
  void add_waiting(std::span<const GridEnginePending> pending,
                   std::map<std::string, WorkUnit>& units) const;
  Status learn_facts();
  Status learn_facts(const std::map<std::string, WorkUnit>& running);
  Status keep_facts(Result<std::vector<GridEngineFacts>> facts);
  std::vector<EndingJob> ending_on(const GridEngineInstance& instance) const;
  int32_t ending_slots(const GridEngineInstance& instance) const;
  bool imported(const std::string& host) const { return owners_.others(host); }
  Status learn(const QueueHosts& hosts);
  void add_caps(const QueueHosts& hosts, View& view) const;
  GridEngineLeased leased(const QueueHosts& hosts) const;
  void note_taken_whole(const QueueHosts& hosts);
  int32_t largest_of(const QueueHosts& hosts, std::span<const std::string> names) const;
  Status refresh_terms();
  Status learn_environments(std::span<const GridEnginePending> pending);
  void learn_requests(std::span<const GridEnginePending> pending);
  Result<GridEngineKept> kept(std::span<const GridEnginePending> pending) const;
  Status add_shapes(const QueueHosts& hosts, View& view);
  Status note_originals(std::span<const std::string> names, const QueueHosts& hosts);
  Status restore_host(const HostCap& cap);
  Status set_and_read_back(const std::vector<GridEngineCell::Slots>& slots);
  Status forget(std::span<const HostCap> caps);
  Status warn_by_suspending(const std::string& job);
  Status note_stopped(const std::string& job, bool stopped);
  Result<std::vector<EndingJob>> note_ending(const std::string& job, const QueueHosts& hosts);
  Status drop_ending(const std::string& job);
  Status close_for(const std::vector<EndingJob>& ending, const QueueHosts& hosts);

  GridEngineCell cell_;
  HostNames names_;
  HostOwners owners_;
  std::vector<std::string> leased_queues_;
  CapJournal journal_;
  GridEngineNotes notes_;
  bool read_only_;
  const TimeSource& time_;
  UnknownWords unknown_;
  bool prepared_ = false;
  std::map<std::string, int32_t> used_before_;
  /// A host that jobs have exclusively: the jobs, and the most slots it had since the first of
  /// them.
  struct TakenWhole {
    std::set<std::string> jobs;
    int32_t slots = 0;
  };
  std::map<std::string, TakenWhole> taken_whole_;
  GridEngineTerms terms_;
  std::optional<GridEngineFits> fits_;                      // of the last look
  std::unordered_map<std::string, GridEngineFacts> facts_;  // by number, of the last list of work
  // The queue's environments that were not read yet; one is read when jobs ask for it.
  std::vector<std::string> environments_there_;
  int looks_to_terms_ = 0;
};

/// Returns the error for a change where the adapter is read-only.
tl::unexpected<Error> look_only();

}  // namespace leasehold::agent
