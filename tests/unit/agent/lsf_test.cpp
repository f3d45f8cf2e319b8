// LSF by its documentation: what its programs print becomes hosts, use and jobs; fences are numbers
// of job slots. Recorded shapes; a program with a state stands in for it in
// tests/integration/lsf_adapter_test.py. None of it has been run on a real LSF.
#include "agent/workload/lsf.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "agent/workload/lsf_names.hpp"
#include "agent/workload/lsf_text.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

constexpr const char* kHosts =
    "HOST_NAME          STATUS          JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV \n"
    "big1.site.org      ok              -      8      3      1      1      0      1\n"
    "big2.site.org      closed_Full     -      4      4      4      0      0      0\n"
    "imp-far            closed_Adm      2      0      0      0      0      0      0\n";
constexpr const char* kFacts =
    "HOST_NAME      type    model  cpuf ncpus maxmem maxswp server RESOURCES\n"
    "big1.site.org  X86_64 PC6000   116.1 8  15.5G  1983M  Yes    (mg bigmem)\n"
    "big2.site.org  X86_64 PC6000   116.1 4  1000M      -  Yes    ()\n"
    "imp-far        X86_64 PC6000   116.1 4  -          -  Dyn    (mg)\n";
constexpr const char* kJobs = R"json({
  "COMMAND":"bjobs",
  "JOBS":3,
  "RECORDS":[
    {"JOBID":"321", "JOBINDEX":"0", "STAT":"RUN", "USER":"ana", "QUEUE":"batch",
     "PROJ_NAME":"default", "SLA":"", "JOB_PRIORITY":"50", "SUBMIT_TIME":"Apr 12 18:10:00 2026",
     "START_TIME":"Apr 12 18:10:55 2026",
     "NREQ_SLOT":"3", "NALLOC_SLOT":"5",
     "ALLOC_SLOT":"big1.site.org:2*big2.site.org:big1.site.org:big2.site.org"},
    {"JOBID":"322", "JOBINDEX":"7", "STAT":"PEND", "USER":"ana", "QUEUE":"batch",
     "PROJ_NAME":"default", "SLA":"gold", "JOB_PRIORITY":"", "SUBMIT_TIME":"Apr 12 18:10", "START_TIME":"",
     "NREQ_SLOT":"6", "NALLOC_SLOT":"", "ALLOC_SLOT":""},
    {"JOBID":"323", "JOBINDEX":"0", "STAT":"PSUSP", "USER":"bob", "QUEUE":"night",
     "PROJ_NAME":"default", "SLA":"", "JOB_PRIORITY":"-", "SUBMIT_TIME":"Dec 31 23:59:59 2025",
     "START_TIME":"-",
     "NREQ_SLOT":"-", "NALLOC_SLOT":"-", "ALLOC_SLOT":"-"}
  ]
})json";
constexpr const char* kNobody = R"({"COMMAND":"bjobs","JOBS":0,"RECORDS":[]})";

constexpr Instant kNow{1'776'017'500'000};  // Apr 12 18:11:40 2026

std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("hosts of bhosts: status, job slots, and all that is used or reserved") {
  const auto hosts = parse_bhosts(kHosts);
  REQUIRE(hosts);
  CHECK(*hosts == std::vector<LsfHost>{{"big1.site.org", true, 8, 3},
                                       {"big2.site.org", true, 4, 4},
                                       {"imp-far", false, 0, 0}});
  CHECK_FALSE(parse_bhosts(with(kHosts, "      8      3", "      -      3"))->at(0).max);
  CHECK(parse_bhosts(with(kHosts, "8      3 ", "8      0 "))->at(0).used == 3);
}

TEST_CASE("which status lets LSF start work") {
  const auto [status, up] = GENERATE(table<const char*, bool>({{"ok", true},
                                                               {"closed_Full", true},
                                                               {"closed_Excl", true},
                                                               {"closed_cu_excl", true},
                                                               {"closed_Adm", false},
                                                               {"closed_Busy", false},
                                                               {"closed_Lock", false},
                                                               {"closed_Wind", false},
                                                               {"closed_Inact", false},
                                                               {"closed_LIM", false},
                                                               {"closed_EGO", false},
                                                               {"closed_RC", false},
                                                               {"unavail", false},
                                                               {"unreach", false}}));
  CHECK(parse_bhosts(with(kHosts, "ok ", std::string(status) + " "))->at(0).up == up);
}

