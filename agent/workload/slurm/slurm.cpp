#include "agent/workload/slurm/slurm.hpp"

#include <algorithm>

#include "agent/workload/slurm/demand.hpp"
#include "agent/workload/slurm/division.hpp"
#include "agent/workload/slurm/fence/doubts.hpp"
#include "agent/workload/slurm/fence/fences.hpp"
#include "agent/workload/slurm/fence/let_go.hpp"
#include "agent/workload/slurm/fence/others.hpp"
#include "agent/workload/slurm/fence/power.hpp"
#include "agent/workload/slurm/look/peaks.hpp"
#include "agent/workload/slurm/memory.hpp"
#include "agent/workload/slurm/rights.hpp"
#include "agent/workload/slurm/work_list.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/support/cap_journal.hpp"
#include "agent/workload/support/host_owners.hpp"
#include "agent/workload/support/unknown_words.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

namespace {

/// The cautions and reservations that were reported.
struct Said {
  std::optional<std::vector<std::string>> cautions;  // of the last look
  std::set<std::string> reservations;                // of others, each with its host
};

class Slurm final : public Workload {
 public:
  Slurm(const SlurmSettings& settings, const AdapterSettings& adapter, HostOwners owners,
        CapJournal journal, KeptNames excepted, KeptNames let_go, Caller caller,
        const TimeSource& time)
      : settings_(settings),
        partitions_(adapter.leased_partitions),
        journal_(std::move(journal)),
        client_(settings, adapter, std::move(caller)),
        look_(client_, settings.fence, time),
        fences_(client_, look_, settings.fence),
        others_(client_, settings.fence, std::move(owners)),
        let_go_(client_, settings.fence, std::move(let_go)),
        power_(client_, settings, std::move(excepted)),
        doubts_(settings.fence, journal_.read_only(), time) {}

  WorkloadTraits traits() const override {
    return {"slurm", {}, kSlurmSavesWithinMs, false, settings_.fence == SlurmFence::hold_job};
  }

  /// Fences that a controller has forgotten are made again before the view is returned.
  Result<View> read(std::span<const std::string> imported) override {
    Result<SlurmSnapshot> snapshot = look_.take(peaks_.since_s(), SlurmWaiting::asked);
    if (!snapshot) return tl::unexpected(snapshot.error());
    if (Status known = learn_all(*snapshot); !known) return tl::unexpected(known.error());
    add_cpus_for_memory(*snapshot);
    SlurmVerdicts verdicts = slurm_verdicts(*snapshot, snapshot->wants);
    unknown_.begin();
    for (const auto& [job, verdict] : verdicts) unknown_.see(verdict.unknown);
    unknown_.see(snapshot->unlisted);
    if (doubts_.note_life(*snapshot, !adopted_)) fences_.distrust();
    if (!adopted_) adopt(*snapshot);
    others_.close(*snapshot, fences_);
    journal_.read_only() ? fences_.trust(*snapshot) : restore(*snapshot);
    View view = view_of(*snapshot, verdicts, imported);
    said_.cautions = cautions_of(*snapshot);
    peaks_.looked(snapshot->controller.now_s);
    work_list_.keep(*std::move(snapshot), std::move(verdicts), unknown_);
    return view;
  }

