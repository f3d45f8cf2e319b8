// These tests read what Grid Engine printed, by setting (tests/data/gridengine), with the counts
// that are right; its kin print the same bodies under other namespaces. A site that reads
// differently adds its output, names replaced, and a row.
#include "agent/workload/gridengine/printed/quotas.hpp"
#include "agent/workload/gridengine/printed/reservations.hpp"
#include "agent/workload/gridengine/printed/text.hpp"
#include "tests/unit/agent/workload/gridengine/recorded.hpp"

namespace leasehold::agent {
namespace {

using test::changed;
using test::recorded;

/// These are the namespaces of 6.2, Open Grid Scheduler, Son of Grid Engine, Univa, Altair, Open
/// Cluster Scheduler; and none.
constexpr const char* kNamespaces[] = {
    "http://gridengine.sunsource.net/source/browse/*checkout*/gridengine/",
    "http://gridscheduler.sourceforge.net/",
    "http://arc.liv.ac.uk/repos/darcs/sge/",
    "http://www.univa.com/schemas/",
    "http://www.altair.com/schemas/",
    "https://github.com/hpc-gridware/clusterscheduler/raw/master/",
    ""};

std::string under(const std::string& name, std::string text) {
  const std::string ours = "http://arc.liv.ac.uk/repos/darcs/sge/";
  for (size_t at = text.find(ours); at != text.npos; at = text.find(ours, at + name.size())) {
    text.replace(at, ours.size(), name);
  }
  return text;
}

TEST_CASE("Grid Engine printed: hosts, up, slots, and jobs that run and wait, in every namespace") {
  const struct {
    const char* file;
    size_t hosts;
    int up;
    int held;
    int total;
    size_t waiting;
    int startable;
  } rows[] = {
      {"qstat_running.xml", 1, 1, 6, 8, 0, 0},      {"qstat_reservation.xml", 1, 1, 8, 8, 1, 1},
      {"qstat_multi_host.xml", 4, 4, 13, 32, 2, 1}, {"qstat_exclusive.xml", 1, 1, 2, 4, 3, 3},
      {"qstat_states.xml", 3, 1, 8, 24, 3, 2},      {"qstat_waiting.xml", 3, 1, 4, 12, 17, 15}};
  for (const char* name : kNamespaces) {
    for (const auto& row : rows) {
      INFO(row.file << " under " << name);
      const auto look = parse_qstat(under(name, recorded(row.file)));
      REQUIRE(look.has_value());
      int up = 0;
      int held = 0;
      int total = 0;
      int startable = 0;
      for (const GridEngineInstance& one : look->instances) {
        up += one.up ? 1 : 0;
        held += one.held();
        total += one.total;
      }
      for (const GridEnginePending& job : look->pending) startable += job.startable ? 1 : 0;
      CHECK(look->instances.size() == row.hosts);
      CHECK(up == row.up);
      CHECK(held == row.held);
      CHECK(total == row.total);
      CHECK(look->pending.size() == row.waiting);
      CHECK(startable == row.startable);
      CHECK(look->unknown.empty());
    }
    CHECK(parse_qhost(under(name, recorded("qhost.xml")))->size() == 3);
    CHECK(parse_qhost(under(name, recorded("qhost_one_host.xml")))->at(0).arch == "lx-amd64");
    CHECK(parse_job_facts(under(name, recorded("qstat_j.xml")))->size() == 3);
    CHECK(parse_qquota(under(name, recorded("qquota.xml"))).has_value());
    CHECK(parse_qrstat(under(name, recorded("qrstat.xml")))->made.size() == 7);
  }
}

TEST_CASE("Grid Engine: what is not understood makes its own host not up, and is told") {
  const std::string good = recorded("qstat_states.xml");
  const struct {
    const char* what;
    std::string text;
    bool first_up;
    const char* said;
  } rows[] = {
      {"a state of a job", changed(good, "<state>s</state>", "<state>Z</state>"), false, "'Z'"},
      {"no state of a job", changed(good, "<state>s</state>", ""), false, "state ''"},
      {"a state of a host", changed(good, "<state>u</state>", "<state>uX</state>"), true, "'uX'"},
      {"a time of another locale", changed(good, "2026-11-21T11:29:33", "21/11/2026 11:29:33"),
       false, "is not a time"},
      {"a state of a job that waits", changed(good, "<state>qw</state>", "<state>qX</state>"), true,
       "'qX'"},
      {"something new among queues",
       changed(good, "</queue_info>", "<Cloud-List><name>x</name></Cloud-List></queue_info>"), true,
       "<Cloud-List>"}};
  for (const auto& row : rows) {
    INFO(row.what);
    const auto look = parse_qstat(row.text);
    REQUIRE(look.has_value());
    CHECK(look->instances.size() == 3);
    CHECK(look->instances[0].up == row.first_up);
    CHECK(look->instances[0].held() == 8);
    REQUIRE(look->unknown.size() == 1);
    CHECK(look->unknown[0].find(row.said) != std::string::npos);
  }
  CHECK_FALSE(parse_qstat(rows[4].text)->pending[0].startable);
}

TEST_CASE("Grid Engine: times with fractions are times, and times in milliseconds") {
  const std::string good = recorded("qstat_running.xml");
  const Instant whole = parse_qstat(good)->instances[0].jobs[0].started;
  for (const char* printed : {"2026-11-21T02:08:11.000", "2026-11-21T02:08:11.123456",
                              "2026-11-21T02:08:11Z", "2026-11-21T02:08:11.5Z"}) {
    INFO(printed);
    const auto look = parse_qstat(changed(good, "2026-11-21T02:08:11", printed));
    REQUIRE(look.has_value());
    CHECK(look->instances[0].jobs[0].started == whole);
    CHECK(look->unknown.empty());
  }
  const std::string facts = recorded("qstat_j.xml");
  const Instant submitted = parse_job_facts(facts)->at(0).submitted;
  const std::string seconds = std::to_string(submitted.ms / 1000);
  CHECK(parse_job_facts(changed(facts, ">" + seconds + "<", ">" + seconds + "000<"))
            ->at(0)
            .submitted == submitted);
}

TEST_CASE("Grid Engine: what a version does not tell of a job or a host hides neither") {
  const std::string facts = recorded("qstat_j.xml");
  CHECK(parse_job_facts(changed(facts, "<JB_restart>2<", "<JB_restart>7<"))->at(0).restartable ==
        std::nullopt);
  const auto hosts = parse_qhost(changed(recorded("qhost.xml"), "'mem_total'", "'mem_whole'"));
  REQUIRE(hosts.has_value());
  CHECK(hosts->size() == 3);
  const auto rule = parse_environment("pe_name odd\nallocation_rule $by_moon\n");
  REQUIRE(rule.has_value());
  CHECK(rule->spread == GridEngineEnvironment::Spread::one_host);
  CHECK(rule->unknown == "$by_moon");
  CHECK_FALSE(parse_environment("pe_name odd\n").has_value());
}

}  // namespace
}  // namespace leasehold::agent
