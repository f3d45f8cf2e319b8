#include "agent/workload/slurm/printed/units.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>

#include "agent/workload/slurm/printed/forms.hpp"
#include "agent/workload/slurm/printed/states.hpp"
#include "common/text/json_text.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::json;

/// Slurm has no larger number.
constexpr int64_t kNumberMost = int64_t{1} << 53;

int64_t whole(const json& number) {
  if (!number.is_number_integer()) {
    throw std::invalid_argument("a value that should be a number is not one");
  }
  const int64_t value = number.get<int64_t>();  // one beyond 2^63 is negative
  if (value > kNumberMost || (value < 0 && number.is_number_unsigned()) || value < -kNumberMost) {
    throw std::invalid_argument("the number " + number.dump() + " is too large");
  }
  return value;
}

/// Returns 0 if the number is not set, or has no end.
int64_t whole_number(const SlurmForm& form, const json& job, const char* key) {
  const auto found = job.find(key);
  if (found == job.end() || found->is_null()) return 0;
  if (!form.as_objects) return whole(*found);
  return found->at("set").get<bool>() ? whole(found->at("number")) : 0;
}

int32_t small_number(const SlurmForm& form, const json& job, const char* key) {
  const int64_t value = whole_number(form, job, key);
  if (value < 0 || value > INT32_MAX) throw std::invalid_argument(std::string(key) + " too large");
  return static_cast<int32_t>(value);
}

/// Returns an array's task by number: the array's own number is that of its last task, too. "" if
/// it is none.
std::string array_task(const SlurmForm& form, const json& job) {
  const int64_t array = whole_number(form, job, "array_job_id");
  const auto task = job.find("array_task_id");
  if (array == 0 || task == job.end() || task->is_null()) return "";
  if (form.as_objects && !task->at("set").get<bool>()) return "";
  return std::to_string(array) + "_" + std::to_string(whole_number(form, job, "array_task_id"));
}

/// Returns a list of words, or the one word of older forms.
std::vector<std::string> words(const SlurmForm& form, const json& job, const char* key) {
  const auto found = job.find(key);
  if (found == job.end() || found->is_null()) return {};
  if (form.as_objects) return found->get<std::vector<std::string>>();
  return {found->get<std::string>()};
}

bool has_word(const std::vector<std::string>& all, const char* word) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

/// A job in a state that is not known holds what it has.
SlurmPhase phase_of(const SlurmForm& form, const json& job) {
  if (const auto phase = slurm_phase(words(form, job, "job_state"))) return *phase;
  const auto resources = job.find("job_resources");
  const bool has = resources != job.end() && resources->is_object() && !resources->empty();
  return has ? SlurmPhase::holds : SlurmPhase::ended;
}

std::string text(const json& job, const char* key) {
  const auto found = job.find(key);
  return found == job.end() || found->is_null() ? std::string() : found->get<std::string>();
}

/// Numbers the cores of a node; those of a socket follow those of the one before it.
constexpr int32_t kCoresOfSocketMost = 10'000;

int32_t core_number(int64_t socket, int64_t core) {
  if (socket < 0 || socket >= kCoresOfSocketMost || core < 0 || core >= kCoresOfSocketMost) {
    throw std::invalid_argument("a socket or core number that is not from 0 to 9999");
  }
  return static_cast<int32_t>(socket * kCoresOfSocketMost + core);
}

/// Reads {"0": {"cores": {"3": "allocated"}}}.
std::vector<int32_t> cores_by_key(const json& node) {
  std::vector<int32_t> numbers;
  for (const auto& [socket, held] : node.at("sockets").items()) {
    for (const auto& [core, how] : held.at("cores").items()) {
      numbers.push_back(core_number(std::stoi(socket), std::stoi(core)));
    }
  }
  return numbers;
}

/// Reads [{"index": 0, "cores": [{"index": 3, "status": ["ALLOCATED"]}]}].
std::vector<int32_t> cores_by_status(const json& node) {
  std::vector<int32_t> numbers;
  for (const json& socket : node.at("sockets")) {
    for (const json& core : socket.at("cores")) {
      if (has_word(core.at("status").get<std::vector<std::string>>(), "ALLOCATED")) {
        numbers.push_back(core_number(whole(socket.at("index")), whole(core.at("index"))));
      }
    }
  }
  return numbers;
}

const json& allocation(const SlurmForm& form, const json& job) {
  const json& resources = job.at("job_resources");
  if (!form.nodes_allocated) return resources.at("allocated_nodes");
  return resources.at("nodes").at("allocation");
}

/// Returns the hosts on which a job is suspended: another one may have its cores meanwhile.
std::set<std::string> hosts_of_turns(const SlurmForm& form, const json& jobs) {
  std::set<std::string> hosts;
  for (const json& job : jobs) {
    if (!has_word(words(form, job, "job_state"), "SUSPENDED")) continue;
    for (const json& node : allocation(form, job)) {
      hosts.insert(node.at(form.nodes_allocated ? "name" : "nodename").get<std::string>());
    }
  }
  return hosts;
}

void place(const SlurmForm& form, const json& job, const std::set<std::string>& turns,
           WorkUnit& unit) {
  const bool shared =
      has_word(words(form, job, "shared"), form.as_objects ? "oversubscribe" : "shared");
  unit.slots = 0;
  for (const json& node : allocation(form, job)) {
    std::vector<int32_t> cores = form.nodes_allocated ? cores_by_status(node) : cores_by_key(node);
    if (cores.empty()) continue;
    UnitHost on;
    on.host = node.at(form.nodes_allocated ? "name" : "nodename").get<std::string>();
    on.slots = static_cast<int32_t>(cores.size());
    std::sort(cores.begin(), cores.end());
    if (shared || turns.contains(on.host)) on.shared = std::move(cores);
    unit.slots += on.slots;
    unit.hosts.push_back(std::move(on));
  }
}

