#include "agent/workload/lsf/lsf.hpp"

#include <algorithm>
#include <set>

#include "agent/workload/lsf/cautions.hpp"
#include "agent/workload/lsf/client.hpp"
#include "agent/workload/lsf/slots.hpp"
#include "agent/workload/support/call.hpp"
#include "agent/workload/support/cap_journal.hpp"

namespace leasehold::agent {

namespace {

constexpr int32_t kUnlimited = 1'000'000;  // MAX "-"
constexpr int kLooksAFact = 120;           // looks between readings of lshosts

const LsfHost* find_host(const std::vector<LsfHost>& hosts, const std::string& name) {
  const auto found = std::find_if(hosts.begin(), hosts.end(),
                                  [&name](const LsfHost& host) { return host.name == name; });
  return found == hosts.end() ? nullptr : &*found;
}

class Lsf final : public Workload {
 public:
  Lsf(LsfClient client, const LsfSettings& settings, const AdapterSettings& adapter,
      HostOwners owners, CapJournal journal, LsfSlots slots, const TimeSource& time)
      : client_(std::move(client)),
        owners_(std::move(owners)),
        queues_(adapter.leased_partitions.begin(), adapter.leased_partitions.end()),
        fence_delay_ms_(settings.settle_ms),
        journal_(std::move(journal)),
        slots_(std::move(slots)),
        time_(time) {}

  WorkloadTraits traits() const override { return {"lsf", {}, fence_delay_ms_, false}; }
  Result<View> read(std::span<const std::string> imported) override;
  Status enforce(std::span<const HostCap> caps) override;
  Status fence_resources(std::span<const wire::ConfiguredResource> resources) override;
  Result<WorkList> work_units() override;
  Status interrupt(const WorkUnit& job, const std::string& signal, int64_t grace_ms) override;
  Status end_and_requeue(const WorkUnit& job) override;
  Result<JobEnd> end_of(const WorkUnit& job) override { return client_.end_of(job.id); }
  Result<std::vector<std::string>> permissions_lacking() override;
  Result<std::vector<std::string>> cautions() override;
  Result<std::vector<std::string>> leave() override { return left_closed(slots_, owners_); }
  int64_t next_change_in_ms() override { return INT64_MAX; }
  /// If LSF does not answer, the check is left to the first look.
  Status check_at_start() {
    const Result<std::vector<LsfHost>> hosts = client_.hosts();
    return hosts ? learn(*hosts) : Status{};
  }

 private:
  Status learn(const std::vector<LsfHost>& hosts);
  bool is_imported(const std::string& host) const { return owners_.others(host); }
  void count(const std::vector<WorkUnit>& units, View& view);
  void add_shapes(const std::vector<WorkUnit>& units, Instant now, View& view);
  Status add_host(const LsfHost& host, const std::set<std::string>& asked, View& view);
  Status refresh_facts(const std::vector<LsfHost>& hosts);
  HostCap cap_of(const LsfHost& host, bool imported) const;
  Status note_originals(std::span<const HostCap> caps);
  Result<int32_t> wanted_slots(const HostCap& cap) const;
  Status set_slots(const std::string& host, int32_t slots);

