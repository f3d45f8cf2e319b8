// These tests find the work that waits in a Grid Engine cell and could start on leased hosts, by
// shape, and when what runs ends: all from one recording of Grid Engine 8.1.9
// (tests/data/gridengine).
#include "agent/workload/gridengine/demand.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/agent/workload/gridengine/recorded.hpp"

namespace leasehold::agent {

namespace {

using test::changed;
using test::recorded;
using wire::TimeClass;

const GridEngineLeased kLeased{{"all.q"}, {"big1", "big2", "big3"}};

GridEngineLook look() {
  return parse_qstat(recorded("qstat_waiting.xml")).value();
}

GridEngineTerms terms() {
  using Spread = GridEngineEnvironment::Spread;
  GridEngineTerms terms;
  terms.queue = "all.q";
  terms.environments = {{"smp", Spread::one_host, 1},
                        {"mpi", Spread::anywhere, 1},
                        {"rr", Spread::anywhere, 1},
                        {"two", Spread::fixed, 2},
                        {"fixed8", Spread::fixed, 8}};
  terms.archs = {"lx-amd64"};
  return terms;
}

GridEngineKept kept() {
  GridEngineKept kept;
  const GridEngineLook later = parse_qstat(recorded("qstat_begin.xml")).value();
  for (const GridEnginePending& job : later.pending) kept.timed.insert(job.id);
  kept.quotas = parse_qquota(recorded("qquota.xml")).value();
  const GridEngineLook extended = parse_qstat(recorded("qstat_projects.xml")).value();
  for (const GridEnginePending& job : extended.pending) {
    if (!job.project.empty()) kept.projects[job.id] = job.project;
  }
  return kept;
}

using Waiting = std::map<std::string, WaitingWork>;

/// By the number of the job, each looked at alone but for quotas; not when it was submitted.
Waiting waiting_found(const GridEngineTerms& terms, const GridEngineKept& kept) {
  const GridEngineLook all = look();
  Waiting found;
  GridEngineKept one_by_one = kept;
  for (const GridEnginePending& job : all.pending) {
    for (WaitingWork& work : gridengine_waiting({&job, 1}, kLeased, terms, one_by_one)) {
      CHECK(work.submitted.ms > 1'700'000'000'000);
      work.submitted = {};
      found[job.id] = work;
    }
  }
  CHECK(found.size() >= gridengine_waiting(all.pending, kLeased, terms, kept).size());
  return found;
}

WaitingWork shape(int32_t per_host, int32_t hosts, int64_t slots,
                  TimeClass limit = TimeClass::unknown) {
  return {per_host, hosts, slots, limit};
}

}  // namespace

TEST_CASE(
    "Grid Engine's parallel environments say how many slots lie on one host, and on how many") {
  Waiting found = waiting_found(terms(), {});
  CHECK(found.at("55") == shape(8, 2, 16));                        // eight on each
  CHECK_FALSE(found.contains("56"));                               // 12 are no eights
  CHECK(found.at("51") == shape(1, 1, 6, TimeClass::minutes_15));  // $fill_up
  CHECK(found.at("52") == shape(1, 1, 5));                         // $round_robin
  CHECK(found.at("49") == shape(4, 1, 4, TimeClass::day_1));       // $pe_slots
  CHECK(found.at("50") == shape(2, 1, 2));                         // 2-4
  CHECK(found.at("54") == shape(2, 2, 4));
  CHECK(found.at("57") == shape(1, 1, 3));  // "*": the loosest that could
  WaitingWork tasks = shape(1, 1, 1, TimeClass::minutes_15);
  tasks.jobs = 3;
  CHECK(found.at("60") == tasks);
}

TEST_CASE("Work of others ends for a job of Grid Engine as wide as its environment lays it") {
  GridEngineTerms known = terms();
  known.reported.emplace();
  const GridEngineLook all = look();
  const GridEngineFits fits = gridengine_fits(all.pending, kLeased, known, {});
  CHECK_FALSE(fits.at("55").hosts->empty());
  CHECK(fits.at("55").slots_per_host == 8);
  CHECK(fits.at("55").hosts_wanted == 2);
  CHECK(fits.at("56").hosts->empty());  // 12 are no eights
  CHECK(fits.at("60").tasks == 3);
  CHECK(fits.at("60").slots_per_host == 1);
}

TEST_CASE("A parallel environment that the leased queue does not have is no demand") {
  GridEngineTerms few = terms();
  few.environments->erase(few.environments->begin());
  CHECK_FALSE(waiting_found(few, {}).contains("49"));
  CHECK(waiting_found(few, {}).contains("57"));
  few.environments.reset();  // the queue did not tell: any will do
  CHECK(waiting_found(few, {}).at("49") == shape(1, 1, 4, TimeClass::day_1));
}

TEST_CASE("Held, dependent and timed jobs of Grid Engine count for nobody") {
  const Waiting all = waiting_found(terms(), {});
  for (const char* held : {"46", "47"}) CHECK_FALSE(all.contains(held));
  CHECK(all.contains("48"));  // "qw", as any other: only the question for begins tells
  const Waiting some = waiting_found(terms(), kept());
  CHECK_FALSE(some.contains("48"));
  CHECK(some.contains("55"));
}

TEST_CASE("Jobs beyond a resource quota count for nobody, up to it they do, in their order") {
  const std::vector<WaitingWork> all = gridengine_waiting(look().pending, kLeased, terms(), kept());
  const auto has = [&](WaitingWork wanted) {
    return std::count_if(all.begin(), all.end(), [&](WaitingWork work) {
      work.submitted = {};
      return work == wanted;
    });
  };
  CHECK(has(shape(2, 2, 4)) == 0);  // of two slots that are left to "two"
  CHECK(has(shape(2, 1, 2)) == 2);  // it has them, and one of -pe smp
  CHECK(has(shape(1, 1, 1)) == 2);  // of the project the first, and one without
  WaitingWork five = shape(1, 1, 1);
  five.jobs = 5;
  CHECK(has(five) == 0);
  CHECK(slots_wanted(all) == 16 + 6 + 5 + 4 + 3 + 2 + 2 + 1 + 3 + 1 + 1);
  GridEngineKept wider = kept();
  wider.quotas = parse_qquota(changed(recorded("qquota.xml"), "limit='2' value='1'",
                                      "limit='5.000' value='1'"))
                     .value();
  const std::vector<WaitingWork> more = gridengine_waiting(look().pending, kLeased, terms(), wider);
  CHECK(std::any_of(more.begin(), more.end(), [](const auto& work) {
    return work.jobs == 3 && work.limit == TimeClass::unknown;  // of four one has the first
  }));
}

TEST_CASE("A quota that is not understood keeps nobody; one of a single host neither") {
  const std::string good = recorded("qquota.xml");
  REQUIRE(parse_qquota(good)->size() == 3);  // not that of big1
  CHECK(parse_qquota(changed(good, "arc.liv.ac.uk", "example.org"))->size() == 3);  // of its kin
  CHECK(parse_qquota(changed(good, "<pes>two</pes>", "<pes>two</pes><jobs>x</jobs>"))->size() == 2);
  CHECK(parse_qquota(changed(good, "<pes>two</pes>", "<pes>@pes</pes>"))->size() == 2);
  CHECK(parse_qquota(changed(good, "resource='slots' limit='100'", "resource='h_vmem' limit='1G'"))
            ->size() == 2);
  for (const std::string& bad :
       {std::string(), good.substr(0, 300), changed(good, "limit='100'", "limit='many'"),
        changed(good, "<qquota_rule name='each/1'>", "<x/><qquota_rule name='each/1'>")}) {
    CHECK_FALSE(parse_qquota(bad).has_value());
  }
}

TEST_CASE("What asks for a type of host is told so, where there are others") {
  Waiting found = waiting_found(terms(), {});
  CHECK(found.at("61").host_types == std::vector<std::string>{"sol"});
  CHECK(found.at("62").host_types.empty());
  GridEngineTerms two = terms();
  two.archs.insert("lx-arm64");
  two.archs.insert("sol");
  found = waiting_found(two, {});
  CHECK(found.at("61").host_types == std::vector<std::string>{"sol"});
  CHECK(found.at("62").host_types == std::vector<std::string>{"lx-amd64", "lx-arm64"});
}

TEST_CASE("The queue's own limit holds for jobs that ask for none, or for more") {
  GridEngineTerms limited = terms();
  limited.limit_s = 300;
  const Waiting found = waiting_found(limited, {});
  CHECK(found.at("52").limit == TimeClass::minutes_5);
  CHECK(found.at("49").limit == TimeClass::minutes_5);
  const auto queue = parse_queue(
      changed(recorded("queue.txt"), "h_rt                  INFINITY", "h_rt 1:0:0,[big1=2:0:0]"));
  CHECK(queue->limit_s == 7'200);
  CHECK(parse_queue(recorded("queue.txt"))->limit_s == std::nullopt);
}

TEST_CASE("What runs in Grid Engine ends by its h_rt, over several hosts as one job") {
  const GridEngineLook seen = look();
  const std::vector<RunningWork> running = gridengine_running(seen.instances, terms());
  REQUIRE(running.size() == 3);
  CHECK(running[0].id == "43");
  CHECK(running[0].until - running[0].started == 3'600'000);
  CHECK(running[1].slots == 2);
  CHECK(running[1].until - running[1].started == 9 * 3'600'000);
  CHECK(running[2].until == kNever);
  const std::string borrowed = "imp-west-1";
  for (const RunningWork& work : gridengine_running(seen.instances, terms(), {&borrowed, 1})) {
    CHECK_FALSE(work.on_imported);
  }
  const auto spread = parse_qstat(recorded("qstat_multi_host.xml"));
  const std::vector<RunningWork> wide = gridengine_running(spread->instances, {});
  const auto eight = std::find_if(wide.begin(), wide.end(),
                                  [](const RunningWork& work) { return work.id == "8"; });
  REQUIRE(eight != wide.end());
  CHECK(eight->slots == 10);
}

TEST_CASE("A queue of 3,000 jobs that ask for the same has one list of their hosts") {
  // Symptom: the agent grew by a list of all hosts for each job that waited.
  std::vector<GridEnginePending> jobs(3'000);
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].id = std::to_string(i);
    jobs[i].slots = 1;
    jobs[i].startable = true;
    jobs[i].owner = "ann";
    if (i % 3 == 1) jobs[i].environment = "smp";
    if (i % 3 == 2) jobs[i].hosts = {"big2"};
  }
  jobs[0].startable = false;
  GridEngineKept kept;
  kept.quotas = {{{"ann"}, {}, {}, {"all.q"}, 2'500}};
  const GridEngineFits fits = gridengine_fits(jobs, kLeased, terms(), kept);
  CHECK(fits.size() == jobs.size());
  std::set<const void*> lists;
  for (const auto& [id, fit] : fits) lists.insert(fit.hosts.get());
  CHECK(lists.size() == 4);  // one is that of jobs that are kept back
  CHECK(fits.at("0").hosts->empty());
  CHECK(*fits.at("1").hosts == kLeased.hosts);
  CHECK(*fits.at("2").hosts == std::vector<std::string>{"big2"});
  CHECK(*fits.at("3").hosts == kLeased.hosts);
  CHECK(fits.at("2999").hosts->empty());  // the quota is used up
}

TEST_CASE("How an environment spreads is read; by a rule that is not known, on one host") {
  const std::string good = recorded("environment.txt");
  using Spread = GridEngineEnvironment::Spread;
  CHECK(parse_environment(good) == GridEngineEnvironment{"two", Spread::fixed, 2});
  const auto rule = [&](const std::string& name) {
    return parse_environment(changed(good, "allocation_rule    2", "allocation_rule " + name));
  };
  CHECK(rule("$pe_slots")->spread == Spread::one_host);
  CHECK(rule("$fill_up")->spread == Spread::anywhere);
  CHECK(rule("$round_robin")->spread == Spread::anywhere);
  for (const char* unknown : {"$other", "0", "-1", "2x"}) {
    CHECK(rule(unknown)->spread == Spread::one_host);
    CHECK(rule(unknown)->unknown == unknown);
  }
  CHECK_FALSE(rule("").has_value());
  const auto queue = parse_queue(recorded("queue.txt"));
  CHECK(queue->environments == std::vector<std::string>{"mpi", "smp"});
}

TEST_CASE("Lengths of time are read as Grid Engine writes them") {
  const std::pair<const char*, std::optional<int64_t>> rows[] = {{"3600", 3'600},
                                                                 {"1:0:0", 3'600},
                                                                 {"00:15:00", 900},
                                                                 {"0:0:60", 60},
                                                                 {"INFINITY", std::nullopt},
                                                                 {"", std::nullopt},
                                                                 {"1:", std::nullopt},
                                                                 {"1:2:3:4", std::nullopt},
                                                                 {"-1", std::nullopt},
                                                                 {"9999999999", std::nullopt}};
  for (const auto& [text, seconds] : rows) {
    INFO(text);
    CHECK(gridengine_seconds(text) == seconds);
  }
}

}  // namespace leasehold::agent