  Status enforce(std::span<const HostCap> caps) override {
    if (journal_.read_only()) return fail(ErrorCode::refused, "--probe changes nothing");
    Result<SlurmSnapshot> snapshot = look_.take(INT64_MAX);
    if (!snapshot) return tl::unexpected(snapshot.error());
    if (Status known = learn(*snapshot); !known) return known;
    if (!adopted_) adopt(*snapshot);
    std::vector<HostCap> clear;
    std::vector<HostCap> here;
    for (const HostCap& cap : caps) {
      if (others_.unclear(cap.host)) continue;  // refused below, after the others are fenced
      clear.push_back(cap);
      if (snapshot->find(cap.host) != nullptr) {
        here.push_back(cap);
      } else if (!cap.parts.empty()) {
        return fail(ErrorCode::unknown, "Slurm has no node " + cap.host + ": it cannot be fenced");
      }
    }
    if (Status kept = journal_.put(clear); !kept) return kept;
    for (const HostCap& cap : here) want(*snapshot, cap);
    const Status kept_on = power_.keep_on(*snapshot, fences_, others_);
    Status done = fences_.apply(*snapshot);
    doubts_.keep(*snapshot, fences_);
    if (done) done = kept_on;
    for (const HostCap& cap : here) {
      if (done) done = check_open(*snapshot->find(cap.host));
    }
    return done && clear.size() < caps.size() ? others_.refused() : done;
  }

  Status fence_resources(std::span<const wire::ConfiguredResource> resources) override {
    if (resources.empty()) return {};
    return fail(ErrorCode::refused, "Slurm's shared resources cannot be fenced: " +
                                        resources.front().name + " is not leased");
  }

  Result<WorkList> work_units() override {
    if (Status up = client_.answers(); !up) return tl::unexpected(up.error());
    Result<WorkList> work = work_list_.take(client_, look_, unknown_);
    if (work && settings_.fence == SlurmFence::hold_job) {
      if (Status done = leave_out_hold_jobs(client_, work->units); !done) {
        return tl::unexpected(done.error());
      }
    }
    return work;
  }

  /// A job without a user to read the message is no failure.
  Status interrupt(const WorkUnit& job, const std::string& signal, int64_t grace_ms) override {
    if (Status up = client_.answers(); !up) return up;
    if (!signal.empty()) {
      if (Status signalled = client_.signal(job.name(), signal); !signalled) return signalled;
    }
    log_if_not_notified(job.id, client_.notify_of_end(job, grace_ms));
    return {};
  }

  /// Cancels only what Slurm itself said cannot be queued again: a requeue may have been done.
  Status end_and_requeue(const WorkUnit& job) override {
    if (Status up = client_.answers(); !up) return up;
    return job.requeueable ? client_.requeue(job.name()) : client_.cancel(job.name());
  }

  Result<JobEnd> end_of(const WorkUnit& job) override {
    if (Status up = client_.answers(); !up) return tl::unexpected(up.error());
    return client_.end_of(job.id);
  }

  Status wake(const std::string& host) override {
    if (Status up = client_.answers(); !up) return up;
    return client_.power_up(host);
  }
  void nobody_else_uses(const std::vector<std::string>& hosts) override { let_go_.allow(hosts); }

  Result<std::vector<std::string>> permissions_lacking() override {
    const Result<SlurmSnapshot> snapshot = look_.take(INT64_MAX);
    if (!snapshot) return tl::unexpected(snapshot.error());
    const Result<std::string> account = client_.own_account();
    if (!account) return tl::unexpected(account.error());
    std::vector<std::string> lacking = slurm_rights_lacking(*snapshot, settings_.fence, *account);
    for (std::string& sentence : work_list_.lacking(client_, unknown_)) {
      lacking.push_back(std::move(sentence));
    }
    return lacking;
  }

  Result<std::vector<std::string>> cautions() override {
    const Result<SlurmSnapshot> snapshot = said_.cautions ? SlurmSnapshot{} : look_.take(INT64_MAX);
    if (!snapshot) return tl::unexpected(snapshot.error());
    std::vector<std::string> cautions = said_.cautions ? *said_.cautions : cautions_of(*snapshot);
    unknown_.add_to(cautions);
    return cautions;
  }

