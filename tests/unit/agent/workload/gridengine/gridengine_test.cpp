#include <catch2/catch.hpp>

#include "tests/unit/agent/workload/gridengine/recorded.hpp"
#include "tests/unit/agent/workload/gridengine/site.hpp"

namespace leasehold::agent {

namespace {

using test::Played;

HostCap own_cap(const std::string& host, int32_t slots, int32_t exported = 6) {
  return {host, false, slots, 8 - exported, 0, 0, {{7, 0, slots - 2, exported}}, 0};
}

HostCap imported_cap(int32_t slots) {
  return {"imp-far", true, slots, 0, 0, 0, {{9, 0, slots, 0}}, 5'000};
}

HostCap lifted(const std::string& host, bool imported) {
  return {host, imported, imported ? 0 : 8, 0, 0, 0, {}, 0};
}

Status enforce(Workload& workload, const HostCap& cap) {
  return workload.enforce(std::span(&cap, 1));
}

const HostLoad* load(const View& view, const std::string& host) {
  for (const HostLoad& one : view.loads) {
    if (one.host == host) return &one;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("Grid Engine shows its own hosts whole and imported ones when asked") {
  Played played;
  played.run({{"1", "big1", 3}, {"2.4", "big1", 1, "s"}, {"3", "big2", 2, "dr"}});
  played.cell.states["big2"] = "au";
  played.cell.reserved["big1"] = 2;
  played.open();
  const View view = played.look();
  REQUIRE(view.hosts.size() == 2);
  CHECK(view.hosts[0].slots == 8);
  CHECK(view.hosts[0].type == "lx-amd64");
  CHECK(view.hosts[0].mem_mb == 4096);
  CHECK(view.hosts[0].swap_mb == 512);
  REQUIRE(view.loads.size() == 3);
  CHECK(load(view, "big1")->used == 6);  // with the two that are reserved
  CHECK_FALSE(load(view, "big2")->up);
  CHECK(load(view, "big2")->used == 2);
  CHECK(load(view, "imp-far")->imported);
  CHECK(load(view, "imp-unknown") == nullptr);
  CHECK(view.running == 8);
  CHECK(view.caps.empty());
}

TEST_CASE("Every call to Grid Engine says which cell is meant") {
  Played played;
  played.open();
  played.look();
  REQUIRE_FALSE(played.cell.environments.empty());
  for (const auto& environment : played.cell.environments) {
    const std::map<std::string, std::string> set(environment.begin(), environment.end());
    CHECK(set.at("SGE_ROOT") == "/sge");
    CHECK(set.at("SGE_CELL") == "east");
    CHECK(set.at("SGE_QMASTER_PORT") == "21001");
    CHECK(set.at("SGE_EXECD_PORT") == "21002");
    CHECK(set.at("SGE_SINGLE_LINE") == "1");
  }
}

TEST_CASE("A cap of Grid Engine is the host's own slots, found again with what it was made from") {
  Played played;
  Workload& workload = played.open();
  REQUIRE(enforce(workload, own_cap("big1", 5)).has_value());
  CHECK(played.cell.entries.at("big1") == 5);
  CHECK(played.look().caps == std::vector<HostCap>{own_cap("big1", 5)});
  played.open();  // another life of the agent
  CHECK(played.look().caps == std::vector<HostCap>{own_cap("big1", 5)});
  CHECK(played.look().hosts[0].slots == 8);  // not what the fence leaves
  played.cell.entries["big1"] = 7;           // somebody else's hand
  CHECK(played.look().caps[0].slots == 7);
}

TEST_CASE("The last cap gives back what the administrator had") {
  Played played;
  played.cell.entries["big2"] = 6;  // a number of its own; big1 has the queue's
  Workload& workload = played.open();
  REQUIRE(enforce(workload, own_cap("big1", 2)).has_value());
  REQUIRE(enforce(workload, own_cap("big2", 2)).has_value());
  CHECK(played.look().hosts[1].slots == 6);
  Workload& later = played.open();
  REQUIRE(enforce(later, lifted("big1", false)).has_value());
  REQUIRE(enforce(later, lifted("big2", false)).has_value());
  CHECK_FALSE(played.cell.entries.contains("big1"));
  CHECK(played.cell.entries.at("big2") == 6);
  CHECK(played.look().caps.empty());
}

TEST_CASE("An imported host has slots while it is granted, and else none") {
  Played played;
  played.adapter.names.map = {{"far@west", "imp-far"}};
  played.cell.entries.erase("imp-far");  // the administrator forgot to close it
  Workload& workload = played.open();
  CHECK(played.cell.entries.at("imp-far") == 0);
  REQUIRE(enforce(workload, imported_cap(4)).has_value());
  CHECK(played.cell.entries.at("imp-far") == 4);
  CHECK(played.look().caps == std::vector<HostCap>{imported_cap(4)});
  played.open();
  CHECK(played.cell.entries.at("imp-far") == 4);  // it is granted
  REQUIRE(enforce(*played.workload, lifted("imp-far", true)).has_value());
  CHECK(played.cell.entries.at("imp-far") == 0);
  played.cell.entries["imp-far"] = 3;  // opened by hand: shown, so that it is closed
  REQUIRE(played.look().caps.size() == 1);
  CHECK(played.look().caps[0].slots == 3);
  CHECK(played.look().caps[0].parts.empty());
}

TEST_CASE("Grid Engine's refusal is the adapter's: an advance reservation keeps its slots") {
  Played played;
  played.cell.reserved["big1"] = 3;
  const Status done = enforce(played.open(), own_cap("big1", 2));
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().message.find("already reserved") != std::string::npos);
  CHECK(done.error().message.find("-mattr") != std::string::npos);
}

TEST_CASE("A number that does not read back is an error") {
  Played played;
  Workload& workload = played.open();
  played.cell.before = [](const std::string& command) -> std::optional<CallAnswer> {
    if (command.find("-mattr") == std::string::npos) return std::nullopt;
    return CallAnswer{0, "modified\n", ""};
  };
  const Status done = enforce(workload, own_cap("big1", 2));
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().message.find("read back as 8") != std::string::npos);
}

TEST_CASE("Hosts that the queue does not have are named, and the others are set") {
  Played played;
  Workload& workload = played.open();
  const std::vector<HostCap> caps{own_cap("gone", 2), own_cap("big1", 2), lifted("imp-x", true)};
  const Status done = workload.enforce(caps);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().message == "not in the queue all.q: gone");
  CHECK(played.cell.entries.at("big1") == 2);
}

TEST_CASE("Requeued work holds its slots until its processes have had time to end") {
  Played played;
  played.run({{"1", "imp-far", 3}, {"2", "imp-far", 1}});
  Workload& workload = played.open();
  REQUIRE(enforce(workload, imported_cap(4)).has_value());
  REQUIRE(workload.end_and_requeue({"1"}).has_value());
  // Grid Engine says that one slot is in use, and would fill the others.
  CHECK(played.cell.entries.at("imp-far") == 1);
  CHECK(load(played.look(), "imp-far")->used == 4);
  const auto work = workload.work_units();
  REQUIRE(work->units.size() ==
          2);  // "1" once: it is queued again, and its processes are there yet
  CHECK(work->units[0].hosts == std::vector<UnitHost>{{"imp-far", 3}});
  REQUIRE(enforce(workload, imported_cap(4)).has_value());
  CHECK(played.cell.entries.at("imp-far") == 1);
  played.time.now_ms += 4'900;
  played.open();  // also another life of the agent knows
  CHECK(load(played.look(), "imp-far")->used == 4);
  played.time.now_ms += 200;
  CHECK(load(played.look(), "imp-far")->used == 1);
  CHECK(played.look().pending == 3);
  CHECK(played.workload->work_units()->units[0].hosts.empty());
  REQUIRE(enforce(*played.workload, imported_cap(4)).has_value());
  CHECK(played.cell.entries.at("imp-far") == 4);
}

TEST_CASE("A host that nobody hears frees no slots of requeued work, nor does a reboot") {
  Played played;
  played.run({{"1", "imp-far", 3}});
  REQUIRE(enforce(played.open(), imported_cap(4)).has_value());
  REQUIRE(played.workload->end_and_requeue({"1"}).has_value());
  played.cell.states["imp-far"] = "u";
  played.time.now_ms += 60'000;
  CHECK(load(played.look(), "imp-far")->used == 3);
  played.cell.states.clear();
  played.time.boot = "two";
  played.time.now_ms = 10'000'000;
  played.open();
  CHECK(load(played.look(), "imp-far")->used == 3);
  played.time.now_ms += 5'100;
  CHECK(load(played.look(), "imp-far")->used == 0);
}

TEST_CASE("Work that asked for notice gets its time of notice after the requeue") {
  Played played;
  played.run({{"1", "imp-far", 3}});
  played.cell.jobs[0].notify = true;
  REQUIRE(enforce(played.open(), imported_cap(4)).has_value());
  REQUIRE(played.workload->end_and_requeue({"1"}).has_value());
  played.time.now_ms += 14'900;
  CHECK(load(played.look(), "imp-far")->used == 3);
  played.time.now_ms += 200;
  CHECK(load(played.look(), "imp-far")->used == 0);
}

TEST_CASE("Work that may not run again is deleted, and gone work is no failure") {
  Played played;
  played.run({{"5", "imp-far", 1}});
  played.cell.jobs[0].rerun = false;
  Workload& workload = played.open();
  REQUIRE(enforce(workload, imported_cap(4)).has_value());
  REQUIRE(workload.end_and_requeue({"5"}).has_value());
  CHECK(played.cell.calls.back() == "qdel 5");
  CHECK(load(played.look(), "imp-far")->used == 1);  // until it has ended
  REQUIRE(workload.end_and_requeue({"5"}).has_value());
  CHECK(played.cell.calls.back() == "qdel 5");
  played.cell.jobs.clear();
  CHECK(load(played.look(), "imp-far")->used == 0);
  const size_t before = played.cell.calls.size();
  CHECK(workload.end_and_requeue({"5"}).has_value());
  CHECK(workload.interrupt({"5"}, "", 1'000).has_value());
  CHECK(played.cell.calls.size() == before);
}

TEST_CASE("An interrupt tells when work is ended, and stops for a moment only who asked for it") {
  Played played;
  played.run({{"4.2", "imp-far", 1}, {"6", "imp-far", 1, "S"}});
  Workload& workload = played.open();
  const std::string note = "qalter -ac LEASEHOLD_ENDS_2=1795259521 4";
  REQUIRE(workload.interrupt({"4.2"}, "", 30'000).has_value());
  CHECK(played.cell.calls == std::vector<std::string>{note});
  played.cell.calls.clear();
  REQUIRE(workload.interrupt({"4.2"}, "CONT", 30'000).has_value());
  CHECK(played.cell.calls == std::vector<std::string>{note, "qmod -sj 4.2", "qmod -usj 4.2"});
  played.cell.calls.clear();
  played.cell.jobs[0].notify = true;
  REQUIRE(workload.interrupt({"4.2"}, "", 30'000).has_value());
  CHECK(played.cell.calls == std::vector<std::string>{note, "qmod -sj 4.2", "qmod -usj 4.2"});
  played.cell.calls.clear();
  REQUIRE(workload.interrupt({"6"}, "CONT", 0).has_value());  // others have stopped it: so it stays
  CHECK(played.cell.calls == std::vector<std::string>{"qalter -ac LEASEHOLD_ENDS=1795259491 6"});
}

TEST_CASE("What became of a job is known by the lists, and else by accounting") {
  Played played;
  played.run({{"4", "imp-far", 1}});
  played.cell.pending =
      "<job_list state=\"pending\"><JB_job_number>5</JB_job_number><state>hqw</state>"
      "<slots>1</slots></job_list>\n";
  Workload& workload = played.open();
  CHECK(*workload.end_of({"4"}) == JobEnd{JobEnd::How::goes_on});
  CHECK(*workload.end_of({"5"}) == JobEnd{JobEnd::How::queued});
  std::string asked;
  CallAnswer said{0, "failed       0    \nexit_status  4      \n", ""};
  played.cell.before = [&](const std::string& command) -> std::optional<CallAnswer> {
    if (command.rfind("qacct", 0) != 0) return std::nullopt;
    asked = command;
    return said;
  };
  CHECK(*workload.end_of({"6.2"}) == JobEnd{JobEnd::How::failed, 4});
  CHECK(asked == "qacct -j 6 -t 2");
  said = {1, "", "error: job id 7 not found\n"};
  CHECK(*workload.end_of({"7"}) == JobEnd{});
  said = {1, "", "error: permission denied\n"};
  CHECK_FALSE(workload.end_of({"7"}));
}

TEST_CASE("An agent that died between stopping and resuming a job resumes it at its start") {
  Played played;
  played.run({{"4", "imp-far", 1}});
  Workload& workload = played.open();
  played.cell.before = [](const std::string& command) -> std::optional<CallAnswer> {
    if (command.find("-usj") == std::string::npos) return std::nullopt;
    return CallAnswer{1, "", "error: commlib error\n"};
  };
  CHECK_FALSE(workload.interrupt({"4"}, "CONT", 1'000).has_value());
  CHECK(played.cell.jobs[0].state == "s");
  played.cell.before = nullptr;
  played.open();
  CHECK(played.cell.jobs[0].state == "r");
  played.cell.calls.clear();
  played.open();
  CHECK(played.cell.calls.empty());
}

TEST_CASE("Opened to look, the adapter changes nothing") {
  Played played;
  played.cell.entries["imp-far"] = 3;
  played.run({{"1", "big1", 1}});
  Workload& workload = played.open(true);
  played.look();
  CHECK_FALSE(enforce(workload, own_cap("big1", 1)).has_value());
  CHECK_FALSE(workload.interrupt({"1"}, "", 0).has_value());
  CHECK_FALSE(workload.end_and_requeue({"1"}).has_value());
  CHECK(played.cell.calls.empty());
  const auto lacking = workload.permissions_lacking();
  REQUIRE(lacking.has_value());
  REQUIRE(lacking->size() == 2);
  CHECK(lacking->at(0).find("is no manager of the cell 'east'") != std::string::npos);
  CHECK(lacking->at(1).find("host agenthost is no administrative host") != std::string::npos);
}

TEST_CASE("A wrong configuration of Grid Engine is an error at the start") {
  Played played;
  played.adapter.names.map = {{"big9@far", "nowhere"}};
  CHECK(played.opened().error().code == ErrorCode::usage);
  played.adapter.names.map.clear();
  played.adapter.names.rule = "{host}";
  CHECK(played.opened().error().code == ErrorCode::usage);
  played.adapter.names.rule = "imp-{host}";
  played.settings.queue = "all.q,[x=1]";
  CHECK(played.opened().error().code == ErrorCode::usage);
  played.settings.queue = "all.q";
  played.cell.before = [](const std::string& command) -> std::optional<CallAnswer> {
    if (command != "qconf -sq all.q") return std::nullopt;
    return CallAnswer{1, "", "No cluster queue or queue instance matches the phrase \"all.q\"\n"};
  };
  CHECK(played.opened().error().code == ErrorCode::usage);
}

TEST_CASE("A master that does not answer fails looks, not the start, and then it goes on") {
  Played played;
  played.adapter.names.map = {{"far@west", "imp-far"}};
  played.cell.dead = true;
  Workload& workload = played.open();
  CHECK_FALSE(workload.read({}).has_value());
  played.cell.dead = false;
  CHECK(workload.read({}).has_value());
}

TEST_CASE("What is not understood of Grid Engine fails the look as a whole") {
  Played played;
  Workload& workload = played.open();
  for (const char* program : {"qstat -f", "qhost"}) {
    for (const std::string& text :
         {std::string(), std::string("<a/>"), test::recorded("queue.txt")}) {
      played.cell.before = [&](const std::string& command) -> std::optional<CallAnswer> {
        if (command.rfind(program, 0) != 0) return std::nullopt;
        return CallAnswer{0, text, ""};
      };
      CHECK_FALSE(workload.read({}).has_value());
    }
  }
  played.cell.before = nullptr;
  played.cell.hosts.push_back("big1");  // twice
  CHECK_FALSE(workload.read({}).has_value());
}

TEST_CASE("A lost note about a host's slots does not lose the slots") {
  Played played;
  REQUIRE(enforce(played.open(), own_cap("big1", 3)).has_value());
  std::filesystem::remove(played.folder.file("journal.gridengine"));
  Workload& workload = played.open();
  CHECK(played.look().hosts[0].slots == 8);
  REQUIRE(enforce(workload, own_cap("big1", 4)).has_value());
  REQUIRE(enforce(workload, lifted("big1", false)).has_value());
  CHECK(played.cell.slots_of("big1") == 8);
}

TEST_CASE("Work units of Grid Engine name their hosts, owners and whether they may run again") {
  Played played;
  played.run({{"8", "big1", 2}, {"8", "big2", 3}, {"9.1", "big1", 1}});
  played.cell.jobs[2].rerun = false;
  const auto work = played.open().work_units();
  REQUIRE(work.has_value());
  REQUIRE(work->units.size() == 2);
  CHECK(work->units[0].id == "8");
  CHECK(work->units[0].slots == 5);
  CHECK(work->units[0].hosts == std::vector<UnitHost>{{"big1", 2}, {"big2", 3}});
  CHECK(work->units[0].user == "ann");
  CHECK(work->units[0].account == "prj");
  CHECK(work->units[0].partition == "all.q");
  CHECK(work->units[0].requeueable);
  CHECK(work->units[1].id == "9.1");
  CHECK_FALSE(work->units[1].requeueable);
}

}  // namespace leasehold::agent
