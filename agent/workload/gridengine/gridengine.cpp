#include "agent/workload/gridengine/gridengine.hpp"

#include <algorithm>
#include <map>

#include "agent/workload/gridengine/divisions.hpp"
#include "agent/workload/gridengine/ending.hpp"
#include "agent/workload/gridengine/fences.hpp"
#include "agent/workload/gridengine/rights.hpp"
#include "agent/workload/gridengine/waiting.hpp"
#include "agent/workload/gridengine/work_list.hpp"

namespace leasehold::agent {

namespace {

class GridEngine final : public Workload {
 public:
  GridEngine(GridEngineCell cell, HostOwners owners, std::vector<std::string> leased_queues,
             CapJournal journal, GridEngineNotes notes, bool read_only, const TimeSource& time)
      : cell_(std::move(cell)),
        owners_(std::move(owners)),
        notes_(std::move(notes)),
        read_only_(read_only),
        time_(time),
        ending_(notes_, time),
        reserved_(cell_),
        fences_(cell_, notes_, ending_, reserved_, owners_, std::move(journal)),
        waiting_(cell_, std::move(leased_queues), unknown_),
        job_list_(cell_),
        divisions_(cell_) {}
  GridEngine(const GridEngine&) = delete;  // its parts refer to each other
  GridEngine& operator=(const GridEngine&) = delete;

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
  Result<std::vector<std::string>> permissions_lacking() override { return rights_lacking(cell_); }
  Result<std::vector<std::string>> leave() override;
  Result<std::vector<std::string>> cautions() override {
    std::vector<std::string> cautions;
    divisions_.add_to(cautions);
    reserved_.add_to(cautions);
    unknown_.add_to(cautions);
    return cautions;
  }
  /// Grid Engine notifies nobody, so that a change is looked for once a second at most.
  int64_t next_change_in_ms() override { return 1'000; }

 private:
  Result<QueueHosts> look();
  Status learn(const QueueHosts& hosts);
  Status resume_stopped();
  Status note_stopped(const std::string& job, bool stopped);
  Status warn_by_suspending(const std::string& job);
  Result<bool> asked_for_notice(const std::string& job) const;
  Result<std::vector<EndingJob>> note_ending(const std::string& job, const QueueHosts& hosts);
  int32_t used_on(const GridEngineInstance& instance) const;
  Status add_hosts(const QueueHosts& hosts, std::span<const GridEngineHost> machines,
                   std::span<const std::string> asked, View& view);

  GridEngineCell cell_;
  HostOwners owners_;
  GridEngineNotes notes_;
  bool read_only_;
  const TimeSource& time_;
  UnknownWords unknown_;
  bool prepared_ = false;
  std::map<std::string, int32_t> used_before_;
  HostsTakenWhole taken_whole_;
  EndingJobs ending_;
  ReservedSlots reserved_;
  QueueFences fences_;
  WaitingJobs waiting_;
  JobList job_list_;
  HostDivisions divisions_;
};

/// Returns the error for a change where the adapter is read-only.
tl::unexpected<Error> look_only() {
  return fail(ErrorCode::refused, "--probe changes nothing");
}

Status GridEngine::prepare() {
  if (const auto queue = cell_.queue(); !queue) return tl::unexpected(queue.error());
  reserved_.refresh();
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  for (const auto& [whose, local] : owners_.names().map) {
    if (hosts->find(local) == nullptr) {
      return fail(ErrorCode::usage, "[hosts] map: '" + whose + "' is called '" + local +
                                        "' here, and the queue " + cell_.queue_name() +
                                        " has no such host; add it there with 0 slots");
    }
  }
  if (const Status known = learn(*hosts); !known) return known;
  if (const Status clear = owners_.refused(); !clear) return clear;
  if (!read_only_) {
    if (const Status done = ending_.renew(); !done) return done;
    if (const Status done = fences_.close_ungranted(*hosts); !done) return done;
    if (const Status done = resume_stopped(); !done) return done;
  }
  prepared_ = true;
  return {};
}

Status GridEngine::learn(const QueueHosts& hosts) {
  std::vector<HostSeen> seen;
  for (const GridEngineInstance& instance : hosts.all()) {
    seen.push_back({instance.host, instance.total, instance.held() > 0, false});
  }
  return owners_.learn(seen, fences_.journal());
}

/// Resumes jobs that an agent stopped for a moment and did not live to resume.
Status GridEngine::resume_stopped() {
  for (const std::string& job : std::vector<std::string>(notes_.noted().stopped)) {
    if (const Status done = cell_.resume(job); !done) return done;
    if (const Status done = note_stopped(job, false); !done) return done;
  }
  return {};
}

Result<QueueHosts> GridEngine::look() {
  Result<GridEngineLook> seen = cell_.look();
  if (!seen) return tl::unexpected(seen.error());
  unknown_.begin();
  unknown_.see(seen->unknown);
  if (seen->pending.size() > kGridEnginePendingMost) unknown_.see(kGridEngineTooMany);
  waiting_.tell_unknown_rules();
  return QueueHosts::of(std::move(*seen), cell_.queue_name());
}

int32_t GridEngine::used_on(const GridEngineInstance& instance) const {
  return std::max(instance.held() + ending_.slots_on(instance),
                  taken_whole_.slots_on(instance.host));
}

Status GridEngine::add_hosts(const QueueHosts& hosts, std::span<const GridEngineHost> machines,
                             std::span<const std::string> asked, View& view) {
  std::map<std::string, int32_t> used_now;
  for (const GridEngineInstance& instance : hosts.all()) {
    const std::string& host = instance.host;
    if (owners_.unclear(host)) continue;
    const bool foreign = owners_.others(host);
    const int32_t busy = used_on(instance);
    const int32_t slots = fences_.capacity(instance);
    const int32_t used = std::max(busy, reserved_.taken(instance, slots, time_.wall_time()));
    const int32_t peak = std::max(used, used_before_[host]);
    used_now[host] = used;
    view.running += busy;
    if (!foreign) {
      const Result<GridEngineHost> machine = machine_of(machines, host);
      if (!machine) return tl::unexpected(machine.error());
      view.hosts.push_back(
          {host, machine->arch, "", slots, machine->mem_mb, machine->swap_mb, {}, {}, instance.up});
      view.hosts.back().division = divisions_.of(host);
      view.hosts.back().horizon = reserved_.horizon(instance, slots);
    } else if (std::find(asked.begin(), asked.end(), host) == asked.end()) {
      continue;
    }
    view.loads.push_back({host, foreign, instance.up, used, peak, divisions_.of(host)});
  }
  used_before_ = std::move(used_now);
  return {};
}

Result<View> GridEngine::read(std::span<const std::string> asked) {
  if (!prepared_) {
    if (const Status ready = prepare(); !ready) return tl::unexpected(ready.error());
  }
  const Result<std::vector<GridEngineHost>> machines = cell_.hosts();
  if (!machines) return tl::unexpected(machines.error());
  if (const Status terms = waiting_.refresh(*machines); !terms) {
    return tl::unexpected(terms.error());
  }
  reserved_.refresh();
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  if (const Status known = learn(*hosts); !known) return tl::unexpected(known.error());
  if (const Status good = divisions_.refresh(*hosts); !good) return tl::unexpected(good.error());
  taken_whole_.note(*hosts, waiting_.terms());
  View view;
  if (const Status added = add_hosts(*hosts, *machines, asked, view); !added) {
    return tl::unexpected(added.error());
  }
  fences_.add_caps(*hosts, view);
  const std::vector<std::string> leased = fences_.leased(*hosts);
  std::vector<std::string> imported = hosts->names();
  std::erase_if(imported, [this](const std::string& host) { return !owners_.others(host); });
  Result<WorkShapes> shapes =
      waiting_.learn(*hosts, leased, std::move(imported), time_.wall_time());
  if (!shapes) return tl::unexpected(shapes.error());
  view.pending = slots_wanted(shapes->waiting, fences_.largest_of(*hosts, leased));
  view.shapes = *std::move(shapes);
  return view;
}

Status GridEngine::enforce(std::span<const HostCap> caps) {
  if (read_only_) return look_only();
  reserved_.refresh();
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  if (const Status learned = learn(*hosts); !learned) return learned;
  if (const Status done = fences_.enforce(caps, *hosts); !done) return done;
  return ending_.drop_old();
}

Status GridEngine::fence_resources(std::span<const wire::ConfiguredResource> resources) {
  if (resources.empty()) return {};
  return fail(ErrorCode::refused, "Grid Engine's shared resources are not fenced by this adapter");
}

Result<std::vector<std::string>> GridEngine::leave() {
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  return fences_.left_closed(*hosts);
}

Result<WorkList> GridEngine::work_units() {
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  Result<std::vector<WorkUnit>> units = job_list_.read(*hosts, ending_, waiting_.fits());
  if (!units) return tl::unexpected(units.error());
  return WorkList{time_.wall_time(), *std::move(units)};
}

Status GridEngine::note_stopped(const std::string& job, bool stopped) {
  GridEngineNoted noted = notes_.noted();
  std::erase(noted.stopped, job);
  if (stopped) noted.stopped.push_back(job);
  return notes_.put(std::move(noted));
}

/// Writes into the job's context when it will be ended. Grid Engine cannot send a chosen signal;
/// the nearest to it is to suspend and to resume. A job that asked for notice gets SIGUSR1 at once
/// and is never stopped; any other job is stopped for some milliseconds and gets SIGCONT, so this
/// is done only where that signal is asked for.
Status GridEngine::interrupt(const WorkUnit& job, const std::string& signal, int64_t grace_ms) {
  if (read_only_) return look_only();
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  const std::vector<PlacedJob> places = hosts->places(job.id);
  if (places.empty()) return {};
  const int64_t ends_ms = time_.wall_time().ms + grace_ms;
  if (const Status sent = cell_.tell(job.id, ends_ms / 1000); !sent) return sent;
  const bool is_stopped = std::any_of(places.begin(), places.end(), [](const PlacedJob& place) {
    return place.job.suspended() || place.job.deleted();
  });
  if (is_stopped) return {};  // a stopped job would notice nothing, and is not ours to resume
  const Result<bool> notice = asked_for_notice(job.id);
  if (!notice) return tl::unexpected(notice.error());
  return *notice || signal == "CONT" ? warn_by_suspending(job.id) : Status{};
}

Status GridEngine::warn_by_suspending(const std::string& job) {
  if (const Status noted = note_stopped(job, true); !noted) return noted;
  const Status stopped = cell_.suspend(job);
  if (const Status resumed = cell_.resume(job); !resumed) return resumed;
  if (const Status noted = note_stopped(job, false); !noted) return noted;
  return stopped;
}

Result<bool> GridEngine::asked_for_notice(const std::string& job) const {
  const Result<std::vector<GridEngineFacts>> facts = cell_.facts(job);
  if (!facts) return tl::unexpected(facts.error());
  return !facts->empty() && facts->front().notice;
}

Result<std::vector<EndingJob>> GridEngine::note_ending(const std::string& job,
                                                       const QueueHosts& hosts) {
  const Result<bool> notice = asked_for_notice(job);
  if (!notice) return tl::unexpected(notice.error());
  const Result<GridEngineQueue> queue = cell_.queue();
  if (!queue) return tl::unexpected(queue.error());
  std::vector<PlacedJob> places = hosts.places(job);
  std::erase_if(places, [&](const PlacedJob& place) { return place.queue != cell_.queue_name(); });
  return ending_.note(job, places, *notice ? queue->notify_ms : 0);
}

Status GridEngine::end_and_requeue(const WorkUnit& unit) {
  if (read_only_) return look_only();
  const std::string& job = unit.id;
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  const std::vector<PlacedJob> places = hosts->places(job);
  const bool over = std::all_of(places.begin(), places.end(),
                                [](const PlacedJob& place) { return place.job.deleted(); });
  if (over) return {};  // gone, or ending
  const Result<std::vector<EndingJob>> ending = note_ending(job, *hosts);
  if (!ending) return tl::unexpected(ending.error());
  if (const Status closed = fences_.close_for(*ending, *hosts); !closed) return closed;
  const Result<GridEngineCell::Requeue> done = cell_.requeue(job);
  if (!done) return tl::unexpected(done.error());
  if (*done == GridEngineCell::Requeue::pushed) return {};
  // A deleted job keeps its slots until it has ended.
  if (const Status dropped = ending_.drop(job); !dropped) return dropped;
  if (*done == GridEngineCell::Requeue::gone) return {};
  return cell_.remove(job);
}

/// A job that is held or in error counts as waiting; for one task of an array only accounting shows
/// its end.
Result<JobEnd> GridEngine::end_of(const WorkUnit& job) {
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  if (!hosts->places(job.id).empty()) return JobEnd{JobEnd::How::goes_on};
  if (hosts->waits(job.id)) return JobEnd{JobEnd::How::queued};
  return cell_.end_of(job.id);
}

}  // namespace

Status check_gridengine(const GridEngineSettings& settings, const HostNames& names) {
  if (const Status good = check_names(settings); !good) return good;
  return HostOwners::check(names);
}

Result<std::unique_ptr<Workload>> open_gridengine(const GridEngineSettings& settings,
                                                  const AdapterSettings& adapter, Caller caller,
                                                  bool read_only, const TimeSource& time) {
  if (const Status good = check_names(settings); !good) return tl::unexpected(good.error());
  Result<HostOwners> owners =
      HostOwners::open(adapter.names, adapter.journal + ".hosts", read_only);
  if (!owners) return tl::unexpected(owners.error());
  Result<CapJournal> journal = CapJournal::open(adapter.journal, read_only);
  if (!journal) return tl::unexpected(journal.error());
  GridEngineCell cell(settings, adapter.call_timeout_ms, std::move(caller));
  Result<GridEngineNotes> notes =
      GridEngineNotes::open(adapter.journal + ".gridengine", cell.name(), read_only);
  if (!notes) return tl::unexpected(notes.error());
  std::vector<std::string> queues = adapter.leased_partitions;
  if (queues.empty()) queues.push_back(settings.queue);
  auto opened =
      std::make_unique<GridEngine>(std::move(cell), std::move(*owners), std::move(queues),
                                   std::move(*journal), std::move(*notes), read_only, time);
  if (const Status ready = opened->prepare(); !ready && ready.error().code == ErrorCode::usage) {
    return tl::unexpected(ready.error());
  }
  return opened;
}

}  // namespace leasehold::agent
