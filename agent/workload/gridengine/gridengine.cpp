#include "agent/workload/gridengine/gridengine.hpp"

#include <algorithm>

#include "agent/workload/gridengine/adapter.hpp"

namespace leasehold::agent {

namespace {

Status check_settings(const GridEngineSettings& settings) {
  const auto bad = [](const std::string& key, const std::string& what) {
    return fail(ErrorCode::usage, "[workload.gridengine] " + key + ": '" + what +
                                      "' can be part of no command here; right would be a name "
                                      "without spaces, commas and brackets");
  };
  constexpr const char* kSpecial = " \t\n,[]=@*?";
  if (settings.queue.empty() || settings.queue.find_first_of(kSpecial) != std::string::npos)
    return bad("queue", settings.queue);
  if (settings.cell.empty() || settings.cell.find_first_of("/ \t\n") != std::string::npos)
    return bad("cell", settings.cell);
  return {};
}

}  // namespace

tl::unexpected<Error> look_only() {
  return fail(ErrorCode::refused, "opened to look only: changes nothing");
}

Status GridEngine::prepare() {
  const Result<GridEngineQueue> queue = cell_.queue();
  if (!queue) return tl::unexpected(queue.error());
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  for (const auto& [whose, local] : names_.map)
    if (hosts->find(local) == nullptr)
      return fail(ErrorCode::usage, "[hosts] map: '" + whose + "' is called '" + local +
                                        "' here, and the queue " + cell_.queue_name() +
                                        " has no such host; add it there with 0 slots");
  if (const Status known = learn(*hosts); !known) return known;
  if (const Status clear = owners_.refused(); !clear) return clear;
  if (!read_only_) {
    if (const Status done = renew_ending(); !done) return done;
    if (const Status done = close_ungranted(*hosts); !done) return done;
    if (const Status done = resume_stopped(); !done) return done;
  }
  prepared_ = true;
  return {};
}

Status GridEngine::learn(const QueueHosts& hosts) {
  std::vector<HostSeen> seen;
  for (const GridEngineInstance& instance : hosts.all())
    seen.push_back({instance.host, instance.total, instance.held() > 0, false});
  return owners_.learn(seen, journal_);
}

/// Sets imported hosts to no slots until they are granted.
Status GridEngine::close_ungranted(const QueueHosts& hosts) {
  std::vector<GridEngineCell::Slots> closed;
  std::vector<std::string> names;
  for (const GridEngineInstance& instance : hosts.all()) {
    if (!imported(instance.host) || instance.total == 0 || fenced(instance.host) != nullptr)
      continue;
    closed.emplace_back(instance.host, 0);
    names.push_back(instance.host);
  }
  if (const Status noted = note_originals(names, hosts); !noted) return noted;
  return set_and_read_back(closed);
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
  for (const GridEngineEnvironment& one :
       terms_.environments.value_or(std::vector<GridEngineEnvironment>{}))
    if (!one.unknown.empty())
      unknown_.see("parallel environment " + one.name + " has the allocation_rule '" + one.unknown +
                   "'");
  return QueueHosts::of(std::move(*seen), cell_.queue_name());
}

const HostCap* GridEngine::fenced(const std::string& host) const {
  const std::vector<HostCap>& caps = journal_.caps();
  const auto at =
      std::lower_bound(caps.begin(), caps.end(), host,
                       [](const HostCap& cap, const std::string& name) { return cap.host < name; });
  return at == caps.end() || at->host != host ? nullptr : &*at;
}

/// Returns the slots of an own host without a fence.
int32_t GridEngine::capacity(const GridEngineInstance& instance) const {
  const HostCap* cap = fenced(instance.host);
  const auto original = notes_.noted().originals.find(instance.host);
  if (original != notes_.noted().originals.end()) return original->second.slots;
  if (cap == nullptr) return instance.total;
  int32_t slots = cap->own;
  for (const CapPart& part : cap->parts) slots += part.exported;
  return slots;
}

void GridEngine::add_caps(const QueueHosts& hosts, View& view) const {
  for (const HostCap& noted : journal_.caps()) {
    const GridEngineInstance* instance = hosts.find(noted.host);
    if (instance == nullptr) continue;  // it has left the queue
    view.caps.push_back(noted);
    view.caps.back().slots = instance->total;
  }
  // Hosts of others that were opened by hand are to be closed. Hosts that were closed as another's
  // and are own by the present names are to be given back.
  const auto& originals = notes_.noted().originals;
  for (const GridEngineInstance& instance : hosts.all()) {
    const bool others = imported(instance.host);
    if (fenced(instance.host) != nullptr || owners_.unclear(instance.host)) continue;
    if (others ? instance.total > 0 : originals.contains(instance.host))
      view.caps.push_back({instance.host, others, instance.total, 0, 0, 0, {}, 0});
  }
}

/// Notes hosts that jobs have exclusively. Nobody else may use the rest of such a host, even if its
/// slots were lowered since: a job keeps what the host had when it was seen first; the next job has
/// what there is then.
void GridEngine::note_taken_whole(const QueueHosts& hosts) {
  std::map<std::string, TakenWhole> taken;
  auto now = hosts_taken_whole(hosts, terms_);
  for (auto& [host, jobs] : now) {
    const GridEngineInstance* instance = hosts.find(host);
    if (instance == nullptr) continue;
    int32_t slots = instance->total;
    const auto before = taken_whole_.find(host);
    if (before != taken_whole_.end() &&
        std::any_of(jobs.begin(), jobs.end(),
                    [&](const std::string& job) { return before->second.jobs.contains(job); }))
      slots = std::max(slots, before->second.slots);
    taken[host] = {std::move(jobs), slots};
  }
  taken_whole_ = std::move(taken);
}

Result<View> GridEngine::read(std::span<const std::string> asked) {
  if (!prepared_) {
    if (const Status ready = prepare(); !ready) return tl::unexpected(ready.error());
  }
  if (const Status terms = refresh_terms(); !terms) return tl::unexpected(terms.error());
  const Result<std::vector<GridEngineHost>> machines = cell_.hosts();
  if (!machines) return tl::unexpected(machines.error());
  const Result<QueueHosts> hosts = look();
  if (!hosts) return tl::unexpected(hosts.error());
  if (const Status known = learn(*hosts); !known) return tl::unexpected(known.error());
  View view;
  terms_.archs.clear();
  for (const GridEngineHost& machine : *machines)
    if (!machine.arch.empty()) terms_.archs.insert(machine.arch);
  note_taken_whole(*hosts);
  std::map<std::string, int32_t> used_now;
  for (const GridEngineInstance& instance : hosts->all()) {
    if (owners_.unclear(instance.host)) continue;
    const bool foreign = imported(instance.host);
    int32_t used = instance.held() + ending_slots(instance);
    if (const auto all = taken_whole_.find(instance.host); all != taken_whole_.end())
      used = std::max(used, all->second.slots);
    const int32_t before = used_before_[instance.host];
    used_now[instance.host] = used;
    view.running += used;
    if (!foreign) {
      const Result<GridEngineHost> machine = machine_of(*machines, instance.host);
      if (!machine) return tl::unexpected(machine.error());
      view.hosts.push_back({instance.host,
                            machine->arch,
                            "",
                            capacity(instance),
                            machine->mem_mb,
                            machine->swap_mb,
                            {},
                            {},
                            instance.up});
    } else if (std::find(asked.begin(), asked.end(), instance.host) == asked.end()) {
      continue;
    }
    view.loads.push_back({instance.host, foreign, instance.up, used, std::max(used, before)});
  }
  used_before_ = std::move(used_now);
  add_caps(*hosts, view);
  if (const Status shaped = add_shapes(*hosts, view); !shaped)
    return tl::unexpected(shaped.error());
  return view;
}

Status check_gridengine(const GridEngineSettings& settings, const HostNames& names) {
  if (const Status good = check_settings(settings); !good) return good;
  return HostOwners::check(names);
}

Result<std::unique_ptr<Workload>> open_gridengine(const GridEngineSettings& settings,
                                                  const AdapterSettings& adapter, Caller caller,
                                                  bool read_only, const TimeSource& time) {
  if (const Status good = check_settings(settings); !good) return tl::unexpected(good.error());
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
  auto opened = std::make_unique<GridEngine>(std::move(cell), adapter.names, std::move(*owners),
                                             std::move(queues), std::move(*journal),
                                             std::move(*notes), read_only, time);
  if (const Status ready = opened->prepare(); !ready && ready.error().code == ErrorCode::usage)
    return tl::unexpected(ready.error());
  return opened;
}

}  // namespace leasehold::agent
