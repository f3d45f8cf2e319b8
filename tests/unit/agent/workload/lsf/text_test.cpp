// The output of LSF's programs becomes hosts and jobs, or is refused as a whole. Its shapes are
// those of the command reference; none of it has been run on a real LSF.
#include "agent/workload/lsf/text.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/agent/workload/lsf/shapes.hpp"

namespace leasehold::agent {
namespace {

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
  const LsfHost host = parse_bhosts(with(kHosts, "ok ", std::string(status) + " "))->at(0);
  CHECK(host.up == up);
  CHECK(host.unknown.empty());
}

TEST_CASE("a status or a state that nobody knows makes its own host not up, and is named") {
  const auto hosts = parse_bhosts(with(kHosts, "ok ", "closed_Moon "));
  REQUIRE(hosts);
  CHECK_FALSE(hosts->at(0).up);
  CHECK(hosts->at(0).unknown == "closed_Moon");
  CHECK(hosts->at(1).up);
  std::map<std::string, std::string> unknown;
  auto units = parse_bjobs(with(kJobs, "\"STAT\":\"RUN\"", "\"STAT\":\"DREAM\""), kNow, &unknown);
  REQUIRE(units);
  CHECK(unknown == std::map<std::string, std::string>{{"321", "DREAM"}});
  CHECK(units->at(0).slots == 5);  // it holds what it has
  units = parse_bjobs(with(kJobs, "\"STAT\":\"PEND\"", "\"STAT\":\"DREAM\""), kNow, &unknown);
  REQUIRE(units);
  CHECK(units->size() == 1);  // and waits for nothing
}

TEST_CASE("bhosts that is not as documented is refused as a whole, with its line") {
  const auto [from, to, said] = GENERATE(table<const char*, const char*, const char*>(
      {{"HOST_NAME ", "RECHNER ", "line 1: the columns are not"},
       {" NJOBS ", " ", "line 1"},
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
       {"\"RECORDS\"", "\"ROWS\"", "a list is where none should be"},
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
  for (size_t size = 0; size < whole.size(); ++size) {
    CHECK_FALSE(parse_bjobs(whole.substr(0, size), kNow));
  }
}

TEST_CASE("bjobs with thousands of keys in one object is refused, not compared with each other") {
  std::string keys;
  for (int i = 0; i < 100; ++i) keys += "\"X" + std::to_string(i) + "\":\"\",";
  const auto units = parse_bjobs(with(kJobs, "\"JOBID\"", keys + "\"JOBID\""), kNow);
  REQUIRE_FALSE(units);
  CHECK(units.error().message.find("more than 64 keys") != std::string::npos);
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

TEST_CASE("how a job ended is read from bjobs") {
  using How = JobEnd::How;
  const auto said = [](const char* state, const char* code) {
    return std::string(R"({"COMMAND":"bjobs","JOBS":1,"RECORDS":[{"STAT":")") + state +
           R"(","EXIT_CODE":")" + code + R"("}]})";
  };
  CHECK(*parse_end(said("DONE", "")) == JobEnd{How::well, 0});
  CHECK(*parse_end(said("EXIT", "3")) == JobEnd{How::failed, 3});
  CHECK(*parse_end(said("EXIT", "130")) == JobEnd{How::ended, 130});
  CHECK(*parse_end(said("EXIT", "-")) == JobEnd{How::failed, {}});
  CHECK(*parse_end(said("PEND", "")) == JobEnd{How::queued, {}});
  CHECK(*parse_end(said("RUN", "")) == JobEnd{How::goes_on, {}});
  CHECK(*parse_end(R"({"RECORDS":[]})") == JobEnd{});
  CHECK_FALSE(parse_end(R"({"RECORDS":[{"STAT":"DONE"}]})"));
  CHECK_FALSE(parse_end("no"));
}

}  // namespace
}  // namespace leasehold::agent
