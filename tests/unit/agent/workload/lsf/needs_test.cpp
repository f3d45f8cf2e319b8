// LSF's pending jobs want and wait for these things, in shapes and words of its command reference.
#include "agent/workload/lsf/needs.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;
using namespace leasehold::agent;
using wire::TimeClass;

namespace {

std::string record(const std::string& id, const std::string& limit, const std::string& reason,
                   const std::string& requirement) {
  return R"({"JOBID":")" + id + R"(","JOBINDEX":"0","RUNTIMELIMIT":")" + limit +
         R"(","PEND_REASON":")" + reason + R"(","EFFECTIVE_RESREQ":")" + requirement + "\"}";
}

LsfNeedsOfJobs needs_of(const std::string& records) {
  return parse_needs(R"({"COMMAND":"bjobs","JOBS":1,"RECORDS":[)" + records + "]}").value();
}

WorkUnit pending(const std::string& id, int32_t slots, const std::string& queue = "normal") {
  WorkUnit unit;
  unit.id = id;
  unit.slots = slots;
  unit.partition = queue;
  unit.submitted = {1'776'017'400'000};
  return unit;
}

WaitingWork shape(int32_t per_host, int32_t hosts, int64_t slots) {
  return {per_host, hosts, slots, TimeClass::unknown, {1'776'017'400'000}};
}

}  // namespace

TEST_CASE("lsf: the span of a job says how many slots lie on one host, and on how many") {
  struct Row {
    int32_t slots;
    const char* requirement;
    WaitingWork wanted;
  };
  const Row rows[] = {{6, "", shape(1, 1, 6)},
                      {6, "select[type == any] order[r15s:pg]", shape(1, 1, 6)},
                      {6, "select[mem>100] span[hosts=1]", shape(6, 1, 6)},
                      {8, "span[ptile=4]", shape(4, 2, 8)},
                      {10, "span[ptile=4]", shape(2, 3, 10)},  // the last host has two
                      {3, "span[ptile=4]", shape(3, 1, 3)},
                      {6, "span[hosts=-1]", shape(1, 1, 6)},
                      {6, "span[ptile='!',Opteron:4]", shape(1, 1, 6)},
                      {6, "SPAN[HOSTS=1] rusage[mem=5]", shape(6, 1, 6)},
                      {6, "rusage[ptile=4] span[block=2]", shape(1, 1, 6)}};
  for (const Row& row : rows) {
    INFO(row.requirement << " " << row.slots);
    const std::vector<WorkUnit> units{pending("7", row.slots)};
    const auto found = lsf_waiting(units, {}, needs_of(record("7", "-", "-", row.requirement)));
    REQUIRE(found.size() == 1);
    CHECK(found[0] == row.wanted);
  }
}

TEST_CASE("lsf: what waits for anything but slots is kept; a limit of a single host keeps nobody") {
  for (const char* reason :
       {"The job has a specified start time;", "Job has a specified start time",
        "Job dependency condition not satisfied;",
        "Dependency condition invalid or never satisfied",
        "The queue is inactivated by the administrator",
        "The queue is inactivated by its time windows",
        "User has reached the per-user job slot limit of the queue",
        "The user has reached his/her job slot limit",
        "New job is waiting for scheduling; The queue has reached its job slot limit;",
        "The job array has reached its job slot limit.",
        "Resource (slot) limit defined cluster-wide has been reached",
        "Resource (slot) limit defined on user or user group has been reached",
        "Resource limit defined on project has been reached"}) {
    INFO(reason);
    CHECK(keeps_pending(reason));
  }
  for (const char* reason :
       {"", "-", "New job is waiting for scheduling;", "Requeued job is waiting for rescheduling;",
        "Requeue the job for the next run;", "Job slot limit reached: 3 hosts;",
        "User's per-host job slot limit reached", "Closed by LSF administrator: 2 hosts;",
        "Resource limit defined on host(s) and/or host group has been reached",
        "Job's resource requirements not satisfied: 4 hosts;",
        "Not enough job slot(s) while on reservation"}) {
    INFO(reason);
    CHECK_FALSE(keeps_pending(reason));
    CHECK(lsf_slots_would_help(reason));
  }
  const std::vector<WorkUnit> units{pending("7", 2), pending("8", 2), pending("9", 2, "night")};
  const auto needs = needs_of(record("7", "-", "Job dependency condition not satisfied;", "") +
                              "," + record("8", "-", "-", ""));
  CHECK(lsf_waiting(units, {}, needs).size() == 2);
  CHECK(lsf_waiting(units, {"normal"}, needs).size() == 1);
}

TEST_CASE("lsf: a job of whose reasons none is known counts for nothing, and is told") {
  const char* strange = "The moon is not full; Wait for it; ";
  CHECK_FALSE(lsf_slots_would_help(strange));
  CHECK(lsf_slots_would_help("The moon is not full; Closed by LSF administrator: 2 hosts;"));
  const auto needs = needs_of(record("7", "-", strange, "") + "," +
                              record("8", "-", "Job dependency condition not satisfied;", ""));
  CHECK(needs.at("7").kept);
  CHECK(needs.at("7").unknown == strange);
  CHECK(needs.at("8").kept);
  CHECK(needs.at("8").unknown.empty());
  CHECK(lsf_waiting(std::vector<WorkUnit>{pending("7", 2)}, {}, needs).empty());
}

TEST_CASE("lsf: the run limit is in minutes, and what runs ends by it") {
  const std::pair<const char*, std::optional<int64_t>> rows[] = {
      {"60.0", 3'600},      {"60", 3'600},         {"60.0 min", 3'600},    {"0.5/hostA", 30},
      {"-", std::nullopt},  {"", std::nullopt},    {"0", std::nullopt},    {"1:30", std::nullopt},
      {"-5", std::nullopt}, {"nan", std::nullopt}, {"1e300", std::nullopt}};
  for (const auto& [text, seconds] : rows) {
    INFO(text);
    CHECK(needs_of(record("7", text, "-", "")).at("7").limit_s == seconds);
  }
  WorkUnit runs = pending("7", 3);
  runs.hosts = {{"big1", 3}};
  runs.started = {1'776'017'455'000};
  const auto borrowed = [](const std::string& host) { return host == "big1"; };
  const auto running = lsf_running({&runs, 1}, needs_of(record("7", "60.0", "-", "")), borrowed);
  CHECK(running == std::vector<RunningWork>{{"7", 3, runs.started, runs.started + 3'600'000}});
  CHECK(lsf_running({&runs, 1}, {}, borrowed)[0].until == kNever);
  const std::vector<WorkUnit> waits{pending("7", 3)};
  CHECK(lsf_waiting(waits, {}, needs_of(record("7", "60.0", "-", "")))[0].limit ==
        TimeClass::hour_1);
}

TEST_CASE("lsf: a task of an array is told by its index; what is no list of records is refused") {
  const auto task = parse_needs(R"({"RECORDS":[{"JOBID":"7","JOBINDEX":"3"}]})");
  REQUIRE(task.has_value());
  CHECK(task->contains("7[3]"));
  for (const char* bad : {"", "[]", "{}", R"({"RECORDS":3})", R"({"RECORDS":[3]})",
                          R"({"RECORDS":[{"JOBINDEX":"3"}]})", R"({"RECORDS":[{"JOBID":"7")",
                          R"({"RECORDS":[{"JOBID":"7","EFFECTIVE_RESREQ":"a"b"}]})"}) {
    INFO(bad);
    CHECK_FALSE(parse_needs(bad).has_value());
  }
}