WorkUnit unit_of(const SlurmForm& form, const json& job, SlurmPhase phase,
                 const std::set<std::string>& turns) {
  WorkUnit unit;
  unit.id = std::to_string(whole(job.at("job_id")));
  unit.called = array_task(form, job);
  unit.slots = small_number(form, job, "cpus");
  unit.submitted = {whole_number(form, job, "submit_time") * 1'000};
  unit.started = {whole_number(form, job, "start_time") * 1'000};
  unit.priority = whole_number(form, job, "priority");
  unit.requeueable = job.at("requeue").get<bool>() && job.at("batch_flag").get<bool>();
  unit.whole_hosts = has_word(words(form, job, "shared"), "none");
  unit.user = text(job, "user_name");
  unit.account = text(job, "account");
  unit.partition = text(job, "partition");
  unit.qos = text(job, "qos");
  unit.comment = text(job, "comment");
  if (phase == SlurmPhase::holds || phase == SlurmPhase::completing) place(form, job, turns, unit);
  return unit;
}

/// `places` has the indices of the unit's hosts by name.
void add_hosts(WorkUnit& unit, const std::vector<UnitHost>& hosts,
               std::map<std::string, size_t>& places) {
  for (const UnitHost& more : hosts) {
    const auto [place, first] = places.try_emplace(more.host, unit.hosts.size());
    if (first) {
      unit.hosts.push_back(more);
      continue;
    }
    UnitHost& known = unit.hosts[place->second];
    known.slots += more.slots;
    known.shared.insert(known.shared.end(), more.shared.begin(), more.shared.end());
  }
}

/// Joins the components of a heterogeneous job under the number of the first: Slurm requeues them
/// as one, and by that number alone. Facts for sessions are the first component's.
WorkUnit joined_parts(const std::string& id, const std::vector<WorkUnit>& parts) {
  const auto first = std::find_if(parts.begin(), parts.end(),
                                  [&id](const WorkUnit& part) { return part.id == id; });
  WorkUnit whole = first == parts.end() ? parts.front() : *first;
  whole.id = id;
  whole.slots = 0;
  whole.hosts.clear();
  const bool runs =
      std::any_of(parts.begin(), parts.end(), [](const WorkUnit& part) { return part.running(); });
  whole.ending = runs;
  std::map<std::string, size_t> places;
  for (const WorkUnit& part : parts) {
    whole.requeueable = whole.requeueable && part.requeueable;
    whole.whole_hosts = whole.whole_hosts || part.whole_hosts;
    if (runs && !part.running()) continue;  // it waits again already
    if (whole.slots == 0 || part.started < whole.started) whole.started = part.started;
    whole.ending = whole.ending && part.ending;
    whole.slots += part.slots;
    add_hosts(whole, part.hosts, places);
  }
  return whole;
}

tl::unexpected<Error> misread(const std::string& what) {
  return fail(ErrorCode::io, "what `squeue --json` printed is not understood: " + what);
}

/// Throws the library's exceptions, and std::logic_error.
Result<std::vector<WorkUnit>> units_of(const json& all, Instant now) {
  const std::string name = slurm_form_named(all);
  const SlurmForm* form = find_slurm_form(name);
  if (form == nullptr) {
    return misread("its data_parser is '" + name + "'; right would be one of " +
                   known_slurm_forms());
  }
  if (!all.at("errors").empty()) return misread("it reports errors");
  std::vector<WorkUnit> units;
  std::map<int64_t, std::vector<WorkUnit>> heterogeneous;  // by the number of the first component
  const std::set<std::string> turns = hosts_of_turns(*form, all.at("jobs"));
  for (const json& job : all.at("jobs")) {
    const SlurmPhase phase = phase_of(*form, job);
    if (phase == SlurmPhase::ended) continue;
    const int64_t first = whole_number(*form, job, "het_job_id");
    std::vector<WorkUnit>& among = first == 0 ? units : heterogeneous[first];
    among.push_back(unit_of(*form, job, phase, turns));
    if (phase != SlurmPhase::completing) continue;
    among.back().started = now;
    among.back().ending = true;
  }
  join_heterogeneous(heterogeneous, units);
  return units;
}

}  // namespace

void join_heterogeneous(const std::map<int64_t, std::vector<WorkUnit>>& jobs,
                        std::vector<WorkUnit>& units) {
  for (const auto& [first, parts] : jobs) {
    units.push_back(joined_parts(std::to_string(first), parts));
  }
}

Result<std::vector<WorkUnit>> parse_slurm_units(std::string_view text, Instant now) {
  const Result<json> all = parse_json<json>(text);
  if (!all) return misread("it " + all.error().message);
  try {
    return units_of(*all, now);
  } catch (const json::exception& wrong) {
    return misread(wrong.what());
  } catch (const std::logic_error& wrong) {
    return misread(wrong.what());
  }
}

std::vector<std::string> slurm_jobs_lacking(std::string_view text) {
  constexpr const char* kThen =
      ": nothing in use can be reclaimed, and selective reclaim and preemption do not work";
  const Result<std::vector<WorkUnit>> units = parse_slurm_units(text, {});
  if (!units) return {"the agent cannot read jobs, because " + units.error().message + kThen};
  const Result<json> all = parse_json<json>(text);
  const std::string form = slurm_form_named(*all);
  if (find_slurm_form(form)->tells_sharing) return {};
  return {
      "the agent cannot see which jobs share cores or have hosts for themselves: this Slurm writes "
      "jobs as " +
      form + " only, which does not say; the others of " + known_slurm_forms() + " do"};
}

}  // namespace leasehold::agent
