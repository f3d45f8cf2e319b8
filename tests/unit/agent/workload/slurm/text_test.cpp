// The output of Slurm 22.05.8 (tests/data/slurm) is read, and refused as a whole when it is
// spoiled.
#include "agent/workload/slurm/printed/text.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "agent/workload/slurm/look/client.hpp"
#include "agent/workload/slurm/printed/units.hpp"

using namespace leasehold;
using namespace leasehold::agent;

namespace {

std::string recorded(const std::string& name) {
  std::ifstream file(std::string(LEASEHOLD_SOURCE_DIR) + "/tests/data/slurm/" + name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

/// Every beginning of it is refused, or is a whole number of lines.
template <class Parse>
void check_cut(const std::string& text, const Parse& parse) {
  for (size_t length = 1; length < text.size(); ++length) {
    if (text[length - 1] == '\n') continue;
    INFO("cut after " << length << " bytes");
    CHECK_FALSE(parse(text.substr(0, length)));
  }
}

const SlurmJob& job_of(const std::vector<SlurmJob>& jobs, const std::string& id) {
  for (const SlurmJob& job : jobs) {
    if (job.id == id) return job;
  }
  FAIL("no job " << id);
  return jobs.front();
}

}  // namespace

TEST_CASE("slurm: the controller's start and its own time are read from its configuration") {
  const auto controller = parse_slurm_config(recorded("scontrol_show_config.out"));
  REQUIRE(controller);
  CHECK(controller->boot == "2026-11-21T01:45:39");
  CHECK(controller->now_s - controller->boot_s == 51);
  CHECK(controller->version == "22.05.8");
  CHECK(controller->user == "root(0)");
  CHECK(controller->select == "select/cons_tres");
  CHECK(controller->private_data.empty());
}

TEST_CASE("slurm: nodes are read with their cores, what is allocated, and whether work may start") {
  const std::string text = recorded("scontrol_show_node_o.out");
  const auto nodes = parse_slurm_nodes(text);
  REQUIRE(nodes);
  REQUIRE(nodes->size() == 3);
  CHECK((*nodes)[0].name == "p1");
  CHECK((*nodes)[0].cores == 8);
  CHECK((*nodes)[1].cpus_allocated == 3);
  CHECK((*nodes)[1].mem_mb == 16000);
  CHECK((*nodes)[0].up);
  const auto completing = parse_slurm_nodes(recorded("scontrol_show_node_completing.out"));
  REQUIRE(completing);
  CHECK(completing->front().up);
  const struct {
    const char* state;
    bool up;
  } rows[] = {{"IDLE", true},
              {"IDLE+DRAIN", false},
              {"MIXED+PLANNED", true},
              {"DOWN*", false},
              {"IDLE*", false},
              {"UNKNOWN", false},
              {"IDLE+NOT_RESPONDING", false},
              {"MIXED+COMPLETING+DRAIN", false},
              {"IDLE+MAINTENANCE", false},
              {"ALLOCATED+SOMETHING_NEW", false}};
  for (const auto& row : rows) {
    INFO(row.state);
    const auto one =
        parse_slurm_nodes(replaced(text, "State=ALLOCATED", std::string("State=") + row.state));
    REQUIRE(one);
    CHECK(one->front().up == row.up);
  }
}

TEST_CASE("slurm: a slot is a core, however many threads it has") {
  std::string text = recorded("scontrol_show_node_completing.out");
  text = replaced(text, "ThreadsPerCore=1", "ThreadsPerCore=2");
  text = replaced(text, "CPUEfctv=8", "CPUEfctv=14");
  text = replaced(text, "CPUTot=8", "CPUTot=16");
  const auto nodes = parse_slurm_nodes(text);
  REQUIRE(nodes);
  CHECK(nodes->front().cores == 7);
  CHECK(nodes->front().threads == 2);
}

TEST_CASE("slurm: nodes in output that is not as it should be are refused as a whole") {
  const std::string text = recorded("scontrol_show_node_o.out");
  check_cut(text, [](const std::string& cut) { return parse_slurm_nodes(cut).has_value(); });
  const std::pair<const char*, const char*> rows[] = {{"CPUTot=8", "CPUTot=acht"},
                                                      {"CPUTot=8", "CPUTot=8,0"},
                                                      {"CPUAlloc=3", "CPUAlloc=-3"},
                                                      {"CPUAlloc=8", "CPUsBusy=8"},
                                                      {"NodeName=p2", "Node=p2"},
                                                      {"NodeName=p2", "NodeName=p1"},
                                                      {"ThreadsPerCore=1", "ThreadsPerCore=0"},
                                                      {"CPUTot=8", "CPUTot=99999999999999999999"}};
  for (const auto& [what, with] : rows) {
    INFO(what << " -> " << with);
    CHECK_FALSE(parse_slurm_nodes(replaced(text, what, with)));
  }
  CHECK_FALSE(parse_slurm_nodes(""));
  CHECK_FALSE(parse_slurm_nodes("\n"));
  CHECK_FALSE(parse_slurm_nodes("scontrol: Fehler: keine Verbindung\n"));
}

TEST_CASE("slurm: reservations are read; only those that carry our name are ours") {
  const auto none = parse_slurm_reservations(recorded("scontrol_show_res_o.out"));
  REQUIRE(none);
  CHECK(none->empty());
  const std::string text = recorded("scontrol_show_res_o_with.out");
  const auto made = parse_slurm_reservations(text);
  REQUIRE(made);
  REQUIRE(made->size() == 1);
  CHECK(made->front().nodes == std::vector<std::string>{"p1"});
  CHECK(made->front().cores == 3);
  CHECK_FALSE(made->front().whole);
  const auto whole =
      parse_slurm_reservations(replaced(text, "Flags=OVERLAP", "Flags=OVERLAP,IGNORE_JOBS"));
  REQUIRE(whole);
  CHECK(whole->front().whole);
  check_cut(text, [](const std::string& cut) { return parse_slurm_reservations(cut).has_value(); });
  for (const char* spoiled : {"CoreCnt=drei", "Cores=3"}) {
    CHECK_FALSE(parse_slurm_reservations(replaced(text, "CoreCnt=3", spoiled)));
  }
  CHECK_FALSE(parse_slurm_reservations(""));
  CHECK_FALSE(parse_slurm_reservations("Keine Reservierungen\n"));
  CHECK(read_fence_name("leasehold-imp-p1-12").host == "imp-p1");
  CHECK(read_fence_name("leasehold-imp-p1-12").number == 12);
  for (const char* other : {"maint", "leasehold", "leasehold-", "leasehold-p1-", "leasehold-p1-x",
                            "leasehold-p1-2K", "leasehold--7"}) {
    CHECK(read_fence_name(other).host.empty());
  }
}

TEST_CASE("slurm: jobs are read with what they hold, want and wait for") {
  const auto jobs = parse_slurm_jobs(recorded("22.05/squeue.out"));
  REQUIRE(jobs);
  CHECK(job_of(*jobs, "1").phase == SlurmPhase::holds);
  CHECK(job_of(*jobs, "1").cpus == 3);
  CHECK(job_of(*jobs, "2").nodes == "p[1-2]");
  CHECK(job_of(*jobs, "8").phase == SlurmPhase::ended);
  CHECK(job_of(*jobs, "4").phase == SlurmPhase::completing);
  CHECK(job_of(*jobs, "6").phase == SlurmPhase::pending);
  CHECK(job_of(*jobs, "7").phase == SlurmPhase::waits);
  CHECK(job_of(*jobs, "9").requested == "p2");
  REQUIRE(parse_slurm_jobs(""));
  CHECK(parse_slurm_jobs("1|RUNNING|2K|batch|N/A|p1||OK|1|UNLIMITED|N/A|N/A|1||None\n")
            ->front()
            .cpus == 2048);
}

TEST_CASE("slurm: jobs in output that is not as it should be are refused as a whole") {
  const std::string text = recorded("22.05/squeue.out");
  check_cut(text, [](const std::string& cut) { return parse_slurm_jobs(cut).has_value(); });
  for (const auto& [what, with] : std::initializer_list<std::pair<const char*, const char*>>{
           {"|3|batch", "|3.5|batch"},
           {"|3|batch", "||batch"},
           {"1|RUNNING", "1RUNNING"},
           {"1|RUNNING", "x1|RUNNING"},
           {"|p1|p1|OK|1|365", "||p1|OK|1|365"}}) {
    INFO(what << " -> " << with);
    CHECK_FALSE(parse_slurm_jobs(replaced(text, what, with)));
  }
  for (const char* state : {"ENTANGLED", "WIRD AUSGEFÜHRT"}) {
    const auto jobs = parse_slurm_jobs(replaced(text, "1|RUNNING", "1|" + std::string(state)));
    REQUIRE(jobs);
    CHECK(job_of(*jobs, "1").unknown == state);
    CHECK(job_of(*jobs, "1").phase == SlurmPhase::holds);
  }
}

TEST_CASE("slurm: lists of nodes are written out, and refused when they are no such lists") {
  const auto names = expand_slurm_nodes("p[1-3,08],q,r[1-2]n[5-6]x");
  REQUIRE(names);
  CHECK(*names ==
        std::vector<std::string>{"p1", "p2", "p3", "p08", "q", "r1n5x", "r2n5x", "r1n6x", "r2n6x"});
  CHECK(*expand_slurm_nodes("n[008-010]") == std::vector<std::string>{"n008", "n009", "n010"});
  for (const char* bad :
       {"", ",", "p[1-", "p[]", "p[2-1]", "p[a]", "p1,", "p[1-999999999]", "(null)", "a b"}) {
    INFO(bad);
    CHECK_FALSE(expand_slurm_nodes(bad));
  }
}

TEST_CASE(
    "slurm: how a job's CPUs lie on its hosts is believed only where it agrees with the job") {
  const std::string text = recorded("scontrol_show_job_two_nodes.out");
  const std::vector<std::string> nodes{"p1", "p2"};
  const auto shares = parse_slurm_shares(text, nodes, 6);
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].cpus.size() + shares[1].cpus.size() == 6);
  CHECK(parse_slurm_shares(text, nodes, 7).empty());
  CHECK(parse_slurm_shares(text, {"p1"}, 6).empty());
  CHECK(parse_slurm_shares("", nodes, 6).empty());
  // A job may be called so.
  const std::string forged = replaced(text, "JobName=", "JobName=x Nodes=p1 CPU_IDs=0-5 ");
  CHECK(parse_slurm_shares(forged, nodes, 6).empty());
  // Symptom: 100,000 hosts with 100,000 CPUs each were made of a name, and the agent ended.
  const std::string bomb =
      replaced(text, "JobName=", "JobName=x Nodes=a[0-99999] CPU_IDs=0-99999 ");
  CHECK(parse_slurm_shares(bomb, nodes, 6).empty());
}

