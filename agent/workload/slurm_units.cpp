#include "agent/workload/slurm_units.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/json_text.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::json;

enum class UnitPhase : uint8_t { pending, holds, completing, ended, unknown };

/// squeue says COMPLETING of a job that has ended and has the flag.
UnitPhase phase_of(const std::string& state) {
  static const std::map<std::string, UnitPhase> kKnown{
      {"PENDING", UnitPhase::pending},       {"REQUEUED", UnitPhase::pending},
      {"REQUEUE_HOLD", UnitPhase::pending},  {"REQUEUE_FED", UnitPhase::pending},
      {"SPECIAL_EXIT", UnitPhase::pending},  {"RESV_DEL_HOLD", UnitPhase::pending},
      {"RUNNING", UnitPhase::holds},         {"CONFIGURING", UnitPhase::holds},
      {"SUSPENDED", UnitPhase::holds},       {"STOPPED", UnitPhase::holds},
      {"SIGNALING", UnitPhase::holds},       {"RESIZING", UnitPhase::holds},
      {"COMPLETING", UnitPhase::completing}, {"STAGE_OUT", UnitPhase::completing},
      {"COMPLETED", UnitPhase::ended},       {"CANCELLED", UnitPhase::ended},
      {"FAILED", UnitPhase::ended},          {"TIMEOUT", UnitPhase::ended},
      {"PREEMPTED", UnitPhase::ended},       {"NODE_FAIL", UnitPhase::ended},
      {"BOOT_FAIL", UnitPhase::ended},       {"DEADLINE", UnitPhase::ended},
      {"OUT_OF_MEMORY", UnitPhase::ended},   {"REVOKED", UnitPhase::ended},
  };
  const auto known = kKnown.find(state);
  return known == kKnown.end() ? UnitPhase::unknown : known->second;
}

/// A number, or an object that says whether it is set (newer versions).
int64_t whole_number(const json& job, const char* key) {
  const auto found = job.find(key);
  if (found == job.end() || found->is_null()) return 0;
  if (!found->is_object()) return found->get<int64_t>();
  return found->at("set").get<bool>() ? found->at("number").get<int64_t>() : 0;
}

std::string text(const json& job, const char* key) {
  const auto found = job.find(key);
  return found == job.end() || found->is_null() ? std::string() : found->get<std::string>();
}

int32_t cores_of(const json& node) {
  int32_t cores = 0;
  for (const auto& [socket, held] : node.at("sockets").items())
    cores += static_cast<int32_t>(held.at("cores").size());
  return cores;
}

bool is_shared(const json& job) {
  const auto found = job.find("shared");
  return found != job.end() && found->is_string() && *found == "shared";
}

bool is_exclusive(const json& job) {
  const auto found = job.find("shared");
  return found != job.end() && found->is_string() && *found == "none";
}

std::vector<int32_t> core_numbers(const json& node) {
  std::vector<int32_t> numbers;
  int32_t before = 0;
  for (const auto& [socket, held] : node.at("sockets").items()) {
    for (const auto& [core, how] : held.at("cores").items())
      numbers.push_back(before + std::stoi(core));
    before += 1'000;
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void place(const json& job, WorkUnit& unit) {
  unit.slots = 0;
  for (const json& node : job.at("job_resources").at("allocated_nodes")) {
    UnitHost on;
    on.host = node.at("nodename").get<std::string>();
    on.slots = cores_of(node);
    if (is_shared(job)) on.shared = core_numbers(node);
    if (on.slots == 0) continue;
    unit.slots += on.slots;
    unit.hosts.push_back(std::move(on));
  }
}

WorkUnit unit_of(const json& job, UnitPhase phase) {
  WorkUnit unit;
  unit.id = std::to_string(job.at("job_id").get<int64_t>());
  unit.slots = static_cast<int32_t>(whole_number(job, "cpus"));
  unit.submitted = {whole_number(job, "submit_time") * 1'000};
  unit.started = {whole_number(job, "start_time") * 1'000};
  unit.priority = whole_number(job, "priority");
  unit.requeueable = job.at("requeue").get<bool>() && job.at("batch_flag").get<bool>();
  unit.whole_hosts = is_exclusive(job);
  unit.user = text(job, "user_name");
  unit.account = text(job, "account");
  unit.partition = text(job, "partition");
  unit.qos = text(job, "qos");
  unit.comment = text(job, "comment");
  if (phase != UnitPhase::pending) place(job, unit);
  return unit;
}

tl::unexpected<Error> misread(const std::string& what) {
  return fail(ErrorCode::io, "what `squeue --json` printed is not understood: " + what);
}

}  // namespace

Result<std::vector<WorkUnit>> parse_slurm_units(std::string_view text, Instant now) {
  std::vector<WorkUnit> units;
  const Result<json> parsed = parse_json<json>(text);
  if (!parsed) return misread("it " + parsed.error().message);
  try {
    const json& all = *parsed;
    if (!all.at("errors").empty()) return misread("it tells of errors");
    for (const json& job : all.at("jobs")) {
      const std::string state = job.at("job_state").get<std::string>();
      const UnitPhase phase = phase_of(state);
      if (phase == UnitPhase::unknown) return misread("a job in state '" + state + "'");
      if (phase == UnitPhase::ended) continue;
      units.push_back(unit_of(job, phase));
      if (phase == UnitPhase::completing) units.back().started = now;
    }
  } catch (const json::exception& wrong) {
    return misread(wrong.what());
  } catch (const std::logic_error& wrong) {  // of std::stoi
    return misread(wrong.what());
  }
  return units;
}

}  // namespace leasehold::agent
