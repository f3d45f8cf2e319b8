// The output of Grid Engine 8.1.9 (tests/data/gridengine) is read, or refused when it is spoiled.
#include "agent/workload/gridengine/printed/text.hpp"

#include <catch2/catch.hpp>

#include "agent/workload/gridengine/hosts.hpp"
#include "tests/unit/agent/workload/gridengine/recorded.hpp"

namespace leasehold::agent {

namespace {

using test::changed;
using test::recorded;

const GridEngineJob* job(const GridEngineLook& look, const std::string& id) {
  for (const GridEngineInstance& instance : look.instances) {
    for (const GridEngineJob& one : instance.jobs) {
      if (one.id == id) return &one;
    }
  }
  return nullptr;
}

struct Spoiled {
  const char* what;
  std::string text;
  const char* said;
};

}  // namespace

TEST_CASE("Grid Engine's jobs hold their slots in every state that it knows") {
  const auto look = parse_qstat(recorded("qstat_states.xml"));
  REQUIRE(look.has_value());
  REQUIRE(look->instances.size() == 3);
  const GridEngineInstance& big1 = look->instances[0];
  CHECK(big1.queue == "all.q");
  CHECK(big1.host == "big1");
  CHECK(big1.used == 8);
  CHECK(big1.held() == 8);
  CHECK(big1.up);
  CHECK(look->instances[1].host == "big2");
  CHECK_FALSE(look->instances[1].up);  // "u": it does not answer
  REQUIRE(job(*look, "904") != nullptr);
  CHECK(job(*look, "904")->slots == 2);
  CHECK(format_utc(job(*look, "904")->started) == "2026-11-21T11:29:33.000Z");
  CHECK(job(*look, "906")->suspended());
  CHECK(job(*look, "907")->deleted());
  CHECK(job(*look, "909.7") != nullptr);
}

TEST_CASE(
    "Grid Engine's jobs that have their hosts for themselves ask for a resource of that kind") {
  const auto resources = parse_resources(recorded("resources.txt"));
  REQUIRE(resources.has_value());
  CHECK(resources->exclusive == std::set<std::string>{"exclusive"});
  const auto look = parse_qstat(recorded("qstat_exclusive.xml"));
  REQUIRE(look.has_value());
  using Names = std::vector<std::string>;
  REQUIRE(job(*look, "1") != nullptr);
  CHECK(job(*look, "1")->flags == Names{"exclusive"});  // "-l excl=true": found by its whole name
  REQUIRE(look->pending.size() == 3);
  CHECK(look->pending[0].flags == Names{"exclusive"});  // =1
  CHECK(look->pending[1].flags.empty());
  CHECK(look->pending[2].flags.empty());  // =false
  CHECK(parse_resources("alone a BOOL EXCL YES YES 0 0 YES 0.0\n")->exclusive.contains("alone"));
  CHECK_FALSE(parse_resources("").has_value());
  CHECK_FALSE(parse_resources("slots s INT <= YES YES\n").has_value());
  CHECK_FALSE(parse_resources("#name shortcut\n").has_value());
}

TEST_CASE("Pending slots of Grid Engine count each task that waits and could start") {
  const auto look = parse_qstat(recorded("qstat_states.xml"));
  REQUIRE(look.has_value());
  REQUIRE(look->pending.size() == 3);
  CHECK(look->pending[0].id == "910");
  CHECK(look->pending[0].slots == 2);  // of -pe smp 2-4: with so many it would start
  CHECK(look->pending[0].hosts == std::vector<std::string>{"big3"});
  CHECK(look->pending[1].id == "905");  // "Rq": put back
  CHECK(look->pending[1].startable);
  CHECK(look->pending[2].slots == 3);  // tasks 1-5:2
  CHECK_FALSE(look->pending[2].startable);
}

TEST_CASE("A job over several hosts holds its part on each") {
  const auto look = parse_qstat(recorded("qstat_multi_host.xml"));
  REQUIRE(look.has_value());
  const auto hosts = QueueHosts::of(*look, "all.q");
  REQUIRE(hosts.has_value());
  const std::vector<PlacedJob> places = hosts->places("8");
  REQUIRE(places.size() == 2);
  CHECK(places[0].job.slots + places[1].job.slots == 10);
}

TEST_CASE("Slots of an advance reservation are nobody else's") {
  const auto look = parse_qstat(recorded("qstat_reservation.xml"));
  REQUIRE(look.has_value());
  CHECK(look->instances[0].used == 6);
  CHECK(look->instances[0].reserved == 2);
  CHECK(look->instances[0].held() == 8);
}

TEST_CASE("What qstat prints is refused as a whole when it is not understood") {
  const std::string good = recorded("qstat_states.xml");
  const Spoiled rows[] = {
      {"empty", "", "is empty"},
      {"blank", " \n", "is empty"},
      {"cut off", good.substr(0, good.size() / 2), "no whole XML"},
      {"cut before its last line", good.substr(0, good.rfind("</job_info>")), "no whole XML"},
      {"an error in place of XML", "error: commlib error: got select error", "no whole XML"},
      {"of another program", recorded("qhost.xml"), "<qhost> where <job_info>"},
      {"numbers of another locale",
       changed(good, "<slots_used>8</slots_used>", "<slots_used>8,0</slots_used>"), "'8,0'"},
      {"a negative number", changed(good, "<slots_used>8<", "<slots_used>-8<"), "'-8'"},
      {"a huge number", changed(good, "<slots>2<", "<slots>99999999999999999999<"), "<slots>"},
      {"an element renamed",
       changed(good, "<slots_used>8</slots_used>", "<used_slots>8</used_slots>"), "<slots_used>"},
      {"no limit", changed(good, "<slots_total>8</slots_total>", ""), "<slots_total>"},
      {"a queue without a host", changed(good, "all.q@big2", "all.q"), "no queue@host"},
      {"tasks of another form", changed(good, "<tasks>1-5:2<", "<tasks>1..5<"),
       "is not a list of tasks"},
      {"several running tasks in one", changed(good, "<tasks>7<", "<tasks>7-9<"), "runs as task"},
      {"a job among queues", changed(good, "</queue_info>", "<job_list></job_list></queue_info>"),
       "<job_list> is where a queue should be"},
      {"no pending jobs at all", good.substr(0, good.find("  <job_info>\n")) + "</job_info>",
       "lacks"}};
  for (const Spoiled& row : rows) {
    INFO(row.what);
    const auto look = parse_qstat(row.text);
    REQUIRE_FALSE(look.has_value());
    INFO(look.error().message);
    CHECK(look.error().message.find(row.said) != std::string::npos);
  }
}

TEST_CASE("What qhost prints is refused as a whole when it is not understood") {
  const std::string good = recorded("qhost.xml");
  const auto hosts = parse_qhost(good);
  REQUIRE(hosts.has_value());
  REQUIRE(hosts->size() == 3);
  CHECK(hosts->at(0).arch == "lx-amd64");
  CHECK(hosts->at(0).mem_mb > 20'000);
  CHECK(hosts->at(1).arch.empty());  // it has no daemon
  CHECK(hosts->at(1).mem_mb == 0);
  const Spoiled rows[] = {
      {"empty", "", "is empty"},
      {"cut off", good.substr(0, 600), "no whole XML"},
      {"a host without a name", changed(good, "<host name=", "<host title="), "has no name"}};
  for (const Spoiled& row : rows) {
    INFO(row.what);
    const auto read = parse_qhost(row.text);
    REQUIRE_FALSE(read.has_value());
    INFO(read.error().message);
    CHECK(read.error().message.find(row.said) != std::string::npos);
  }
  CHECK_FALSE(machine_of(*hosts, "nobody").has_value());
}

TEST_CASE("A queue's own numbers for hosts are read, or the queue is refused") {
  const std::string good = recorded("queue.txt");
  const auto queue = parse_queue(good);
  REQUIRE(queue.has_value());
  CHECK(queue->name == "all.q");
  CHECK(queue->rerun);
  CHECK(queue->notify_ms == 10'000);
  CHECK(queue->slots_of_hosts.size() == 4);
  CHECK(queue->slots_of_hosts[0] == std::pair<std::string, int32_t>("w1", 8));
  const auto slots = [](const std::string& value) {
    return parse_queue("qname all.q\nrerun FALSE\nnotify 00:00:60,[a=00:02:00]\nslots " + value);
  };
  REQUIRE(slots("8,[@small=2],[big1=5]").has_value());
  CHECK(slots("8,[@small=2],[big1=5]")->slots_of_hosts.size() == 1);
  CHECK(slots("8")->notify_ms == 120'000);
  CHECK_FALSE(slots("8")->rerun);
  for (const char* bad : {"", "eight", "8,[big1=x]", "8,[big1]", "8,[=3]", "8,[big1=5", "[big1=5]",
                          "8,[big1=5] \\", "-1", "99999999999"}) {
    INFO(bad);
    CHECK_FALSE(slots(bad).has_value());
  }
  CHECK_FALSE(parse_queue("").has_value());
  CHECK_FALSE(parse_queue(changed(good, "notify ", "notified ")).has_value());
  CHECK_FALSE(parse_queue(changed(good, "00:00:10", "INFINITY")).has_value());
}

TEST_CASE("qstat -j tells whose a job is and whether it may run again") {
  const auto facts = parse_job_facts(recorded("qstat_j.xml"));
  REQUIRE(facts.has_value());
  REQUIRE(facts->size() == 3);
  CHECK(facts->at(0).restartable == std::optional<bool>(false));  // -r n
  CHECK(facts->at(1).number == "8");
  CHECK(facts->at(1).owner == "root");
  CHECK(facts->at(1).project == "prj");
  CHECK(facts->at(1).priority == -10);
  CHECK(facts->at(1).notice);
  CHECK(facts->at(1).restartable == std::optional<bool>(true));
  CHECK(facts->at(1).context == "note=x y,leasehold=rank=20,b=2");
  CHECK(facts->at(2).restartable == std::nullopt);
  CHECK(parse_job_facts("<unknown_jobs><ST_name>*</ST_name></unknown_jobs>")->empty());
  const std::string good = recorded("qstat_j.xml");
  for (const std::string& bad :
       {std::string(), good.substr(0, 900), changed(good, "JB_notify>", "JB_notice>"),
        changed(good, "<JB_owner>root</JB_owner>", "")}) {
    CHECK_FALSE(parse_job_facts(bad).has_value());
  }
}

TEST_CASE("Names are matched as Grid Engine does") {
  CHECK(matches("all.q", "ALL.Q"));
  CHECK(matches("*", ""));
  CHECK(matches("big*1?", "big3310"));
  CHECK_FALSE(matches("big?", "big"));
  CHECK_FALSE(matches("", "x"));
  CHECK(matches("a*b*c", "aXbYbZc"));
  CHECK_FALSE(matches("a*b*c", "aXbYbZ"));
  CHECK(matches("**", "x"));
}

// Symptom: a user's job whose queue had nine stars kept the agent busy for half a minute, and more
// of them for ever.
TEST_CASE("A name of many stars is matched as soon as one of a few") {
  CHECK_FALSE(matches(std::string(60, '*') + "x", std::string(60, 'a')));
  CHECK(matches(std::string(60, '*') + "a", std::string(60, 'a')));
}

TEST_CASE("A pending job counts when leased hosts could serve it") {
  const std::vector<std::string> queues{"all.q"};
  const std::vector<std::string> hosts{"imp-big1", "imp-big2"};
  struct Row {
    std::vector<std::string> queues;
    std::vector<std::string> hosts;
    bool counts;
  };
  const Row rows[] = {{{}, {}, true},
                      {{"all.q"}, {}, true},
                      {{"long.q", "a*"}, {}, true},
                      {{"long.q"}, {}, false},
                      {{"all.q@imp-*"}, {}, true},
                      {{"all.q@w1"}, {}, false},
                      {{"*@@group"}, {}, true},  // who is in it is not asked
                      {{"long.q@@group"}, {}, false},
                      {{}, {"imp-big2"}, true},
                      {{}, {"w1"}, false},
                      {{}, {"!w1"}, true},
                      {{"all.q"}, {"w?"}, false}};
  for (const Row& row : rows) {
    GridEnginePending job{"1", 1, true, row.queues, row.hosts};
    CHECK(could_run(job, queues, hosts) == row.counts);
  }
}

TEST_CASE("How the last run of a job ended is read from accounting") {
  using How = JobEnd::How;
  const auto run = [](const char* failed, const char* status) {
    return std::string("==============\nqname        all.q\njobname      failed 7\nfailed       ") +
           failed + "\nexit_status  " + status + "\nru_wallclock 1s\n";
  };
  CHECK(parse_qacct(run("0    ", "0      ")) == JobEnd{How::well, 0});
  CHECK(parse_qacct(run("0    ", "3      ")) == JobEnd{How::failed, 3});
  CHECK(parse_qacct(run("26  : opening input/output file", "0")) == JobEnd{How::failed, 0});
  const std::string killed = run("100 : assumedly after job", "137                  (Killed)");
  CHECK(parse_qacct(killed) == JobEnd{How::ended, 137});
  const std::string again = run("25  : rescheduling", "0");
  CHECK(parse_qacct(again) == JobEnd{How::queued, {}});
  CHECK(parse_qacct(again + killed) == JobEnd{How::ended, 137});
  CHECK(parse_qacct("") == JobEnd{});
  CHECK(parse_qacct("failed       x\nexit_status\n") == JobEnd{});
}

}  // namespace leasehold::agent