TEST_CASE("slurm: a heterogeneous job is one unit, and a task of an array is called as one") {
  const auto job = [](int id, int first, const char* state, const char* host, bool requeue = true) {
    const std::string resources = *host == '\0'
                                      ? std::string("{}")
                                      : std::string(R"({"allocated_nodes":[{"nodename":")") + host +
                                            R"(","sockets":{"0":{"cores":{"0":"allocated"}}}}]})";
    return R"({"job_id":)" + std::to_string(id) + R"(,"het_job_id":)" + std::to_string(first) +
           R"(,"job_state":")" + state + R"(","cpus":1,"submit_time":5,"start_time":)" +
           std::to_string(100 + id) + R"(,"priority":1,"batch_flag":true,"requeue":)" +
           (requeue ? "true" : "false") + R"(,"job_resources":)" + resources + "}";
  };
  const auto read = [](const std::string& jobs) {
    const auto units = parse_slurm_units(
        R"({"meta":{"plugin":{"type":"openapi/v0.0.38"}},"errors":[],"jobs":[)" + jobs + "]}",
        {900'000});
    REQUIRE(units);
    return *units;
  };
  const auto both = read(job(4, 3, "RUNNING", "p2") + "," + job(3, 3, "RUNNING", "p1"));
  REQUIRE(both.size() == 1);
  CHECK(both[0].id == "3");
  CHECK(both[0].name() == "3");
  CHECK(both[0].slots == 2);
  CHECK(both[0].slots_on("p1") == 1);
  CHECK(both[0].slots_on("p2") == 1);
  CHECK(both[0].started.ms == 103'000);
  CHECK(both[0].requeueable);
  CHECK_FALSE(both[0].ending);
  const auto same_host = read(job(3, 3, "RUNNING", "p1") + "," + job(4, 3, "RUNNING", "p1", false));
  REQUIRE(same_host[0].hosts.size() == 1);
  CHECK(same_host[0].slots_on("p1") == 2);
  CHECK_FALSE(same_host[0].requeueable);
  // Queued again: one component waits already while another completes.
  const auto ends = read(job(3, 3, "COMPLETING", "p1") + "," + job(4, 3, "PENDING", ""));
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].ending);
  CHECK(ends[0].slots == 1);
  const auto waits = read(job(3, 3, "PENDING", "") + "," + job(4, 3, "PENDING", ""));
  CHECK_FALSE(waits[0].running());
  CHECK(waits[0].slots == 2);
  std::string task = job(7, 0, "RUNNING", "p1");
  task.insert(1, R"("array_job_id":7,"array_task_id":0,)");
  CHECK(read(task)[0].id == "7");
  CHECK(read(task)[0].name() == "7_0");
}