  LsfClient client_;
  HostOwners owners_;
  std::set<std::string> queues_;
  int64_t fence_delay_ms_;
  CapJournal journal_;
  LsfSlots slots_;
  const TimeSource& time_;
  std::map<std::string, LsfFacts> facts_;
  int looks_to_facts_ = 0;
  std::map<std::string, int32_t> used_before_;  // at the last look
  struct Ordered {
    int32_t slots = 0;
    int64_t at_ms = 0;
  };
  std::map<std::string, Ordered> ordered_;  // numbers that LSF may not show yet, by host
  UnknownWords unknown_;
  bool first_ = true;                    // the owners of the hosts are not known yet
  std::optional<LsfNeedsOfJobs> needs_;  // of the last answer
  std::string no_shapes_;                // why the last look has none; "": it has them
};

/// A start is refused while the owner of a host is unclear; later such a host is left alone.
Status Lsf::learn(const std::vector<LsfHost>& hosts) {
  std::vector<HostSeen> seen;
  for (const LsfHost& host : hosts) {
    seen.push_back({host.name, host.max.value_or(kUnlimited), host.used > 0, false});
  }
  if (Status kept = owners_.learn(seen, journal_); !kept) return kept;
  if (Status clear = owners_.refused(); first_ && !clear) return clear;
  first_ = false;
  return {};
}

Status Lsf::refresh_facts(const std::vector<LsfHost>& hosts) {
  const bool all_known = std::all_of(hosts.begin(), hosts.end(), [this](const LsfHost& host) {
    return facts_.contains(host.name);
  });
  if (all_known && --looks_to_facts_ > 0) return {};
  Result<std::map<std::string, LsfFacts>> facts = client_.facts();
  if (!facts) return tl::unexpected(facts.error());
  facts_ = *std::move(facts);
  for (const LsfHost& host : hosts) facts_.try_emplace(host.name);
  looks_to_facts_ = kLooksAFact;
  return {};
}

/// The slots are what LSF shows; what the cap was made from is in the journal.
HostCap Lsf::cap_of(const LsfHost& host, bool imported) const {
  HostCap cap{host.name, imported, 0, 0, 0, 0, {}, 0};
  if (const HostCap* kept = journal_.find(host.name)) cap = *kept;
  cap.slots = host.max.value_or(kUnlimited);
  return cap;
}

/// Adds the host's facts, cap and load to the view; of imported ones only the `asked` have a load.
Status Lsf::add_host(const LsfHost& host, const std::set<std::string>& asked, View& view) {
  if (owners_.unclear(host.name)) return {};
  const bool imported = is_imported(host.name);
  const bool fenced = journal_.find(host.name) != nullptr;
  if (!imported) {
    const std::optional<int32_t> original = slots_.find(host.name);
    if (fenced && !original) {
      return fail(ErrorCode::corrupt,
                  "host " + host.name + " is fenced and its own number of job slots is no longer " +
                      "known: restore the file " + slots_.path() + " from a copy");
    }
    if (!original && !host.max) return {};  // permissions_lacking() reports it
    view.hosts.push_back(
        lsf_facts(host, facts_.at(host.name), original.value_or(host.max.value_or(0))));
  }
  // A host that was closed as another's and is own by the present names is to be given back.
  const bool closed = !imported && !fenced && slots_.find(host.name);
  if (fenced || closed || (imported && host.max.value_or(kUnlimited) > 0)) {
    view.caps.push_back(cap_of(host, imported));
  }
  if (!imported || asked.contains(host.name)) {
    view.loads.push_back({host.name, imported, host.up, host.used, host.used});
  }
  return {};
}

/// bhosts and bjobs are not of one instant: the larger of the two counts holds.
void Lsf::count(const std::vector<WorkUnit>& units, View& view) {
  std::map<std::string, int32_t> used;
  for (const WorkUnit& unit : units) {
    if (unit.running()) view.running += unit.slots;
    for (const UnitHost& host : unit.hosts) used[host.host] += host.slots;
  }
  for (HostLoad& load : view.loads) {
    if (const auto jobs = used.find(load.host); jobs != used.end()) {
      load.used = std::max(load.used, jobs->second);
    }
    const auto before = used_before_.find(load.host);
    load.used_peak = std::max(load.used, before == used_before_.end() ? 0 : before->second);
  }
  used_before_.clear();
  for (const HostLoad& load : view.loads) used_before_[load.host] = load.used;
}

/// If LSF does not show shapes, as in a version that lacks a field, pending work has only its sum.
void Lsf::add_shapes(const std::vector<WorkUnit>& units, Instant now, View& view) {
  Result<LsfNeedsOfJobs> needs = units.empty() ? LsfNeedsOfJobs{} : client_.needs();
  no_shapes_ = needs ? "" : needs.error().message;
  const bool fresh = needs.has_value();
  if (fresh) needs_ = *std::move(needs);  // else the last answer stays: newer jobs are kept back
  static const LsfNeedsOfJobs kNone;
  const LsfNeedsOfJobs& known = needs_ ? *needs_ : kNone;
  note_reasons(known, unknown_);
  const std::vector<WaitingWork> waiting = lsf_waiting(units, queues_, known);
  view.pending = slots_wanted(waiting);
  if (!fresh) return;
  const auto imported = [this](const std::string& host) { return is_imported(host); };
  view.shapes = WorkShapes{now, waiting, lsf_running(units, known, imported)};
}

Result<View> Lsf::read(std::span<const std::string> imported) {
  const Result<std::vector<LsfHost>> hosts = client_.hosts();
  if (!hosts) return tl::unexpected(hosts.error());
  if (const Status known = learn(*hosts); !known) return tl::unexpected(known.error());
  const Instant now = time_.wall_time();
  LsfUnknown unknown;
  const Result<std::vector<WorkUnit>> units = client_.jobs(now, &unknown);
  if (!units) return tl::unexpected(units.error());
  if (const Status facts = refresh_facts(*hosts); !facts) return tl::unexpected(facts.error());
  const std::set<std::string> asked(imported.begin(), imported.end());
  View view;
  for (const LsfHost& host : *hosts) {
    if (const Status added = add_host(host, asked, view); !added) {
      return tl::unexpected(added.error());
    }
  }
  count(*units, view);
  note_unknown(*hosts, *units, unknown, unknown_, view);
  note_unlisted(*hosts, *units, unknown_);
  add_shapes(*units, now, view);
  return view;
}

/// Notes the administrator's slots before a host's first change.
Status Lsf::note_originals(std::span<const HostCap> caps) {
  LsfSlots::Hosts originals = slots_.hosts();
  std::optional<std::vector<LsfHost>> hosts;
  for (const HostCap& cap : caps) {
    const bool closes = cap.imported && journal_.find(cap.host) == nullptr;
    if (cap.parts.empty() != closes || originals.contains(cap.host)) continue;
    if (!hosts) {
      Result<std::vector<LsfHost>> seen = client_.hosts();
      if (!seen) return tl::unexpected(seen.error());
      hosts = *std::move(seen);
    }
    const LsfHost* host = find_host(*hosts, cap.host);
    if (closes && host != nullptr && host->max.value_or(0) == 0) continue;
    if (host == nullptr || !host->max) {
      return fail(ErrorCode::io, "host " + cap.host + " has no number of job slots (MXJ) in LSF");
    }
    const auto last = ordered_.find(cap.host);  // LSF may not show it yet
    const bool fresh =
        last != ordered_.end() && time_.boottime_ms() - last->second.at_ms < fence_delay_ms_;
    originals[cap.host] = fresh ? last->second.slots : *host->max;
  }
  return slots_.put(std::move(originals));
}

Result<int32_t> Lsf::wanted_slots(const HostCap& cap) const {
  if (!cap.parts.empty() || cap.imported) return cap.parts.empty() ? 0 : cap.slots;
  const std::optional<int32_t> original = slots_.find(cap.host);
  return original.value_or(cap.slots);
}

/// LSF shows a new number some seconds later (MBD_REFRESH_TIME), so the same order is not repeated
/// meanwhile.
Status Lsf::set_slots(const std::string& host, int32_t slots) {
  const int64_t now_ms = time_.boottime_ms();
  const auto last = ordered_.find(host);
  if (last != ordered_.end() && last->second.slots == slots &&
      now_ms - last->second.at_ms < fence_delay_ms_) {
    return {};
  }
  ordered_.erase(host);
  if (Status done = client_.set_slots(host, slots); !done) return done;
  ordered_[host] = {slots, now_ms};
  return {};
}

/// Lower limits are set first. The parts of caps are on disk before a fence is set, and are
/// forgotten after it is gone.
Status Lsf::enforce(std::span<const HostCap> wanted) {
  if (journal_.read_only()) return fail(ErrorCode::refused, "--probe changes nothing");
  std::vector<HostCap> caps(wanted.begin(), wanted.end());
  std::erase_if(caps, [&](const HostCap& cap) { return owners_.unclear(cap.host); });
  if (Status noted = note_originals(caps); !noted) return noted;
  std::vector<HostCap> kept;
  std::vector<HostCap> gone;
  for (const HostCap& cap : caps) (cap.parts.empty() ? gone : kept).push_back(cap);
  if (Status noted = journal_.put(kept); !noted) return noted;
  std::vector<std::pair<int32_t, std::string>> changes;
  for (const HostCap& cap : caps) changes.emplace_back(wanted_slots(cap).value(), cap.host);
  std::sort(changes.begin(), changes.end());
  for (const auto& [slots, host] : changes) {
    if (Status done = set_slots(host, slots); !done) return done;
  }
  if (Status noted = journal_.put(gone); !noted) return noted;
  LsfSlots::Hosts originals = slots_.hosts();
  for (const HostCap& cap : gone) originals.erase(cap.imported ? "" : cap.host);
  if (Status noted = slots_.put(std::move(originals)); !noted) return noted;
  return caps.size() < wanted.size() ? owners_.refused() : Status{};
}

Status Lsf::fence_resources(std::span<const wire::ConfiguredResource> resources) {
  if (resources.empty()) return {};
  return fail(ErrorCode::refused, "resources cannot be fenced in LSF by this version");
}

Result<WorkList> Lsf::work_units() {
  WorkList work;
  work.now = time_.wall_time();
  Result<std::vector<WorkUnit>> units = client_.jobs(work.now);
  if (!units) return tl::unexpected(units.error());
  work.units = *std::move(units);
  if (needs_) set_needs(*needs_, work.units);
  return work;
}

/// A message that cannot be posted is no failure.
Status Lsf::interrupt(const WorkUnit& job, const std::string& signal, int64_t grace_ms) {
  if (journal_.read_only()) return fail(ErrorCode::refused, "--probe changes nothing");
  if (!signal.empty()) {
    if (Status signalled = client_.signal(job.id, signal); !signalled) return signalled;
  }
  log_if_not_notified(
      job.id,
      client_.post(job.id, "leasehold: the slots of this job are taken back; it is ended in " +
                               std::to_string(grace_ms / 1'000) + " seconds"));
  return {};
}

Status Lsf::end_and_requeue(const WorkUnit& job) {
  if (journal_.read_only()) return fail(ErrorCode::refused, "--probe changes nothing");
  return client_.requeue(job.id);
}

Result<std::vector<std::string>> Lsf::permissions_lacking() {
  std::vector<std::string> lacking = client_.lacking();
  if (!lacking.empty()) return lacking;
  const Result<std::vector<LsfHost>> hosts = client_.hosts();
  if (!hosts) return tl::unexpected(hosts.error());
  return without_slots(*hosts);
}

Result<std::vector<std::string>> Lsf::cautions() {
  std::vector<std::string> cautions;
  if (!no_shapes_.empty()) {
    cautions.push_back(
        "bjobs does not say what pending jobs want and wait for: each counts as a job of one "
        "slot; " +
        no_shapes_);
  }
  unknown_.add_to(cautions);
  return cautions;
}

}  // namespace

Result<std::unique_ptr<Workload>> open_lsf(const LsfSettings& settings,
                                           const AdapterSettings& adapter, Caller caller,
                                           bool read_only, const TimeSource& time) {
  Result<CapJournal> journal = CapJournal::open(adapter.journal, read_only);
  if (!journal) return tl::unexpected(journal.error());
  Result<HostOwners> owners =
      HostOwners::open(adapter.names, adapter.journal + ".hosts", read_only);
  if (!owners) return tl::unexpected(owners.error());
  Result<LsfSlots> slots = LsfSlots::open(adapter.journal + ".slots", read_only);
  if (!slots) return tl::unexpected(slots.error());
  auto opened =
      std::make_unique<Lsf>(LsfClient(settings, adapter, std::move(caller)), settings, adapter,
                            *std::move(owners), *std::move(journal), *std::move(slots), time);
  if (const Status ready = opened->check_at_start();
      !ready && ready.error().code == ErrorCode::usage) {
    return tl::unexpected(ready.error());
  }
  return opened;
}

}  // namespace leasehold::agent
