// A site's own program as the workload manager's face: what it is asked, and what of its answers is
// taken. Answers are texts here; real processes run in tests/integration/command_adapter_test.py.

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/unit/agent/workload/command/site.hpp"

namespace leasehold::agent {
namespace {

using nlohmann::json;
using test::kDone;
using test::kPlain;
using test::Site;

HostCap leased(const char* host, int32_t slots) {
  return {host, false, slots, 4, 0, 0, {{7, 0, slots - 4, 4}}, 0};
}

TEST_CASE("a program's answers become traits, hosts, use and caps") {
  Site site;
  auto workload = site.opened();
  REQUIRE(workload);
  CHECK((*workload)->traits().manager == "command");
  CHECK((*workload)->traits().settle_ms == 250);
  CHECK_FALSE((*workload)->traits().self_expiring);
  const Result<View> view = (*workload)->read(std::vector<std::string>{"i1"});
  REQUIRE(view);
  CHECK(site.asked.back() ==
        json{{"version", 1}, {"request", "read"}, {"imported", json::array({"i1"})}});
  REQUIRE(view->hosts.size() == 1);
  CHECK(view->hosts[0].slots == 8);
  CHECK(view->hosts[0].mem_mb == 16'000);
  CHECK(view->hosts[0].numbers_milli == decltype(view->hosts[0].numbers_milli){{"gpus", 2'500}});
  CHECK(view->loads ==
        std::vector<HostLoad>{{"big1", false, true, 3, 5}, {"i1", true, false, 0, 0}});
  CHECK(view->pending == 4);
  CHECK(view->running == 3);
  CHECK(view->leases_until_ms == INT64_MAX);
}

TEST_CASE("what a fence was made from is kept beside it, and forgotten with it") {
  Site site;
  auto workload = site.opened();
  REQUIRE((*workload)->enforce(std::vector<HostCap>{leased("big1", 6)}));
  const json& row = site.asked.back().at("caps").at(0);
  CHECK(row == json{{"host", "big1"},
                    {"imported", false},
                    {"slots", 6},
                    {"own", 4},
                    {"mem_mb", 0},
                    {"swap_mb", 0},
                    {"grace_ms", 0},
                    {"remove", false}});
  SECTION("by another agent too") {
    CHECK(site.read()->caps == std::vector<HostCap>{leased("big1", 6)});
  }
  SECTION("with the slots that the program says, whatever was asked for") {
    site.answers["read"].replace(site.answers["read"].find("\"slots\":6"), 9, "\"slots\":7");
    CHECK(site.read()->caps[0].slots == 7);
    CHECK(site.read()->caps[0].parts == leased("big1", 6).parts);
  }
  SECTION("until it is taken away") {
    REQUIRE((*workload)->enforce(std::vector<HostCap>{{"big1", false, 8, 8, 0, 0, {}, 0}}));
    CHECK(site.asked.back().at("caps").at(0).at("remove") == true);
    CHECK(site.read()->caps[0].parts.empty());
  }
  SECTION("not if the program refuses to take it away") {
    site.answers["enforce"] = R"({"version":1,"error":"the queue is locked"})";
    const Status done =
        (*workload)->enforce(std::vector<HostCap>{{"big1", false, 8, 8, 0, 0, {}, 0}});
    REQUIRE_FALSE(done);
    CHECK(done.error().message ==
          "`/opt/site/adapter x`, request \"enforce\": it says: the queue is locked");
    CHECK(site.read()->caps[0].parts.size() == 1);
  }
}

TEST_CASE("jobs are asked for, warned, requeued; leases and resources are told") {
  Site site;
  site.answers["describe"] =
      R"({"version":1,"fences":{"memory":true,"swap":false,"resources":true},
          "settle_ms":0,"self_expiring":true})";
  site.answers["jobs"] = R"({"version":1,"now_ms":1700000009000,"jobs":[
      {"id":"7.2","slots":3,"hosts":[{"host":"a","slots":2},{"host":"b","slots":1}],
       "started_ms":1700000000000,"submitted_ms":5,"priority":-4,"requeueable":false,
       "whole_hosts":true,"user":"ana","account":"p","partition":"q","qos":"","comment":"c"},
      {"id":"8","slots":4,"hosts":[]}]})";
  site.answers["permissions"] = R"({"version":1,"lacking":["may not hold jobs"]})";
  auto workload = site.opened();
  const auto work = (*workload)->work_units();
  REQUIRE(work);
  CHECK(work->now.ms == 1'700'000'009'000);
  WorkUnit runs;
  runs.id = "7.2";
  runs.hosts = {{"a", 2, {}}, {"b", 1, {}}};
  runs.slots = 3;
  runs.started = Instant{1'700'000'000'000};
  runs.submitted = Instant{5};
  runs.priority = -4;
  runs.requeueable = false;
  runs.whole_hosts = true;
  runs.user = "ana";
  runs.account = "p";
  runs.partition = "q";
  runs.comment = "c";
  WorkUnit waits;
  waits.id = "8";
  waits.slots = 4;
  CHECK(work->units == std::vector<WorkUnit>{runs, waits});
  REQUIRE((*workload)->interrupt({"7.2"}, "USR2", 30'000));
  CHECK(site.asked.back().at("signal") == "USR2");
  CHECK(site.asked.back().at("grace_ms") == 30'000);
  REQUIRE((*workload)->end_and_requeue({"7.2"}));
  CHECK(site.asked.back() == json{{"version", 1}, {"request", "requeue"}, {"job", "7.2"}});
  REQUIRE((*workload)->lease_until(INT64_MAX));
  CHECK(site.asked.back().at("boottime_ms") == -1);
  REQUIRE((*workload)->lease_until(5));
  CHECK(site.asked.back().at("boottime_ms") == 5);
  const wire::ConfiguredResource licence{"simlic", wire::Role::provider, "west", 3};
  REQUIRE((*workload)->fence_resources(std::vector<wire::ConfiguredResource>{licence}));
  CHECK(site.asked.back().at("resources").at(0).at("instances") == 3);
  CHECK((*workload)->permissions_lacking().value() ==
        std::vector<std::string>{"may not hold jobs"});
}

TEST_CASE("command: a program of the second level is asked what became of a job") {
  Site site;
  CHECK(*(*site.opened())->end_of({"7"}) == JobEnd{});
  CHECK(site.asked.back().at("request") == "describe");
  std::string second = kPlain;
  second.insert(second.size() - 1, R"(,"level":2)");
  site.answers["describe"] = second;
  site.answers["fate"] = R"({"version":1,"fate":"failed","exit_code":3})";
  CHECK(*(*site.opened())->end_of({"7"}) == JobEnd{JobEnd::How::failed, 3});
  CHECK(site.asked.back() == json{{"version", 1}, {"request", "fate"}, {"job", "7"}});
  site.answers["fate"] = R"({"version":1,"fate":"queued"})";
  CHECK(*(*site.opened())->end_of({"7"}) == JobEnd{JobEnd::How::queued, {}});
  site.answers["fate"] = R"({"version":1,"fate":"bewitched"})";
  const auto refused = (*site.opened())->end_of({"7"});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("\"ended-well\"") != std::string::npos);
}

TEST_CASE("command: work that asks for no signal gets none, or URG of a program that wants one") {
  Site site;
  REQUIRE((*site.opened())->interrupt({"7"}, "", 30'000));
  CHECK(site.asked.back() == json{{"version", 1},
                                  {"request", "interrupt"},
                                  {"job", "7"},
                                  {"grace_ms", 30'000},
                                  {"signal", "URG"}});
  std::string second = kPlain;
  second.insert(second.size() - 1, R"(,"level":2)");
  site.answers["describe"] = second;
  REQUIRE((*site.opened())->interrupt({"7"}, "", 30'000));
  CHECK(site.asked.back().at("signal") == "none");
  REQUIRE((*site.opened())->interrupt({"7"}, "USR1", 30'000));
  CHECK(site.asked.back().at("signal") == "USR1");
  second.replace(second.find("2}"), 1, "3");
  site.answers["describe"] = second;
  CHECK_FALSE(site.opened());
}

TEST_CASE(
    "jobs that share slots of a host are said to, and one that contradicts itself is refused") {
  Site site;
  const auto answer = [&](const std::string& shared) {
    site.answers["jobs"] = R"({"version":1,"now_ms":1700000009000,"jobs":[{"id":"7","slots":3,
        "hosts":[{"host":"a","slots":2,"shared":)" +
                           shared + R"(},{"host":"b","slots":1}],"started_ms":5}]})";
    return (*site.opened())->work_units();
  };
  const auto work = answer("[0,3]");
  REQUIRE(work);
  CHECK(work->units[0].hosts == std::vector<UnitHost>{{"a", 2, {0, 3}}, {"b", 1, {}}});
  for (const auto& [shared, wrong] : std::vector<std::pair<const char*, const char*>>{
           {"[0]", "jobs[0].hosts[0].shared: names 1 slots, but 'slots' is 2"},
           {"[0,0]", "each once, would be right"},
           {"[-1,2]", "a list of integers from 0 to 999999"},
           {"[0,1.5]", "a list of integers"},
           {"7", "a list of integers"}}) {
    INFO(shared);
    const auto refused = answer(shared);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find(wrong) != std::string::npos);
  }
}

TEST_CASE("a program that fences memory must say how much it withholds; another may not") {
  Site site;
  site.answers["describe"] =
      R"({"version":1,"fences":{"memory":true,"swap":true,"resources":false},
          "settle_ms":0,"self_expiring":true})";
  CHECK(site.read().error().message.find("caps[0].mem_mb: is missing") != std::string::npos);
  site.answers["read"] = R"({"version":1,"hosts":[{"name":"a","slots":1,"up":true}],
      "loads":[{"host":"a","imported":false,"up":true,"used":0}],
      "caps":[{"host":"a","imported":false,"slots":1,"mem_mb":100,"swap_mb":7}],
      "pending":0,"running":0,"leases_until_ms":12345})";
  REQUIRE(site.read());
  CHECK(site.read()->caps[0].mem_mb == 100);
  CHECK(site.read()->caps[0].swap_mb == 7);
  CHECK(site.read()->leases_until_ms == 12'345);
  site.answers["describe"] = kPlain;
  CHECK(site.read().error().message.find("caps[0].\"mem_mb\": is not known") != std::string::npos);
}

TEST_CASE("resources that the program cannot fence are refused, none are no error") {
  Site site;
  auto workload = site.opened();
  const wire::ConfiguredResource licence{"simlic", wire::Role::provider, "west", 3};
  CHECK_FALSE((*workload)->fence_resources(std::vector<wire::ConfiguredResource>{licence}));
  CHECK((*workload)->fence_resources({}));
  CHECK(site.asked.size() == 1);
}

TEST_CASE("a look changes nothing: the program is not even asked") {
  Site site;
  auto workload = site.opened(true);
  REQUIRE(workload);
  REQUIRE((*workload)->read(std::vector<std::string>{"i1"}));
  const size_t asked = site.asked.size();
  CHECK_FALSE((*workload)->enforce(std::vector<HostCap>{leased("big1", 6)}));
  CHECK_FALSE((*workload)->lease_until(5));
  CHECK_FALSE((*workload)->interrupt({"7"}, "", 0));
  CHECK_FALSE((*workload)->end_and_requeue({"7"}));
  CHECK(site.asked.size() == asked);
}

TEST_CASE("a program that fails at describing itself opens nothing") {
  Site site;
  SECTION("by its exit status") {
    site.exit_status = 3;
    CHECK(site.opened().error().message ==
          "request \"describe\": `/opt/site/adapter x` ended with exit status 3: no such luck");
  }
  SECTION("by its answer") {
    site.answers["describe"] = R"({"version":1})";
    CHECK(site.opened().error().message ==
          "`/opt/site/adapter x`, request \"describe\": fences: is missing");
  }
}

struct Bad {
  const char* from;  // of kView
  const char* to;
  const char* said;
};

TEST_CASE("a view that is not right in all of it is refused as a whole, with the place") {
  const Bad bad = GENERATE(
      Bad{"\"version\":1", "\"version\":2", "version: is 2; this agent reads 1"},
      Bad{"\"version\":1,", "", "version: is missing"},
      Bad{"\"running\":3}", "\"running\":3", "unexpected end of input"},
      Bad{"\"running\":3", "\"running\":3,\"rogue\":1", "\"rogue\": is not known"},
      Bad{",\"running\":3", "", "running: is missing"},
      Bad{"\"used\":3", "\"used\":-3", "loads[0].used: is -3; a whole number from 0 to 1000000"},
      Bad{"\"used\":3", "\"used\":3.5", "loads[0].used: is 3.5"},
      Bad{"\"used\":3", "\"used\":\"3\"", "loads[0].used: is \"3\""},
      Bad{"\"used\":3", "\"used\":18446744073709551615", "loads[0].used"},
      Bad{"\"used\":3", "\"used\":9999999999", "loads[0].used"},
      Bad{"\"used\":3,", "", "loads[0].used: is missing"},
      Bad{"\"used\":3", "\"used\":3,\"idle\":5", "loads[0].\"idle\": is not known"},
      Bad{"\"slots\":8", "\"slots\":null", "hosts[0].slots: is null"},
      Bad{"\"slots\":8", "\"slots\":8,\"color\":\"red\"", "hosts[0].\"color\": is not known"},
      Bad{"\"name\":\"big1\"", "\"name\":\"\"", "hosts[0].name"},
      Bad{"\"name\":\"big1\"", "\"name\":\"a\\nb\"", "hosts[0].name"},
      Bad{"\"name\":\"big1\"", "\"name\":\"i1\"", "is a host of another cluster"},
      Bad{"\"host\":\"i1\"", "\"host\":\"i2\"", "loads[1].host: 'i2' is a host that nobody knows"},
      Bad{"\"host\":\"i1\"", "\"host\":\"big1\"", "loads[1].host: 'big1' is there twice"},
      Bad{"\"host\":\"big1\",\"imported\":false,\"up\"",
          "\"host\":\"big9\",\"imported\":false,\"up\"",
          "loads[0].host: 'big9' is a host that nobody knows: it is not in hosts"},
      Bad{"{\"host\":\"big1\",\"imported\":false,\"up\":true,\"used\":3,\"used_peak\":5},", "",
          "loads: host 'big1' is missing"},
      Bad{"[{\"host\":\"big1\",\"imported\":false,\"slots\":6}]",
          "[{\"host\":\"big1\",\"imported\":true,\"slots\":6}]", "is a host of this cluster"},
      Bad{"[{\"host\":\"big1\",\"imported\":false,\"slots\":6}]", "{}", "caps: is not a list"},
      Bad{"[{\"host\":\"big1\",\"imported\":false,\"slots\":6}]", "[7]",
          "caps[0].: is not an object"},
      Bad{"\"numbers\":{\"gpus\":2.5}", "\"numbers\":{\"gpus\":\"two\"}", "hosts[0].numbers"},
      Bad{"\"booleans\":[\"ssd\"]", "\"booleans\":[1]", "hosts[0].booleans"},
      Bad{"\"up\":true,\"type\"", "\"up\":1,\"type\"", "hosts[0].up: is 1; true or false"});
  Site site;
  std::string& text = site.answers["read"];
  const size_t at = text.find(bad.from);
  REQUIRE(at != std::string::npos);
  text.replace(at, std::string(bad.from).size(), bad.to);
  const Result<View> view = site.read();
  REQUIRE_FALSE(view);
  CAPTURE(view.error().message);
  CHECK(view.error().message.find(bad.said) != std::string::npos);
  CHECK(view.error().message.find("request \"read\"") != std::string::npos);
}

TEST_CASE("what is no JSON object at all is refused, whatever else it is") {
  const auto [text, said] = GENERATE(
      table<const char*, const char*>({{"", "the answer is empty"},
                                       {"\n \n", "the answer is empty"},
                                       {"[]", "no JSON object"},
                                       {"ok", "not valid JSON"},
                                       {"{\"version\":1}{\"version\":1}", "not valid JSON"},
                                       {"Fehler: kein Zugriff", "not valid JSON"}}));
  Site site;
  site.answers["read"] = text;
  CAPTURE(site.read().error().message);
  CHECK(site.read().error().message.find(said) != std::string::npos);
}

TEST_CASE("an answer nested 120,000 deep is refused and ends nothing") {
  Site site;
  site.answers["read"] = "{\"x\":" + std::string(120'000, '[') + std::string(120'000, ']') + "}";
  const Result<View> view = site.read();
  REQUIRE_FALSE(view);
  CHECK(view.error().message.find("deeper than 64") != std::string::npos);
}

TEST_CASE("command: work of others ends for a job only as its program says where it could start") {
  Site site;
  site.answers["jobs"] = R"({"version":1,"now_ms":5,"jobs":[
      {"id":"1","slots":8,"hosts":[],"tasks":2,"slots_per_host":2,"hosts_wanted":2,"fits":["a"],
       "waits":"could-start"},
      {"id":"2","slots":1,"hosts":[],"waits":"kept-back","fits":["a"]},
      {"id":"3","slots":1,"hosts":[],"waits":"elsewhere"},
      {"id":"4","slots":1,"hosts":[],"waits":"for the moon"},
      {"id":"5","slots":1,"hosts":[]},
      {"id":"6","slots":1,"hosts":[{"host":"a","slots":1}],"started_ms":0,"waits":"kept-back"}]})";
  auto workload = site.opened();
  const auto work = (*workload)->work_units();
  REQUIRE(work);
  const WorkUnit& wide = work->units[0];
  CHECK(wide.slots_of_task() == 4);
  CHECK(wide.slots_per_host == 2);
  CHECK(wide.hosts_wanted == 2);
  CHECK(*wide.fits == std::vector<std::string>{"a"});
  for (const size_t kept : {1, 2, 3}) CHECK(work->units[kept].kept_back());
  for (const size_t other : {4, 5}) CHECK(work->units[other].fits == nullptr);
  const auto cautions = (*workload)->cautions();
  REQUIRE(cautions);
  CHECK(*cautions ==
        std::vector<std::string>{
            "'waits' of a pending job is 'for the moon', which is not a known word: such "
            "jobs count as kept back"});
}

TEST_CASE("jobs that are not right are refused: none of them is ended by a guess") {
  const auto [row, said] = GENERATE(table<const char*, const char*>(
      {{R"({"id":"1","slots":1})", "jobs[0].hosts: is missing"},
       {R"({"id":"1","slots":1,"hosts":[{"host":"a","slots":1}]})",
        "jobs[0].started_ms: is missing"},
       {R"({"id":"1","slots":2,"hosts":[{"host":"a","slots":1}],"started_ms":0})",
        "jobs[0].slots: is 2, but its hosts have 1"},
       {R"({"id":"1","slots":2,"hosts":[{"host":"a","slots":1},{"host":"a","slots":1}],
            "started_ms":0})",
        "jobs[0].hosts[1].host: 'a' is there twice"},
       {R"({"id":"1","slots":0,"hosts":[]})", "jobs[0].slots: is 0"},
       {R"({"id":"1","slots":1,"hosts":[{"host":"a","slots":-1}],"started_ms":0})",
        "jobs[0].hosts[0].slots: is -1"},
       {R"({"id":1,"slots":1,"hosts":[]})", "jobs[0].id: is 1"},
       {R"({"id":"1","slots":1,"hosts":[],"id":"2"})", "has a key twice"},
       {R"({"id":"1","slots":1,"hosts":[]},{"id":"1","slots":1,"hosts":[]})",
        "jobs[1].id: '1' is there twice"},
       {R"({"id":"1","slots":3,"hosts":[],"tasks":0})", "jobs[0].tasks: is 0"},
       {R"({"id":"1","slots":3,"hosts":[],"tasks":2})", "jobs[0].tasks: is 2"},
       {R"({"id":"1","slots":3,"hosts":[],"slots_per_host":2,"hosts_wanted":2})",
        "jobs[0].slots: is less than"},
       {R"({"id":"1","slots":1,"hosts":[],"state":"odd"})", "jobs[0].\"state\": is not known"}}));
  Site site;
  site.answers["jobs"] = std::string(R"({"version":1,"now_ms":5,"jobs":[)") + row + "]}";
  auto workload = site.opened();
  const auto work = (*workload)->work_units();
  REQUIRE_FALSE(work);
  CAPTURE(work.error().message);
  CHECK(work.error().message.find(said) != std::string::npos);
}

}  // namespace
}  // namespace leasehold::agent
