// The adapter asks a cell for what it needs to learn the shapes of its work.
#include <catch2/catch.hpp>

#include "agent/workload/gridengine/work_list.hpp"
#include "tests/unit/agent/workload/gridengine/recorded.hpp"
#include "tests/unit/agent/workload/gridengine/site.hpp"

namespace leasehold::agent {

namespace {

using test::Played;

}  // namespace

TEST_CASE("Grid Engine's look tells the shapes of its work, and asks no more than it must") {
  Played played;
  played.cell.environments_there = {{"smp", "$pe_slots"}, {"mpi", "$fill_up"}};
  played.cell.jobs = {{"1", "big1", 3}};
  played.open();
  View view = played.look();
  REQUIRE(view.shapes.has_value());
  CHECK(view.shapes->waiting.empty());
  CHECK(view.shapes->running ==
        std::vector<RunningWork>{{"1", 3, Instant{1'795'258'800'000}, kNever, false}});
  CHECK(played.cell.asked.empty());
  const auto job = [](int number, const std::string& more) {
    return "<job_list state=\"pending\"><JB_job_number>" + std::to_string(number) +
           "</JB_job_number><JB_owner>ann</JB_owner><state>qw</state><slots>4</slots>" + more +
           "</job_list>";
  };
  played.cell.pending =
      job(2, "<requested_pe name=\"smp\">4</requested_pe>") + job(3, "") + job(4, "");
  played.cell.later = job(3, "");
  played.cell.extended = job(4, "<JB_project>prj</JB_project>");
  played.cell.quotas =
      "<qquota_rule name='a/1'><projects>prj</projects>"
      "<limit resource='slots' limit='5' value='2'/></qquota_rule>";
  for (int looks = 0; looks < 3; ++looks) view = played.look();
  CHECK(view.pending == 4);
  CHECK(view.shapes->waiting == std::vector<WaitingWork>{{4, 1, 4}});
  CHECK(played.cell.asked == std::vector<std::string>{"qconf -sp smp"});
  played.cell.before = [](const std::string& command) -> std::optional<CallAnswer> {
    if (command.rfind("qquota", 0) != 0) return std::nullopt;
    return CallAnswer{1, "", "error: no answer"};
  };
  CHECK_FALSE(played.workload->read({}).has_value());
}

TEST_CASE("Grid Engine's jobs that ask for what no host here has count for nobody") {
  Played played;
  const auto job = [](int number, const std::string& requests) {
    return "<job_list state=\"pending\"><JB_job_number>" + std::to_string(number) +
           "</JB_job_number><JB_owner>ann</JB_owner><state>qw</state><slots>1</slots>" + requests +
           "</job_list>";
  };
  const auto asks = [](const std::string& name, const std::string& value) {
    return "<hard_request name=\"" + name + "\" resource_contribution=\"0.0\">" + value +
           "</hard_request>";
  };
  played.cell.hosts_with = {{"gpu=true,mem_total=4G", "imp-far"}};  // which is leased here
  // Resources that hosts report as they change (mem_free) cannot be looked up, and keep nobody.
  played.cell.pending = job(2, asks("mem_total", "4G") + asks("h_rt", "60") +
                                   asks("mem_free", "1G") + asks("gpu", "true")) +
                        job(3, asks("mem_total", "900G")) + job(4, asks("mem_total", "900G"));
  played.open();
  CHECK(played.look().pending == 1);
  CHECK(played.look().pending == 1);
  CHECK(played.cell.asked == std::vector<std::string>{"qselect -q all.q -l gpu=true,mem_total=4G",
                                                      "qselect -q all.q -l mem_total=900G"});
  SECTION("also while qhost -F fails: what hosts report is as last known") {
    played.cell.before = [](const std::string& command) -> std::optional<CallAnswer> {
      if (command != "qhost -F -xml") return std::nullopt;
      return CallAnswer{1, "", "error: unable to contact qmaster"};
    };
    for (int look = 0; look < 130; ++look) CHECK(played.look().pending == 1);
  }
  SECTION("and end no work of others") {
    played.cell.requeued = {{"2", "big1", 1}, {"3", "big1", 1}, {"4", "big1", 1}};
    const auto work = played.workload->work_units();
    REQUIRE(work);
    REQUIRE(work->units.size() == 3);
    for (const WorkUnit& unit : work->units) CHECK(unit.kept_back() == (unit.id != "2"));
    CHECK(*work->units.front().fits == std::vector<std::string>{"imp-far"});
  }
  SECTION("what the master does not understand keeps nobody, and is told") {
    played.cell.before = [](const std::string& command) -> std::optional<CallAnswer> {
      if (command.rfind("qselect", 0) != 0) return std::nullopt;
      return CallAnswer{1, "", "error: no such thing"};
    };
    played.cell.pending = job(5, asks("odd", "1"));
    CHECK(played.look().pending == 1);
    const auto cautions = played.workload->cautions();
    REQUIRE(cautions->size() == 1);
    CHECK(cautions->front().find("error: no such thing") != std::string::npos);
  }
}

TEST_CASE("More than 10,000 jobs that wait in Grid Engine do not stop a reclaim") {
  // Symptom: `qstat -j "*"` was more than is read.
  Played played;
  played.cell.jobs = {{"1", "big1", 3}, {"2.1", "big2", 1}};
  for (size_t i = 0; i <= kGridEnginePendingMost; ++i) {
    played.cell.pending += "<job_list state=\"pending\"><JB_job_number>" + std::to_string(100 + i) +
                           "</JB_job_number><state>qw</state><slots>1</slots></job_list>";
  }
  played.open();
  CHECK(played.look().pending == kGridEnginePendingMost + 1);
  const auto work = played.workload->work_units();
  REQUIRE(work);
  REQUIRE(work->units.size() == 2);
  CHECK(work->units[1].id == "2.1");
  CHECK(work->units[1].user == "ann");
  CHECK(played.workload->cautions()->back() == kGridEngineTooMany);
  played.cell.jobs.push_back({"3", "big1", 1});
  CHECK(played.workload->work_units()->units.size() == 3);
  CHECK(played.cell.facts_asked ==
        std::vector<std::string>{"qstat -u * -j 1,2 -xml", "qstat -u * -j 3 -xml"});
  played.cell.pending.clear();
  CHECK(played.workload->work_units()->units.size() == 3);
  CHECK(played.cell.facts_asked.back() == "qstat -u * -j * -xml");
  CHECK(played.workload->cautions()->empty());
}

TEST_CASE("A job of Grid Engine that says 'does not exist' hides no job") {
  Played played;
  played.cell.jobs = {{"1", "big1", 3}};
  played.open();
  played.look();
  played.cell.before = [](const std::string& command) -> std::optional<CallAnswer> {
    if (command.rfind("qstat -u * -j ", 0) != 0) return std::nullopt;
    return CallAnswer{0,
                      "<detailed_job_info><djob_info><element><JB_job_number>1</JB_job_number>"
                      "<JB_owner>ann</JB_owner><JB_job_name>it does not exist</JB_job_name>"
                      "<JB_submission_time>1795258491</JB_submission_time></element></djob_info>"
                      "</detailed_job_info>",
                      ""};
  };
  const auto work = played.workload->work_units();
  REQUIRE(work);
  CHECK(work->units.size() == 1);
}

TEST_CASE("Of a host that a job of Grid Engine has for itself no slot is idle") {
  Played played;
  played.cell.resources = test::recorded("resources.txt");
  played.cell.jobs = {{"1", "big1", 3}, {"2", "big2", 1}};
  played.cell.jobs[0].more =
      "<hard_request name=\"exclusive\" resource_contribution=\"3000.0\">true</hard_request>";
  played.cell.jobs[1].more =
      "<hard_request name=\"exclusive\" resource_contribution=\"0.0\">false</hard_request>";
  played.open();
  const View view = played.look();
  REQUIRE(view.loads.size() >= 2);
  CHECK(view.loads[0].used == 8);
  CHECK(view.loads[1].used == 1);
  REQUIRE(view.shapes->running.size() == 2);
  CHECK(view.shapes->running[0].slots == 8);
  CHECK(view.shapes->running[1].slots == 1);
  CHECK(view.running == 9);
  SECTION("also where its slots are to be fewer, until it has ended") {
    played.cell.entries["big1"] = 5;  // a fence, not for what is in use
    CHECK(played.look().loads[0].used == 8);
    played.cell.jobs[0].id = "3";  // the next one, which never had more
    CHECK(played.look().loads[0].used == 5);
    played.cell.jobs.erase(played.cell.jobs.begin());
    CHECK(played.look().loads[0].used == 0);
  }
}

TEST_CASE("Work of Grid Engine that wants its host for itself wants all of one") {
  Played played;
  played.cell.resources = test::recorded("resources.txt");
  played.cell.pending =
      "<job_list state=\"pending\"><JB_job_number>3</JB_job_number><JB_owner>ann</JB_owner>"
      "<state>qw</state><slots>1</slots>"
      "<hard_request name=\"exclusive\" resource_contribution=\"1000.0\">1</hard_request>"
      "</job_list>";
  played.open();
  const View view = played.look();
  WaitingWork whole;
  whole.whole = true;
  CHECK(view.shapes->waiting == std::vector<WaitingWork>{whole});
  CHECK(view.pending == 8);
}

}  // namespace leasehold::agent