TEST_CASE("bhosts that is not as documented is refused as a whole, with its line") {
  const auto [from, to, said] = GENERATE(table<const char*, const char*, const char*>(
      {{"HOST_NAME ", "RECHNER ", "line 1: the columns are not"},
       {" NJOBS ", " ", "line 1"},
       {"ok ", "closed ", "line 2: status 'closed' is not known"},
       {"ok ", "offen ", "line 2: status 'offen' is not known"},
       {"      8      3", "      8     -3", "line 2: '-3' is no number"},
       {"      8      3", "      x      3", "line 2: MAX is 'x'"},
       {"      8      3", "      8      3.5", "line 2: '3.5' is no number"},
       {"      8      3", "      8 9999999999", "line 2: '9999999999'"},
       {"   0      1\nbig2", "   0\nbig2", "line 2: 8 columns"},
       {"big2.site.org ", "big1.site.org ", "line 3: host 'big1.site.org' is there twice"}}));
  const auto hosts = parse_bhosts(with(kHosts, from, to));
  REQUIRE_FALSE(hosts);
  CAPTURE(hosts.error().message);
  CHECK(hosts.error().message.find(said) != std::string::npos);
}

TEST_CASE("a table that is empty or cut off within a line is refused") {
  CHECK_FALSE(parse_bhosts(""));
  const std::string whole = kHosts;
  for (size_t size = 1; size < whole.size(); ++size) {
    const bool whole_lines = whole[size - 1] == '\n';
    CAPTURE(size);
    CHECK(parse_bhosts(whole.substr(0, size)).has_value() == whole_lines);
  }
}

TEST_CASE("jobs of bjobs: slots by host, start by run time, and what waits") {
  const auto units = parse_bjobs(kJobs, kNow);
  REQUIRE(units);
  REQUIRE(units->size() == 2);
  const WorkUnit& runs = units->at(0);
  CHECK(runs.id == "321");
  CHECK(runs.hosts == std::vector<UnitHost>{{"big1.site.org", 2, {}}, {"big2.site.org", 3, {}}});
  CHECK(runs.slots == 5);
  CHECK(runs.started.ms == 1'776'017'455'000);
  CHECK(runs.submitted.ms == 1'776'017'400'000);
  CHECK(runs.user == "ana");
  CHECK(runs.partition == "batch");
  CHECK(runs.account == "default");
  CHECK(runs.priority == 50);
  const WorkUnit& waits = units->at(1);
  CHECK(waits.id == "322[7]");
  CHECK_FALSE(waits.running());
  CHECK(waits.slots == 6);
  CHECK(waits.submitted.ms == 1'776'017'400'000);
  CHECK(waits.qos == "gold");
  CHECK(parse_bjobs(kNobody, kNow)->empty());
}

TEST_CASE("a time without its year is of the last twelve months") {
  const auto [said, ms] = GENERATE(
      table<const char*, int64_t>({{"Apr 12 18:10:55", 1'776'017'455'000},
                                   {"Apr 12 18:10", 1'776'017'400'000},
                                   {"Apr 13 12:00", 1'776'081'600'000},  // clocks differ a little
                                   {"Apr 14 12:00", 1'744'632'000'000},  // of 2025
                                   {"Dec 31 23:59", 1'767'225'540'000},  // of 2025
                                   {"Feb 29 12:00", 1'709'208'000'000}}));  // of 2024
  CAPTURE(said);
  const auto units = parse_bjobs(with(kJobs, "Apr 12 18:10:55 2026", said), kNow);
  REQUIRE(units);
  CHECK(units->at(0).started.ms == ms);
}

TEST_CASE("a state that keeps its slots counts, whatever LSF knows of the job") {
  const std::string state =
      GENERATE("PROV", "RUN", "SSUSP", "USUSP", "UNKWN", "ZOMBI", "DONE", "EXIT", "WAIT");
  const bool holds = state != "DONE" && state != "EXIT" && state != "WAIT";
  const auto units = parse_bjobs(with(kJobs, "\"RUN\"", "\"" + state + "\""), kNow);
  REQUIRE(units);
  CHECK((units->at(0).id == "321") == holds);
}