TEST_CASE("slurm: how a job ended is read from its own line alone") {
  using How = JobEnd::How;
  const struct {
    const char* line;
    JobEnd end;
  } rows[] = {{"7|COMPLETED|0|", {How::well, 0}},      {"7|FAILED|768|", {How::failed, 3}},
              {"7|FAILED|10|", {How::failed, 138}},    {"7|FAILED|3:0|", {How::failed, 3}},
              {"7|CANCELLED|15|", {How::ended, 143}},  {"7|CANCELLED|0:15|", {How::ended, 143}},
              {"7|TIMEOUT|15|", {How::failed, 143}},   {"7|NODE_FAIL|?|", {How::failed, {}}},
              {"7|PENDING|0|", {How::queued, {}}},     {"7|REQUEUED|0|", {How::queued, {}}},
              {"7|COMPLETING|0|", {How::goes_on, {}}}, {"7|RUNNING|0|", {How::goes_on, {}}},
              {"7|BEWITCHED|0|", {How::unknown, {}}},  {"7|COMPLETED", {How::unknown, {}}}};
  for (const auto& row : rows) {
    INFO(row.line);
    const std::string text = "17|FAILED|256|\n" + std::string(row.line) + "\n71|RUNNING|0|\n";
    CHECK(parse_slurm_end(text, "7") == row.end);
  }
  CHECK(parse_slurm_end("", "7") == JobEnd{});
  CHECK(parse_slurm_end("7", "7") == JobEnd{});
}

