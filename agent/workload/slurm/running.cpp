#include "agent/workload/slurm/running.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "agent/workload/slurm/printed/units.hpp"
#include "agent/workload/slurm/printed/words.hpp"

namespace leasehold::agent {

namespace {

constexpr const char* kFacts = "squeue -O";

std::string word_or_none(std::string_view word) {
  return word == "N/A" || word == "(null)" ? std::string() : std::string(word);
}

Result<std::pair<std::string, SlurmJobFacts>> parse_facts(std::string_view line) {
  std::array<std::string_view, 12> fields;
  std::string_view rest = line;
  for (std::string_view& field : fields) {
    const size_t bar = rest.find('|');
    if (bar == rest.npos) return misread(kFacts, line, "a job's facts, each with a | after it");
    field = rest.substr(0, bar);
    rest.remove_prefix(bar + 1);
  }
  const auto& [id, array, task, priority, requeue, batch, shares, user, partition, qos, het,
               started] = fields;
  if (!number(id) || !number(requeue) || !number(batch)) {
    return misread(kFacts, line, "a job's number, and whether it may be queued again");
  }
  SlurmJobFacts facts;
  if (number(task)) facts.called = std::string(array) + "_" + std::string(task);
  std::from_chars(priority.data(), priority.data() + priority.size(), facts.priority);
  facts.requeueable = requeue == "1" && batch != "0";
  facts.oversubscribes = shares == "YES";
  facts.user = word_or_none(user);
  facts.partition = word_or_none(partition);
  facts.qos = word_or_none(qos);
  facts.heterogeneous = het == "0" ? std::string() : word_or_none(het);
  facts.started_s = seconds_of(started).value_or(0);
  return std::pair(std::string(id), std::move(facts));
}

UnitHost on_host(const SlurmHost& host, const SlurmShare& share, bool shared) {
  const std::set<int32_t> cores = host.cores_of(share);
  UnitHost on{host.node.name, static_cast<int32_t>(cores.size()), {}};
  if (shared) on.shared.assign(cores.begin(), cores.end());
  return on;
}

/// Returns the hosts of a job with its slots there. If Slurm does not print the CPUs by host, each
/// host counts with all CPUs but one for each other host.
Result<std::vector<UnitHost>> places_of(SlurmSpreads& spreads, const SlurmSnapshot& snapshot,
                                        const SlurmJob& job, bool oversubscribes) {
  const SlurmHost* one = snapshot.find(job.nodes);
  const auto turns = [&](const SlurmHost& host) { return oversubscribes || host.jobs_take_turns; };
  if (one != nullptr && !turns(*one)) {
    return std::vector<UnitHost>{{one->node.name, one->slots_of(job.cpus), {}}};
  }
  const Result<std::vector<std::string>> nodes = expand_slurm_nodes(job.nodes);
  if (!nodes) return tl::unexpected(nodes.error());
  const auto shares = spreads.of(snapshot, job, *nodes);
  if (!shares) return tl::unexpected(shares.error());
  std::vector<UnitHost> places;
  for (const SlurmShare& share : **shares) {
    if (const SlurmHost* host = snapshot.find(share.node)) {
      places.push_back(on_host(*host, share, turns(*host)));
    }
  }
  const int32_t others = static_cast<int32_t>(nodes->size()) - 1;
  if (places.empty()) {
    for (const std::string& node : *nodes) {
      if (const SlurmHost* host = snapshot.find(node)) {
        places.push_back({node, host->slots_of(std::max(1, job.cpus - others)), {}});
      }
    }
  }
  return places;
}

WorkUnit unit_of(const SlurmSnapshot& snapshot, const SlurmJob& job, const SlurmJobFacts& facts) {
  WorkUnit unit;
  unit.id = job.id;
  unit.called = facts.called;
  unit.submitted = {job.submitted_s * 1'000};
  unit.ending = job.phase == SlurmPhase::completing;
  unit.started = {(unit.ending ? snapshot.controller.now_s : job.started_s) * 1'000};
  unit.priority = facts.priority;
  unit.requeueable = facts.requeueable;
  unit.whole_hosts = snapshot.takes_whole_hosts(job);
  unit.user = facts.user;
  unit.partition = facts.partition;
  unit.qos = facts.qos;
  return unit;
}

}  // namespace

Result<std::unordered_map<std::string, SlurmJobFacts>> parse_slurm_facts(std::string_view text) {
  std::unordered_map<std::string, SlurmJobFacts> all;
  if (text.empty()) return all;
  if (Status whole = ends_whole(kFacts, text); !whole) return tl::unexpected(whole.error());
  for (size_t at = 0; at < text.size();) {
    auto facts = parse_facts(take_line(text, at));
    if (!facts) return tl::unexpected(facts.error());
    all.insert(*std::move(facts));
  }
  return all;
}

Result<std::vector<WorkUnit>> slurm_running_units(
    SlurmSpreads& spreads, const SlurmSnapshot& snapshot,
    const std::unordered_map<std::string, SlurmJobFacts>& facts) {
  std::vector<WorkUnit> units;
  std::map<int64_t, std::vector<WorkUnit>> heterogeneous;
  for (const SlurmJob& job : snapshot.jobs) {
    if (job.phase != SlurmPhase::holds && job.phase != SlurmPhase::completing) continue;
    const auto known = facts.find(job.id);
    if (known == facts.end() || known->second.started_s != job.started_s) continue;
    WorkUnit unit = unit_of(snapshot, job, known->second);
    Result<std::vector<UnitHost>> places =
        places_of(spreads, snapshot, job, known->second.oversubscribes);
    if (!places) return tl::unexpected(places.error());
    unit.hosts = *std::move(places);
    for (const UnitHost& on : unit.hosts) unit.slots += on.slots;
    const std::optional<int64_t> first = number(known->second.heterogeneous);
    (first ? heterogeneous[*first] : units).push_back(std::move(unit));
  }
  join_heterogeneous(heterogeneous, units);
  return units;
}

}  // namespace leasehold::agent
