// Slurm 22.05, 24.11 and 26.05 print one cluster of nine jobs (tests/data/slurm/VERSION, made by
// tests/schedulers/record_slurm.py): it reads the same in every form, in JSON and in text.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "agent/workload/slurm/look/client.hpp"
#include "agent/workload/slurm/printed/forms.hpp"
#include "agent/workload/slurm/printed/units.hpp"
#include "tests/unit/agent/workload/slurm/stand_in.hpp"

using namespace leasehold;
using namespace leasehold::agent;

namespace {

constexpr Instant kNow{7};

std::string recorded(const std::string& version, const std::string& name) {
  std::ifstream file(std::string(LEASEHOLD_SOURCE_DIR) + "/tests/data/slurm/" + version + "/" +
                     name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Recording {
  const char* version;
  const char* form;
  bool tells_sharing;
};
constexpr Recording kRecordings[] = {{"22.05", "v0.0.38", true}, {"24.11", "v0.0.40", true},
                                     {"24.11", "v0.0.41", true}, {"24.11", "v0.0.42", true},
                                     {"26.05", "v0.0.42", true}, {"26.05", "v0.0.43", true},
                                     {"26.05", "v0.0.44", true}, {"26.05", "v0.0.45", false}};

std::string jobs_of(const Recording& recording) {
  return recorded(recording.version, std::string("jobs_") + recording.form + ".json");
}

const WorkUnit& unit(const std::vector<WorkUnit>& units, const std::string& id) {
  for (const WorkUnit& one : units) {
    if (one.id == id) return one;
  }
  FAIL("no unit " << id);
  return units.front();
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

void check_scene(const std::vector<WorkUnit>& units, bool tells_sharing) {
  REQUIRE(units.size() == 8);  // the eighth has ended
  // A job is suspended there: its cores are listed, for others may have them too.
  CHECK(unit(units, "1").hosts == std::vector<UnitHost>{{"p1", 3, {0, 1, 2}}});
  CHECK(unit(units, "1").comment == "leasehold:rank=20,preemptive");
  CHECK(unit(units, "1").user == "root");
  CHECK(unit(units, "1").partition == "batch");
  CHECK(unit(units, "1").requeueable);
  CHECK(unit(units, "1").priority > unit(units, "2").priority);
  CHECK(unit(units, "1").started.ms > 1'700'000'000'000);
  CHECK(unit(units, "1").submitted.ms > 1'700'000'000'000);
  CHECK(unit(units, "2").slots == 5);
  CHECK(unit(units, "2").slots_on("p1") == 4);
  CHECK(unit(units, "2").slots_on("p2") == 1);
  CHECK(unit(units, "3").slots == 4);  // it asked for one, and has the host for itself
  CHECK(unit(units, "3").whole_hosts == tells_sharing);
  CHECK_FALSE(unit(units, "3").requeueable);
  CHECK(unit(units, "4").started == kNow);  // it completes
  CHECK(unit(units, "4").slots_on("p1") == 1);
  CHECK(unit(units, "5").slots_on("p1") == 1);  // suspended
  CHECK_FALSE(unit(units, "6").running());
  CHECK(unit(units, "6").slots == 16);
  CHECK_FALSE(unit(units, "7").running());
  CHECK(unit(units, "9").slots == 2);
}

}  // namespace

TEST_CASE("slurm: the jobs of newer versions can be read, and so be reclaimed") {
  for (const Recording& recording : kRecordings) {
    INFO(recording.version << " " << recording.form);
    const auto units = parse_slurm_units(jobs_of(recording), kNow);
    if (!units) FAIL(units.error().message);
    check_scene(*units, recording.tells_sharing);
    CHECK(slurm_jobs_lacking(jobs_of(recording)).empty() == recording.tells_sharing);
  }
}

TEST_CASE("slurm: a job's account is read where it has one") {
  for (const Recording& recording : kRecordings) {
    INFO(recording.version << " " << recording.form);
    const auto units = parse_slurm_units(
        replaced(jobs_of(recording), R"("account": "")", R"("account": "physics")"), kNow);
    REQUIRE(units);
    CHECK(unit(*units, "1").account == "physics");
    CHECK(unit(*units, "2").account.empty());
  }
}

TEST_CASE("slurm: a form of JSON that is not known is told, with what does not work for it") {
  for (const Recording& recording : kRecordings) {
    INFO(recording.form);
    const std::string text = replaced(jobs_of(recording), recording.form, "v0.0.99");
    const auto units = parse_slurm_units(text, kNow);
    REQUIRE_FALSE(units);
    CHECK(units.error().message.find("'v0.0.99'; right would be one of v0.0.38") !=
          std::string::npos);
    const std::vector<std::string> lacking = slurm_jobs_lacking(text);
    REQUIRE(lacking.size() == 1);
    CHECK(lacking[0].find("nothing in use can be reclaimed") != std::string::npos);
    CHECK_FALSE(parse_slurm_units(replaced(text, "\"meta\"", "\"mate\""), kNow));
  }
  // A form that is known by its name, in the shape of another, is not guessed at.
  CHECK_FALSE(parse_slurm_units(replaced(jobs_of(kRecordings[0]), "v0.0.38", "v0.0.42"), kNow));
  CHECK_FALSE(parse_slurm_units(replaced(jobs_of(kRecordings[3]), "v0.0.42", "v0.0.40"), kNow));
  CHECK_FALSE(parse_slurm_units(replaced(jobs_of(kRecordings[2]), "v0.0.41", "v0.0.38"), kNow));
}

TEST_CASE("slurm: numbers that no job has, and what is not as it should be, are refused") {
  const std::string text = jobs_of(kRecordings[3]);
  const std::string cpus = R"("cpus": {"set": true, "infinite": false, "number": 3})";
  for (const auto& [what, with] : std::initializer_list<std::pair<std::string, std::string>>{
           {cpus, R"("cpus": {"set": true, "infinite": false, "number": 3000000000})"},
           {cpus, R"("cpus": {"set": true, "infinite": false, "number": -3})"},
           {cpus, R"("cpus": {"set": true, "infinite": false, "number": 18446744073709551615})"},
           {cpus, R"("cpus": {"set": true, "infinite": false, "number": 3.5})"},
           {cpus, R"("cpus": {"set": true})"},
           {R"("index": 0, "status": ["ALLOCATED"])", R"("index": 99999, "status": ["ALLOCATED"])"},
           {R"("index": 0, "status": ["ALLOCATED"])", R"("index": 0, "status": 7)"},
           {R"("errors": [])", R"("errors": [{"error": "no"}])"}}) {
    INFO(what << " -> " << with);
    CHECK_FALSE(parse_slurm_units(replaced(text, what, with), kNow));
  }
  CHECK(parse_slurm_units(replaced(text, cpus, R"("cpus": null)"), kNow));
  const auto known = parse_slurm_units(text, kNow);
  for (const char* words : {R"(["RUNNING", "HAUNTED"])", "[]", R"(["LAUNCH_FAILED"])"}) {
    INFO(words);
    const auto units = parse_slurm_units(
        replaced(text, R"("job_state": ["RUNNING"])", R"("job_state": )" + std::string(words)),
        kNow);
    REQUIRE(units);
    CHECK(*units == *known);  // it holds what it has
  }
  CHECK_FALSE(parse_slurm_units(std::string(100'000, '['), kNow));
}

TEST_CASE("slurm: of several words for a state, the one counts that Slurm itself would print") {
  using Words = std::vector<std::string>;
  const std::pair<Words, SlurmPhase> rows[] = {
      {{"RUNNING"}, SlurmPhase::holds},
      {{"PENDING"}, SlurmPhase::pending},
      {{"CANCELLED", "COMPLETING"}, SlurmPhase::completing},
      {{"PENDING", "COMPLETING", "REQUEUED"}, SlurmPhase::completing},
      {{"PENDING", "REQUEUED"}, SlurmPhase::waits},
      {{"RUNNING", "POWER_UP_NODE", "CONFIGURING"}, SlurmPhase::holds},
      {{"SUSPENDED", "STOPPED"}, SlurmPhase::holds},
      {{"PENDING", "REVOKED"}, SlurmPhase::ended},
      {{"FAILED", "LAUNCH_FAILED"}, SlurmPhase::ended}};
  for (const auto& [words, phase] : rows) {
    INFO(words.back());
    CHECK(slurm_phase(words) == phase);
  }
  CHECK_FALSE(slurm_phase(Words{}));
  CHECK_FALSE(slurm_phase(Words{"RUNNING", "ENTANGLED"}));
  // Jobs that are requeued at once (25.11) hold their nodes as long as they have them.
  CHECK(parse_slurm_jobs("1|EXPEDITING|2|batch|N/A|p1||OK|1|UNLIMITED|N/A|N/A|1||None\n")
            ->front()
            .phase == SlurmPhase::completing);
  CHECK(parse_slurm_jobs("1|EXPEDITING|2|batch|N/A|||OK|1|UNLIMITED|N/A|N/A|1||None\n")
            ->front()
            .phase == SlurmPhase::waits);
}

TEST_CASE("slurm: the form that is known best is asked for, where one can be asked for") {
  const std::pair<const char*, const char*> rows[] = {
      {"data_parser/v0.0.39\ndata_parser/v0.0.40\n", "v0.0.40"},  // 23.11
      {"data_parser/v0.0.39\ndata_parser/v0.0.40\ndata_parser/v0.0.41\n", "v0.0.41"},
      {"data_parser/v0.0.42\ndata_parser/v0.0.40\ndata_parser/v0.0.41\n", "v0.0.42"},
      {"data_parser/v0.0.43\ndata_parser/v0.0.42\ndata_parser/v0.0.45\ndata_parser/v0.0.44\n",
       "v0.0.42"},
      {"Possible data_parser plugins:\nv0.0.45\nv0.0.46\n", "v0.0.45"},
      {"data_parser/v0.0.420\n", ""},
      {"", ""}};
  for (const auto& [listed, form] : rows) {
    INFO(listed);
    CHECK(slurm_form_to_ask(listed) == form);
  }
  SlurmStandIn slurm({{"p1", 8}});
  const SlurmClient client({}, {}, slurm.caller());
  REQUIRE(client.jobs_as_json());
  REQUIRE(client.jobs_as_json());
  CHECK(slurm.asked == std::vector<std::string>{"=list", "=v0.0.42", "=v0.0.42"});
  slurm.asked.clear();
  slurm.forms = "data_parser/v0.0.44\ndata_parser/v0.0.46\n";  // another version was installed
  REQUIRE(client.jobs_as_json());
  CHECK(slurm.asked == std::vector<std::string>{"=v0.0.42", "=list", "=v0.0.44"});
  slurm.asked.clear();
  slurm.forms = "";  // and one that cannot be asked
  REQUIRE(client.jobs_as_json());
  CHECK(slurm.asked == std::vector<std::string>{"=v0.0.44", "=list", ""});
}

TEST_CASE("slurm: nodes, reservations, jobs and configuration read the same in all versions") {
  for (const char* version : {"22.05", "24.11", "26.05"}) {
    INFO(version);
    const auto controller = parse_slurm_config(recorded(version, "show_config.out"));
    REQUIRE(controller);
    CHECK(controller->version.substr(0, 5) == version);
    CHECK(controller->select == "select/cons_tres");
    CHECK(controller->private_data.empty());
    const auto nodes = parse_slurm_nodes(recorded(version, "show_node.out"));
    REQUIRE(nodes);
    REQUIRE(nodes->size() == 3);
    CHECK((*nodes)[0].cores == 10);
    CHECK((*nodes)[0].cpus_allocated == 7);
    CHECK((*nodes)[2].cpus_allocated == 4);
    CHECK((*nodes)[0].up);
    const auto made = parse_slurm_reservations(recorded(version, "show_reservation.out"));
    REQUIRE(made);
    REQUIRE(made->size() == 2);
    CHECK((*made)[0].nodes == std::vector<std::string>{"p1"});
    CHECK((*made)[0].cores == 1);
    CHECK_FALSE((*made)[0].whole);
    CHECK((*made)[1].whole);
    CHECK((*made)[1].cores == 4);
    const auto jobs = parse_slurm_jobs(recorded(version, "squeue.out"));
    REQUIRE(jobs);
    CHECK(jobs->size() == 11);
    CHECK((*jobs)[1].phase == SlurmPhase::completing);
    const auto partitions = parse_slurm_partitions(recorded(version, "show_partition.out"));
    REQUIRE(partitions);
    REQUIRE(partitions->size() == 1);
    CHECK((*partitions)[0].name == "batch");
    CHECK_FALSE((*partitions)[0].whole_hosts);
    const auto shares =
        parse_slurm_shares(recorded(version, "show_job_two_nodes.out"), {"p1", "p2"}, 5);
    REQUIRE(shares.size() == 2);
    CHECK(shares[0].cpus.size() == 4);
    CHECK(slurm_is_up(recorded(version, "ping.out")));
  }
}