TEST_CASE("slurm: a ping tells whether a controller answers") {
  CHECK(slurm_is_up(recorded("scontrol_ping.out")));
  CHECK_FALSE(slurm_is_up(recorded("scontrol_ping_down.out")));
  CHECK_FALSE(slurm_is_up(""));
  CHECK(slurm_is_up("Slurmctld(primary) at a is DOWN\nSlurmctld(backup) at b is UP\n"));
}

TEST_CASE("slurm: work units are read from JSON, with facts for sessions") {
  const std::string text = recorded("squeue_json.json");
  const auto units = parse_slurm_units(text, {5});
  REQUIRE(units);
  const WorkUnit* wide = nullptr;
  size_t pending = 0;
  for (const WorkUnit& unit : *units) {
    if (unit.id == "6") wide = &unit;
    pending += !unit.running();
  }
  REQUIRE(wide != nullptr);
  CHECK(wide->slots == 6);
  CHECK(wide->slots_on("p1") == 5);
  CHECK(wide->slots_on("p2") == 1);
  CHECK(wide->user == "root");
  CHECK(wide->partition == "batch");
  CHECK(wide->requeueable);
  CHECK(wide->started.ms == 1795225589000);
  CHECK(pending >= 2);
  const auto ending = parse_slurm_units(
      replaced(text, "\"job_state\": \"RUNNING\"", "\"job_state\": \"COMPLETING\""), {5});
  REQUIRE(ending);
  CHECK(ending->size() == units->size());
  CHECK(std::count_if(units->begin(), units->end(), [](auto& unit) { return unit.ending; }) == 0);
  CHECK(std::count_if(ending->begin(), ending->end(), [](auto& unit) { return unit.ending; }) == 1);
  const auto haunted = parse_slurm_units(
      replaced(text, "\"job_state\": \"RUNNING\"", "\"job_state\": \"HAUNTED\""), {5});
  REQUIRE(haunted);
  CHECK(haunted->size() == parse_slurm_units(text, {5})->size());  // it holds what it has
  CHECK_FALSE(
      parse_slurm_units(replaced(text, "\"job_state\": \"RUNNING\"", "\"job_state\": 7"), {5}));
  CHECK_FALSE(parse_slurm_units(text.substr(0, text.size() / 2), {5}));
  CHECK_FALSE(parse_slurm_units("", {5}));
  CHECK_FALSE(parse_slurm_units("{}", {5}));
}