  /// Slurm notifies nobody: while slots are waited for they are looked for once a second at most.
  int64_t next_change_in_ms() override { return 1'000; }
  Result<std::vector<std::string>> leave() override {
    const Result<SlurmSnapshot> snapshot = look_.take(INT64_MAX);
    if (!snapshot) return tl::unexpected(snapshot.error());
    if (Status known = learn(*snapshot); !known) return tl::unexpected(known.error());
    const Status left = power_.leave();
    Result<std::vector<std::string>> stays = others_.leave(*snapshot);
    if (stays && !left) stays->push_back(power_.stays(left));
    return stays;
  }

  /// While no controller answers the names are left for the first look.
  Status check_at_start() {
    if (!client_.answers()) return {};
    const Result<SlurmSnapshot> snapshot = look_.take(INT64_MAX);
    if (!snapshot) return tl::unexpected(snapshot.error());
    return learn_all(*snapshot);
  }

 private:
  Status learn(const SlurmSnapshot& snapshot) {
    return others_.learn(snapshot, journal_, adopted_);
  }
  Status learn_all(const SlurmSnapshot& snapshot) {
    const Status known = others_.check_map(snapshot, settings_.conf);
    return known ? learn(snapshot) : known;
  }
  std::vector<std::string> cautions_of(const SlurmSnapshot& snapshot) const {
    std::vector<std::string> cautions = slurm_cautions(snapshot, settings_.fence, partitions_);
    power_.add_to(cautions, snapshot, others_);
    others_.add_to(cautions, snapshot, partitions_);
    return cautions;
  }

  void want(const SlurmSnapshot& snapshot, const HostCap& cap) {
    const int32_t cores = snapshot.find(cap.host)->node.cores;
    const int32_t free = cap.imported ? 0 : cores;
    fences_.want(cap.host, std::clamp(cores - (cap.parts.empty() ? free : cap.slots), 0, cores));
    doubts_.drop(cap.host);  // the caller waits for the time that Slurm needs to save it
  }

  /// Hold jobs take only idle cores, so this does not fail for them; the look shows how many.
  Status check_open(const SlurmHost& host) const {
    const int32_t open = fences_.open_slots(host);
    const int32_t fenced = fences_.wanted().at(host.node.name);
    if (open <= host.node.cores - fenced || settings_.fence == SlurmFence::hold_job) return {};
    return fail(ErrorCode::io, "host " + host.node.name + " is not fenced yet: " +
                                   std::to_string(open) + " slots are open there");
  }

  /// Wants the larger fence of Slurm's and the journal's; imported hosts without a cap are closed.
  void adopt(const SlurmSnapshot& snapshot) {
    for (const SlurmHost& host : snapshot.hosts) {
      const std::string& name = host.node.name;
      int32_t fenced = fences_.claimed_cores(host);
      const HostCap* cap = journal_.find(name);
      if (cap != nullptr) {
        doubts_.expect(name, host.node.cores - cap->slots);
        fenced = std::max(fenced, host.node.cores - cap->slots);
      }
      if (cap == nullptr && others_.contains(name)) fenced = host.node.cores;
      if (fenced > 0 || cap != nullptr) fences_.want(name, std::min(fenced, host.node.cores));
      if (!others_.contains(name)) let_go_.adopt(host, fences_);
      doubts_.add_young(host, snapshot.controller.now_s);
    }
    adopted_ = true;
  }

  void restore(SlurmSnapshot& snapshot) {
    doubts_.before(snapshot, fences_);
    if (Status kept = power_.keep_on(snapshot, fences_, others_); !kept) {
      unknown_.see("leased hosts are not excepted from power saving: " + describe(kept.error()));
    }
    Status done = let_go_.apply(snapshot);
    if (Status fenced = fences_.apply(snapshot); done) done = std::move(fenced);
    doubts_.after(snapshot, fences_);
    // One host that cannot be fenced does not hide the others: its cap is shown as it stands.
    if (!done) log_fence_failed(done.error());
    others_.resume(snapshot, fences_, unknown_);
  }

  View view_of(const SlurmSnapshot& snapshot, const SlurmVerdicts& verdicts,
               std::span<const std::string> imported) {
    View view;
    SlurmLeased leased{partitions_, {}};
    for (const SlurmHost& host : snapshot.hosts) {
      const std::string& name = host.node.name;
      unknown_.see(host.unknown);
      if (others_.unclear(name)) continue;
      view.running += fences_.used(host);
      if (fences_.wants(name)) leased.hosts.insert(name);
      if (const std::optional<HostCap> cap = cap_of(host)) view.caps.push_back(*cap);
      const bool foreign = others_.contains(name);
      if (foreign) leased.imported.insert(name);
      if (foreign && std::find(imported.begin(), imported.end(), name) == imported.end()) continue;
      view.loads.push_back(load_of(snapshot, host, foreign));
      if (foreign) continue;
      view.hosts.push_back(slurm_facts(host, view.loads.back()));
    }
    std::sort(view.caps.begin(), view.caps.end(),
              [](const HostCap& a, const HostCap& b) { return a.host < b.host; });
    view.shapes = slurm_shapes(snapshot, leased, verdicts);
    view.pending = slurm_pending(snapshot, leased, view.shapes->waiting);
    return view;
  }

  HostLoad load_of(const SlurmSnapshot& snapshot, const SlurmHost& host, bool imported) {
    const std::string& name = host.node.name;
    const int32_t used = fences_.used(host);
    log_slurm_reservations(host, said_.reservations);
    const bool down = !imported && let_go_.keeps_down(host, fences_, snapshot.controller.now_s);
    const bool up = host.node.up && !down && host.foreign.empty() && host.unknown.empty();
    return {name,
            imported,
            up,
            used,
            peaks_.of(host, used),
            slurm_division(snapshot, host.node),
            power_.lendable(snapshot, host.node, imported)};
  }

  /// The cap is as the fence stands; a host whose fence may still be forgotten counts as open.
  std::optional<HostCap> cap_of(const SlurmHost& host) const {
    const std::string& name = host.node.name;
    if (!fences_.wants(name) && host.fences.empty()) return std::nullopt;
    HostCap cap;
    if (const HostCap* kept = journal_.find(name)) cap = *kept;
    cap.host = name;
    cap.imported = others_.contains(name);
    cap.slots = doubts_.open_slots(host, fences_);
    if (!cap.parts.empty()) return cap;
    if (cap.imported ? cap.slots == 0 : host.fences.empty()) return std::nullopt;
    return cap;
  }

  SlurmSettings settings_;
  std::vector<std::string> partitions_;
  CapJournal journal_;
  SlurmClient client_;
  SlurmLook look_;
  SlurmFences fences_;
  SlurmOthers others_;
  SlurmLetGo let_go_;
  SlurmPower power_;
  bool adopted_ = false;
  SlurmDoubts doubts_;
  SlurmPeaks peaks_;
  SlurmWorkList work_list_;
  UnknownWords unknown_;
  Said said_;
};

}  // namespace

Result<std::unique_ptr<Workload>> open_slurm(const SlurmSettings& settings,
                                             const AdapterSettings& adapter, bool read_only,
                                             Caller caller, const TimeSource& time) {
  Result<HostOwners> owners =
      HostOwners::open(adapter.names, adapter.journal + ".hosts", read_only);
  if (!owners) return tl::unexpected(owners.error());
  Result<CapJournal> journal = CapJournal::open(adapter.journal, read_only);
  if (!journal) return tl::unexpected(journal.error());
  Result<KeptNames> excepted = KeptNames::open(adapter.journal + ".kept-on");
  Result<KeptNames> let_go = KeptNames::open(adapter.journal + ".let-go");
  for (const auto* names : {&excepted, &let_go}) {
    if (!*names) return tl::unexpected(names->error());
  }
  auto made =
      std::make_unique<Slurm>(settings, adapter, *std::move(owners), *std::move(journal),
                              *std::move(excepted), *std::move(let_go), std::move(caller), time);
  if (Status good = made->check_at_start(); !good && good.error().code == ErrorCode::usage) {
    return tl::unexpected(good.error());
  }
  return made;
}

}  // namespace leasehold::agent
