// LSF by its documentation: fences are numbers of job slots. Texts answer here; a program with a
// state stands in for LSF in tests/integration/lsf_adapter_test.py.
#include "agent/workload/lsf/lsf.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "agent/workload/lsf/needs.hpp"
#include "tests/unit/agent/scratch.hpp"
#include "tests/unit/agent/workload/lsf/shapes.hpp"

namespace leasehold::agent {
namespace {

class StillTime final : public TimeSource {
 public:
  int64_t boottime_ms() const override { return now_ms; }
  Instant wall_time() const override { return kNow; }
  int64_t now_ms = 0;
};

/// LSF's programs as texts, with job slots that bconf changes.
struct Cluster {
  std::map<std::string, int> mxj{{"big1", 8}, {"imp-far", 0}};
  std::string used = "3";
  std::string jobs = kNobody;
  std::optional<CallAnswer> needs;         // of jobs
  std::map<std::string, CallAnswer> said;  // by program, instead
  std::vector<std::string> changes;        // commands that change something
  Scratch scratch;
  StillTime time;
  HostNames names{"imp-{host}", {}};

  std::string hosts() const {
    std::string text = "HOST_NAME STATUS JL/U MAX NJOBS RUN SSUSP USUSP RSV\n";
    for (const auto& [name, slots] : mxj) {
      const std::string in_use = name == "big1" ? used : "0";
      text += name + " ok - " + (slots < 0 ? "-" : std::to_string(slots)) + " " + in_use + " " +
              in_use + " 0 0 0\n";
    }
    return text;
  }
  Caller caller() {
    return [this](const CallRequest& request) -> Result<CallAnswer> {
      const std::string& program = request.argv[0];
      CHECK(request.environment.at(0) == std::pair<std::string, std::string>("LSF_ENVDIR", "/lsf"));
      if (const auto other = said.find(program); other != said.end()) return other->second;
      if (program == "bhosts") return CallAnswer{0, hosts(), ""};
      if (program == "bjobs" && needs && request.argv[4] == kNeedsFields) return *needs;
      if (program == "bjobs") return CallAnswer{0, jobs, ""};
      if (program == "lshosts") return CallAnswer{0, kFacts, ""};
      changes.push_back(command_text(request));
      if (program == "bconf") mxj[request.argv[2].substr(5)] = std::stoi(request.argv[3].substr(4));
      return CallAnswer{0, program == "lsid" ? "My cluster name is east\n" : "accepted\n", ""};
    };
  }
  std::unique_ptr<Workload> open(bool read_only = false) {
    AdapterSettings adapter;
    return opened(read_only).value();
  }
  Result<std::unique_ptr<Workload>> opened(bool read_only = false) {
    AdapterSettings adapter;
    adapter.names = names;
    adapter.journal = scratch.file("fences");
    adapter.leased_partitions = {"batch"};
    LsfSettings settings;
    settings.env_dir = "/lsf";
    return open_lsf(settings, adapter, caller(), read_only, time);
  }
  Result<View> look(std::vector<std::string> imported = {}) { return open()->read(imported); }
};

HostCap own_cap(int32_t slots) {
  return {"big1", false, slots, 4, 0, 0, {{7, 0, slots - 4, 4}}, 0};
}
HostCap far_cap(int32_t slots) {
  return {"imp-far", true, slots, 0, 0, 0, {{9, 0, slots, 0}}, 5'000};
}
const HostCap kFree{"big1", false, 8, 8, 0, 0, {}, 0};
const HostCap kGone{"imp-far", true, 0, 0, 0, 0, {}, 0};

TEST_CASE("a fence is the host's job slots; what it was made from is found by the next agent") {
  Cluster lsf;
  REQUIRE(lsf.open()->enforce(std::vector<HostCap>{own_cap(6), far_cap(2)}));
  CHECK(lsf.changes == std::vector<std::string>{"bconf update host=imp-far MXJ=2 -c leasehold",
                                                "bconf update host=big1 MXJ=6 -c leasehold"});
  const Result<View> view = lsf.look({"imp-far"});
  REQUIRE(view);
  CHECK(view->caps == std::vector<HostCap>{own_cap(6), far_cap(2)});
  REQUIRE(view->hosts.size() == 1);
  CHECK(view->hosts[0].slots == 8);  // as its administrator gave it
  CHECK(view->loads ==
        std::vector<HostLoad>{{"big1", false, true, 3, 3}, {"imp-far", true, true, 0, 0}});
}

TEST_CASE(
    "the last cap of a host gives back what its administrator had given; imported ones close") {
  Cluster lsf;
  REQUIRE(lsf.open()->enforce(std::vector<HostCap>{own_cap(6), far_cap(2)}));
  REQUIRE(lsf.open()->enforce(std::vector<HostCap>{own_cap(4)}));
  lsf.changes.clear();
  REQUIRE(lsf.open()->enforce(std::vector<HostCap>{kFree, kGone}));
  CHECK(lsf.mxj == std::map<std::string, int>{{"big1", 8}, {"imp-far", 0}});
  CHECK(lsf.look({"imp-far"})->caps.empty());
}

TEST_CASE("what stands is what LSF shows, whatever was asked for") {
  Cluster lsf;
  REQUIRE(lsf.open()->enforce(std::vector<HostCap>{own_cap(6)}));
  lsf.mxj["big1"] = 7;  // somebody else's word
  CHECK(lsf.look()->caps[0].slots == 7);
  CHECK(lsf.look()->caps[0].parts == own_cap(6).parts);
  lsf.mxj["big1"] = -1;
  CHECK(lsf.look()->caps[0].slots > 100'000);  // open to the last
}

TEST_CASE("an imported host that stands open is a fence to be closed, though nobody made it") {
  Cluster lsf;
  REQUIRE(lsf.look());
  lsf.mxj["imp-far"] = 4;
  const Result<View> view = lsf.look({"imp-far"});
  REQUIRE(view);
  REQUIRE(view->caps.size() == 1);
  CHECK(view->caps[0].imported);
  CHECK(view->caps[0].slots == 4);
  CHECK(view->hosts.size() == 1);
  REQUIRE(lsf.open()->enforce(std::vector<HostCap>{kGone}));
  CHECK(lsf.mxj["imp-far"] == 0);
}

TEST_CASE("LSF: own hosts whose names the rule could have made are not closed, and named") {
  Cluster lsf;
  lsf.mxj = {{"node-1", 8}, {"node-2", 8}};
  for (const char* rule : {"node-{host}", "{cluster}-{host}"}) {
    INFO(rule);
    lsf.names.rule = rule;
    const auto refused = lsf.opened();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::usage);
  }
  lsf.names.rule = "node-{host}";
  CHECK(lsf.opened().error().message.find("node-1, node-2") != std::string::npos);
  CHECK(lsf.changes.empty());
}

TEST_CASE("LSF: what was closed as another's gets its number back when the names call it own") {
  Cluster lsf;
  lsf.mxj["imp-far"] = 4;
  lsf.names.map = {{"far@west", "imp-far"}};
  REQUIRE(lsf.opened().value()->enforce(std::vector<HostCap>{kGone}));
  CHECK(lsf.mxj["imp-far"] == 0);
  CHECK(lsf.open()->leave()->front().find("imp-far has 0 job slots and had 4") !=
        std::string::npos);
  lsf.names = {"lent-{host}", {}};
  const View view = lsf.look().value();
  REQUIRE(view.hosts.size() == 2);
  CHECK(view.hosts[1].slots == 4);
  REQUIRE(view.caps.size() == 1);
  CHECK_FALSE(view.caps[0].imported);
  REQUIRE(lsf.open()->enforce(std::vector<HostCap>{{"imp-far", false, 4, 4, 0, 0, {}, 0}}));
  CHECK(lsf.mxj["imp-far"] == 4);
  CHECK(lsf.look()->caps.empty());
}

TEST_CASE("LSF is not told twice what it does not show yet, but is when it should have") {
  Cluster lsf;
  const auto agent = lsf.open();
  REQUIRE(agent->enforce(std::vector<HostCap>{own_cap(6)}));
  REQUIRE(agent->enforce(std::vector<HostCap>{own_cap(6)}));
  CHECK(lsf.changes.size() == 1);
  REQUIRE(agent->enforce(std::vector<HostCap>{own_cap(5)}));
  REQUIRE(agent->enforce(std::vector<HostCap>{own_cap(6)}));
  CHECK(lsf.changes.size() == 3);
  lsf.time.now_ms += agent->traits().settle_ms;
  REQUIRE(agent->enforce(std::vector<HostCap>{own_cap(6)}));
  CHECK(lsf.changes.size() == 4);
}

TEST_CASE("slots given back and fenced again at once: the administrator's number is not lost") {
  Cluster lsf;
  const auto agent = lsf.open();
  REQUIRE(agent->enforce(std::vector<HostCap>{own_cap(6)}));
  REQUIRE(agent->enforce(std::vector<HostCap>{kFree}));
  lsf.mxj["big1"] = 6;  // bhosts shows the new number some seconds later
  REQUIRE(agent->enforce(std::vector<HostCap>{own_cap(5)}));
  CHECK(agent->read({})->hosts[0].slots == 8);
}

TEST_CASE("a fence that LSF refuses is an error with its words, and stays known") {
  Cluster lsf;
  const auto [status, output] = GENERATE(
      table<int, const char*>({{255, "bconf: User permission denied\n"},
                               {0, "bconf: Request for host <big1> rejected\n"},
                               {0, "bconf: Request for host <big1> partially accepted\n"}}));
  lsf.said["bconf"] = {status, output, ""};
  const Status done = lsf.open()->enforce(std::vector<HostCap>{own_cap(6)});
  REQUIRE_FALSE(done);
  CHECK(done.error().message.find("bconf update host=big1 MXJ=6") != std::string::npos);
  CHECK(done.error().message.find("bconf: ") != std::string::npos);
  CHECK(lsf.look()->caps[0].slots == 8);
}

TEST_CASE("of the counts of bhosts and bjobs the larger holds, and short work is seen once more") {
  Cluster lsf;
  lsf.jobs =
      with(with(kJobs, "big1.site.org:2*big2.site.org:big1.site.org:big2.site.org", "5*big1"),
           "\"QUEUE\":\"batch\"", "\"QUEUE\":\"other\"");
  const auto agent = lsf.open();
  const Result<View> view = agent->read({});
  REQUIRE(view);
  CHECK(view->loads[0].used == 5);
  CHECK(view->running == 5);
  CHECK(view->pending == 6);
  lsf.jobs = kNobody;
  CHECK(agent->read({})->loads[0].used == 3);
  lsf.used = "0";
  CHECK(agent->read({})->loads[0].used_peak == 3);
  CHECK(agent->read({})->loads[0].used_peak == 0);
}

TEST_CASE("pending work of queues that are not leased to is no demand") {
  Cluster lsf;
  lsf.jobs =
      with(with(kJobs, "big1.site.org:2*big2.site.org:big1.site.org:big2.site.org", "5*big1"),
           "\"PEND\", \"USER\":\"ana\", \"QUEUE\":\"batch\"",
           "\"PEND\", \"USER\":\"ana\", \"QUEUE\":\"night\"");
  CHECK(lsf.look()->pending == 0);
}

TEST_CASE("LSF: work on a host that bhosts does not list counts as running, and blinds nobody") {
  // Symptom: one such job failed each look, so that nothing of the cluster was seen.
  Cluster lsf;
  lsf.jobs = kJobs;
  const auto opened = lsf.open();
  const Result<View> view = opened->read({});
  REQUIRE(view);
  CHECK(view->running == 5);
  CHECK_THAT(opened->cautions()->back(),
             Catch::StartsWith("job 321 is on host big2.site.org, which bhosts does not list"));
}

TEST_CASE("no unfinished job is an empty list, another failure of bjobs is not") {
  Cluster lsf;
  lsf.said["bjobs"] = {255, "", "No unfinished job found\n"};
  REQUIRE(lsf.look());
  lsf.said["bjobs"] = {255, "", "LSF is down. Please wait ...\n"};
  CHECK(lsf.look().error().message.find("LSF is down") != std::string::npos);
  lsf.said["bjobs"] = {0, "", ""};
  CHECK_FALSE(lsf.look());
}

TEST_CASE("shapes are told where LSF tells of them; a version that does not leaves a sum") {
  Cluster lsf;
  lsf.mxj = {{"big1.site.org", 8}, {"big2.site.org", 4}};
  lsf.jobs = kJobs;
  lsf.needs = CallAnswer{0,
                         R"({"RECORDS":[{"JOBID":"321","RUNTIMELIMIT":"10.0"},)"
                         R"({"JOBID":"322","JOBINDEX":"7","EFFECTIVE_RESREQ":"span[ptile=3]"}]})",
                         ""};
  View view = lsf.look().value();
  REQUIRE(view.shapes);
  REQUIRE(view.shapes->waiting.size() == 1);
  CHECK(view.shapes->waiting[0].slots_per_host == 3);
  CHECK(view.shapes->waiting[0].hosts == 2);
  CHECK(view.pending == 6);
  REQUIRE(view.shapes->running.size() == 1);
  CHECK(view.shapes->running[0].until - view.shapes->running[0].started == 600'000);
  for (const CallAnswer& other : {CallAnswer{255, "", "pend_reason: unknown field"},
                                  CallAnswer{0, "{\"RECORDS\":[{\"a\":\"b\"c\"}]}", ""}}) {
    lsf.needs = other;
    const auto workload = lsf.open();
    view = workload->read({}).value();
    CHECK_FALSE(view.shapes);
    CHECK(view.pending == 6);
    REQUIRE(workload->cautions()->size() == 1);
    CHECK(workload->cautions()->front().find("as a job of one slot") != std::string::npos);
  }
}

TEST_CASE("work of others ends for a job of LSF only as far as what it waits for is known") {
  Cluster lsf;
  lsf.mxj = {{"big1.site.org", 8}, {"big2.site.org", 4}};
  lsf.jobs = kJobs;
  const auto waiting = [&](const std::string& fields) {
    lsf.needs = CallAnswer{0, R"({"RECORDS":[{"JOBID":"322","JOBINDEX":"7",)" + fields + "}]}", ""};
    const auto workload = lsf.open();
    REQUIRE(workload->read({}));
    const auto work = workload->work_units();
    REQUIRE(work);
    const auto found = std::find_if(work->units.begin(), work->units.end(),
                                    [](const WorkUnit& unit) { return unit.id == "322[7]"; });
    REQUIRE(found != work->units.end());
    return std::make_pair(*found, workload->cautions().value());
  };
  const auto [wide, nothing] = waiting(R"("EFFECTIVE_RESREQ":"span[ptile=3]")");
  CHECK_FALSE(wide.kept_back());
  CHECK(wide.slots_per_host == 3);
  CHECK(wide.hosts_wanted == 2);
  CHECK(nothing.empty());
  CHECK(waiting(R"("PEND_REASON":"Job dependency condition not satisfied;")").first.kept_back());
  const auto [strange, cautions] = waiting(R"("PEND_REASON":"The moon is not full;")");
  CHECK(strange.kept_back());
  REQUIRE(cautions.size() == 1);
  CHECK(cautions[0].find("The moon is not full") != std::string::npos);
  lsf.needs = CallAnswer{0, R"({"RECORDS":[]})", ""};
  const auto workload = lsf.open();
  REQUIRE(workload->read({}));
  const auto later = workload->work_units();  // of a job that came since nothing is known yet
  REQUIRE(later);
  CHECK(std::any_of(later->units.begin(), later->units.end(),
                    [](const WorkUnit& unit) { return unit.kept_back(); }));
}

TEST_CASE("a fenced host whose own number was lost is refused: nobody guesses how many it has") {
  Cluster lsf;
  REQUIRE(lsf.open()->enforce(std::vector<HostCap>{own_cap(6)}));
  std::filesystem::remove(lsf.scratch.file("fences.slots"));
  const std::string why = lsf.look().error().message;
  CHECK_THAT(why, Catch::Contains("big1") && Catch::Contains(lsf.scratch.file("fences.slots")));
}

TEST_CASE("all work is listed with the time that its starts go by") {
  Cluster lsf;
  lsf.jobs = kJobs;
  const auto work = lsf.open()->work_units();
  REQUIRE(work);
  CHECK(work->now == kNow);
  CHECK(work->units.size() == 2);
  lsf.said["bjobs"] = {1, "", "no"};
  CHECK_FALSE(lsf.open()->work_units());
}

TEST_CASE("jobs are told and requeued by their ids; one that is gone is no error") {
  Cluster lsf;
  const auto agent = lsf.open();
  const std::string post =
      "bpost -d 'leasehold: the slots of this job are taken back; it is ended in 30 seconds' "
      "322[7]";
  REQUIRE(agent->interrupt({"322[7]"}, "", 30'000));
  REQUIRE(agent->end_and_requeue({"322[7]"}));
  CHECK(lsf.changes == std::vector<std::string>{post, "brequeue -r 322[7]"});
  lsf.changes.clear();
  lsf.said["bpost"] = {255, "", "User permission denied\n"};
  REQUIRE(agent->interrupt({"322[7]"}, "USR1", 30'000));
  CHECK(lsf.changes ==
        std::vector<std::string>{"bkill -s USR1 322[7]"});  // the message was refused
  lsf.said["brequeue"] = {255, "", "Job <9>: No matching job found\n"};
  CHECK(agent->end_and_requeue({"9"}));
  lsf.said["brequeue"] = {255, "", "User permission denied\n"};
  CHECK_FALSE(agent->end_and_requeue({"9"}));
  lsf.changes.clear();
  lsf.said["brequeue"] = {255, "", "Job <9>: Interactive batch jobs cannot be requeued\n"};
  CHECK(agent->end_and_requeue({"9"}));
  CHECK(lsf.changes == std::vector<std::string>{"bkill 9"});
}

TEST_CASE("what lacks is told: live reconfiguration, a host without job slots") {
  Cluster lsf;
  lsf.said["badmin"] = {0, "        LSB_SHAREDIR = /x\n", ""};
  auto lacking = lsf.open()->permissions_lacking();
  REQUIRE(lacking);
  REQUIRE_FALSE(lacking->empty());
  CHECK(lacking->at(0).find("LSF_LIVE_CONFDIR") != std::string::npos);
  lsf.said["badmin"] = {0, "        LSF_LIVE_CONFDIR = /x\n", ""};
  lsf.mxj["big1"] = -1;
  lacking = lsf.open()->permissions_lacking();
  CHECK(lacking->at(0).find("MXJ in lsb.hosts") != std::string::npos);
  lsf.said["lsid"] = {255, "", "LSF is down. Please wait ...\n"};
  CHECK(lsf.open()->permissions_lacking()->at(0).find("LSF is down") != std::string::npos);
}

TEST_CASE("a look at LSF changes nothing") {
  Cluster lsf;
  const auto agent = lsf.open(true);
  REQUIRE(agent->read({}));
  CHECK_FALSE(agent->enforce(std::vector<HostCap>{own_cap(6)}));
  CHECK_FALSE(agent->interrupt({"1"}, "", 0));
  CHECK_FALSE(agent->end_and_requeue({"1"}));
  CHECK(lsf.changes.empty());
}

}  // namespace
}  // namespace leasehold::agent