TEST_CASE("bjobs that is not as documented is refused as a whole: no slot comes free by a guess") {
  const auto [from, to, said] = GENERATE(table<const char*, const char*, const char*>(
      {{"\"COMMAND\":\"bjobs\"", "\"COMMAND\":\"bhosts\"", "COMMAND is not"},
       {"\"JOBS\":3", "\"JOBS\":4", "JOBS is not the number of RECORDS"},
       {"\"JOBS\":3,", "", "JOBS is not"},
       {"\"RECORDS\"", "\"ROWS\"", "RECORDS is missing"},
       {"\"RUN\"", "\"ANDERS\"", "RECORDS[0].STAT: 'ANDERS' is not known"},
       {"\"STAT\":\"RUN\",", "", "RECORDS[0].STAT: is missing"},
       {"\"STAT\":\"RUN\",", "\"STAT\":\"RUN\",\"STAT\":\"DONE\",", "a key is there twice"},
       {"\"JOBID\":\"321\"", "\"JOBID\":321", "RECORDS[0].JOBID: is 321"},
       {"\"JOBID\":\"321\"", "\"JOBID\":\"all -f\"", "RECORDS[0].JOBID"},
       {"\"JOBID\":\"323\"", "\"JOBID\":\"\"", "RECORDS[2].JOBID"},
       {"\"JOBID\":\"322\", \"JOBINDEX\":\"7\"", "\"JOBID\":\"321\", \"JOBINDEX\":\"0\"",
        "job 321 is there twice"},
       {"\"NALLOC_SLOT\":\"5\"", "\"NALLOC_SLOT\":\"6\"", "RECORDS[0].NALLOC_SLOT: is 6"},
       {"\"NALLOC_SLOT\":\"5\"", "\"NALLOC_SLOT\":\"-5\"", "RECORDS[0].NALLOC_SLOT"},
       {"2*big2", "0*big2", "RECORDS[0].ALLOC_SLOT"},
       {"2*big2", "x*big2", "RECORDS[0].ALLOC_SLOT"},
       {"\"Apr 12 18:10:55 2026\"", "\"some\"", "RECORDS[0].START_TIME: is 'some'"},
       {"\"Apr 12 18:10:55 2026\"", "\"\"", "RECORDS[0].START_TIME: is ''"},
       {"\"Apr 12 18:10:55 2026\"", "\"Avril 12 18:10\"", "RECORDS[0].START_TIME"},
       {"\"Apr 12 18:10:55 2026\"", "\"Feb 30 18:10:55 2026\"", "RECORDS[0].START_TIME"},
       {"\"Apr 12 18:10:55 2026\"", "\"Apr 12 18:10:55 2026 L\"", "RECORDS[0].START_TIME"},
       {"\"NREQ_SLOT\":\"6\"", "\"NREQ_SLOT\":\"-6\"", "RECORDS[1].NREQ_SLOT"},
       {"\"JOB_PRIORITY\":\"50\"", "\"JOB_PRIORITY\":\"high\"", "RECORDS[0].JOB_PRIORITY"}}));
  const auto units = parse_bjobs(with(kJobs, from, to), kNow);
  REQUIRE_FALSE(units);
  CAPTURE(units.error().message);
  CHECK(units.error().message.find(said) != std::string::npos);
}

TEST_CASE("bjobs that was cut off anywhere is refused") {
  const std::string whole = kJobs;
  for (size_t size = 0; size < whole.size(); ++size)
    CHECK_FALSE(parse_bjobs(whole.substr(0, size), kNow));
}

TEST_CASE("facts of lshosts, with memory in mebibytes") {
  const auto facts = parse_lshosts(kFacts);
  REQUIRE(facts);
  CHECK(facts->at("big1.site.org") ==
        LsfFacts{"X86_64", "PC6000", 15'872, 1'983, {"mg", "bigmem"}});
  CHECK(facts->at("big2.site.org") == LsfFacts{"X86_64", "PC6000", 1'000, 0, {}});
  CHECK_FALSE(parse_lshosts(with(kFacts, "15.5G", "15.5")));
  CHECK_FALSE(parse_lshosts(with(kFacts, "15.5G", "viel")));
  CHECK_FALSE(parse_lshosts(with(kFacts, "maxmem", "mem")));
  CHECK_FALSE(parse_lshosts(with(kFacts, " 8  15.5G  1983M  Yes    (mg bigmem)", "")));
}

TEST_CASE("a host of another cluster is known by what the map or the rule calls it") {
  const auto [rule, local, imported] = GENERATE(
      table<const char*, const char*, bool>({{"imp-{host}", "imp-big1", true},
                                             {"imp-{host}", "imp-", false},
                                             {"imp-{host}", "big1", false},
                                             {"{host}.{cluster}.leased", "big1.west.leased", true},
                                             {"{host}.{cluster}.leased", "big1.leased", false},
                                             {"{host}.{cluster}.leased", ".west.leased", false},
                                             {"{host}@{cluster}", "big1@west", true},
                                             {"{host}@{cluster}", "big1", false},
                                             {"{host}", "big1", false},
                                             {"{host}", "w-big1", true}}));
  HostNames names;
  names.rule = rule;
  names.map = {{"big1@west", "w-big1"}};
  CAPTURE(rule, local);
  CHECK(is_imported_name(names, local) == imported);
}

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
  std::map<std::string, CallAnswer> said;  // by program, instead
  std::vector<std::string> told;           // commands that change something
  Scratch scratch;
  StillTime time;

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
      if (program == "bjobs") return CallAnswer{0, jobs, ""};
      if (program == "lshosts") return CallAnswer{0, kFacts, ""};
      told.push_back(command_text(request));
      if (program == "bconf") mxj[request.argv[2].substr(5)] = std::stoi(request.argv[3].substr(4));
      return CallAnswer{0, program == "lsid" ? "My cluster name is east\n" : "accepted\n", ""};
    };
  }
  std::unique_ptr<Workload> open(bool read_only = false) {
    AdapterSettings adapter;
    adapter.names.rule = "imp-{host}";
    adapter.journal = scratch.file("fences");
    adapter.leased_partitions = {"batch"};
    LsfSettings settings;
    settings.env_dir = "/lsf";
    return open_lsf(settings, adapter, caller(), read_only, time).value();
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
  CHECK(lsf.told == std::vector<std::string>{"bconf update host=imp-far MXJ=2 -c leasehold",
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
  lsf.told.clear();
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

TEST_CASE("LSF is not told twice what it does not show yet, but is when it should have") {
  Cluster lsf;
  const auto agent = lsf.open();
  REQUIRE(agent->enforce(std::vector<HostCap>{own_cap(6)}));
  REQUIRE(agent->enforce(std::vector<HostCap>{own_cap(6)}));
  CHECK(lsf.told.size() == 1);
  REQUIRE(agent->enforce(std::vector<HostCap>{own_cap(5)}));
  REQUIRE(agent->enforce(std::vector<HostCap>{own_cap(6)}));
  CHECK(lsf.told.size() == 3);
  lsf.time.now_ms += agent->traits().settle_ms;
  REQUIRE(agent->enforce(std::vector<HostCap>{own_cap(6)}));
  CHECK(lsf.told.size() == 4);
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

TEST_CASE("work on a host that bhosts does not know is refused as a whole") {
  Cluster lsf;
  lsf.jobs = kJobs;
  const Result<View> view = lsf.look();
  REQUIRE_FALSE(view);
  CHECK(view.error().message.find("host 'big1.site.org', which bhosts does not know") !=
        std::string::npos);
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

TEST_CASE("a fenced host whose own number was lost is refused: nobody guesses how many it has") {
  Cluster lsf;
  REQUIRE(lsf.open()->enforce(std::vector<HostCap>{own_cap(6)}));
  std::filesystem::remove(lsf.scratch.file("fences.slots"));
  CHECK(lsf.look().error().message.find("big1") != std::string::npos);
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

TEST_CASE("jobs are signalled and requeued by their ids; one that is gone is no error") {
  Cluster lsf;
  const auto agent = lsf.open();
  REQUIRE(agent->interrupt("322[7]", 30'000));
  REQUIRE(agent->end_and_requeue("322[7]"));
  CHECK(lsf.told == std::vector<std::string>{"bkill -s USR1 322[7]", "brequeue -r 322[7]"});
  lsf.said["brequeue"] = {255, "", "Job <9>: No matching job found\n"};
  CHECK(agent->end_and_requeue("9"));
  lsf.said["brequeue"] = {255, "", "User permission denied\n"};
  CHECK_FALSE(agent->end_and_requeue("9"));
  lsf.told.clear();
  lsf.said["brequeue"] = {255, "", "Job <9>: Interactive batch jobs cannot be requeued\n"};
  CHECK(agent->end_and_requeue("9"));
  CHECK(lsf.told == std::vector<std::string>{"bkill 9"});
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
  CHECK_FALSE(agent->interrupt("1", 0));
  CHECK_FALSE(agent->end_and_requeue("1"));
  CHECK(lsf.told.empty());
}

}  // namespace
}  // namespace leasehold::agent
