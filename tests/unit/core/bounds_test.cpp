// Numbers of agents that no site has: refused before anything is added up.
#include "broker/core/bounds.hpp"

#include <catch2/catch.hpp>
#include <functional>

#include "broker/core/admission.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;
using Catch::Contains;

TEST_CASE("numbers that cannot be added up are refused, each by its name") {
  const struct {
    const char* said;
    std::function<void(wire::Report&)> lie;
  } rows[] = {
      {"", [](wire::Report&) {}},
      {"", [](wire::Report& report) { report.pending = report.running = 1'000'000'000; }},
      {"pending is 9223372036854775807; 0 to 1000000000 can be right",
       [](wire::Report& report) { report.pending = INT64_MAX; }},
      {"pending and running cannot be negative", [](wire::Report& report) { report.pending = -1; }},
      {"pending and running cannot be negative",
       [](wire::Report& report) { report.running = INT64_MIN; }},
      {"running is 1000000001", [](wire::Report& report) { report.running = 1'000'000'001; }},
      {"number is 18446744073709551615", [](wire::Report& report) { report.number = UINT64_MAX; }},
      {"used of host 3 is -1",
       [](wire::Report& report) {
         report.hosts = {{3, -1, true}};
       }},
      {"",
       [](wire::Report& report) {
         report.hosts = {{0, 8, true}, {3, 0, false}};
       }},
      {"used of host 4 is 1000000001",
       [](wire::Report& report) {
         report.hosts = {{3, 8, true}, {4, 1'000'000'001, true}};
       }},
      {"lease_ms is", [](wire::Report& report) { report.lease_ms = INT64_MAX; }},
  };
  Site site = made(8);
  for (const auto& row : rows) {
    wire::Report report;
    row.lie(report);
    const auto refused = check_report(site.state, find_cluster(site.state, "west"), report);
    CHECK(refused.has_value() == (*row.said != '\0'));
    CHECK_THAT(said(refused), Contains(row.said));
  }
  wire::Report strange;
  strange.state = block_of({99, 1, false, 0, 0, 0}, {});
  CHECK(check_report(site.state, find_cluster(site.state, "west"), strange));
}

TEST_CASE("limits of many hosts, breaches and facts are bounded too") {
  wire::StateBlock block = block_of({1, 1, false, 0, 0, 0},
                                    {{0, 600'000'000, 0, true, -1}, {1, 600'000'000, 0, true, -1}});
  CHECK_THAT(*fault_of(block), Contains("all limits add up to is 1200000000"));
  block.hosts.pop_back();
  CHECK_FALSE(fault_of(block));
  block.groups[0].breach = 1'000'000'001;
  CHECK_THAT(*fault_of(block), Contains("breach is 1000000001"));
  CHECK_THAT(*fault_of(wire::HostState{0, 1, 0, true, -2}), Contains("exported -2"));
  wire::HostFacts facts;
  facts.numbers_milli = {{"gpus", -1'000'000'000'000'000}};
  CHECK_FALSE(fault_of(facts));
  facts.numbers_milli = {{"gpus", INT64_MIN}};
  CHECK_THAT(*fault_of(facts), Contains("resource gpus is -9223372036854775808"));
  facts.swap_mb = INT64_MAX;
  CHECK_THAT(*fault_of(facts), Contains("memory or swap is"));
  wire::Hello hello;
  CHECK_FALSE(fault_of(hello));
  hello.settle_ms = -1;
  CHECK_THAT(*fault_of(hello), Contains("settle_ms is -1"));
  hello.boot = uint64_t{1} << 63U;
  CHECK_THAT(*fault_of(hello), Contains("boot is"));
}

TEST_CASE("a reservation whose name or times cannot be right is refused") {
  const struct {
    const char* fault;  // "": it can be
    wire::Horizon horizon;
  } rows[] = {
      {"", {std::string(256, 'x'), 0, 0}},
      {"the name of a reservation is 257 bytes long; at most 256 can be right",
       {std::string(257, 'x'), 5, 9}},
      {"horizon: from_ms is -1; 0 to 253370764800000 can be right", {"r", -1, 9}},
      {"horizon: until_ms is 8; 9 to 253370764800000 can be right", {"r", 9, 8}},
  };
  for (const auto& row : rows) {
    wire::HostFacts facts;
    facts.horizon = row.horizon;
    CHECK(fault_of(facts).value_or("") == row.fault);
  }
}

TEST_CASE("a hello fills each cluster's row with pages of words") {
  wire::Hello hello;
  const std::pair<std::string*, const char*> texts[] = {
      {&hello.program_version, "program_version is 257 bytes long; at most 256 can be right"},
      {&hello.workload, "workload is 257 bytes long"},
      {&hello.identity.machine, "machine is 257 bytes long"},
      {&hello.identity.boot, "boot identity is 257 bytes long"},
      {&hello.scheduling.policy, "scheduling policy is 257 bytes long"},
      {&hello.scheduling.criteria, "scheduling criteria is 257 bytes long"},
      {&hello.scheduling.preemption_scope, "preemption_scope is 257 bytes long"},
      {&hello.scheduling.reclaim_optimization, "reclaim_optimization is 257 bytes long"}};
  for (const auto& [text, said] : texts) {
    text->assign(256, 'x');
    CHECK_FALSE(fault_of(hello));
    text->push_back('x');
    CHECK_THAT(fault_of(hello).value_or(""), Contains(said));
    text->clear();
  }
}

TEST_CASE("exports of many hosts that cannot be added up are refused") {
  wire::StateBlock block = block_of({1, 1, false, 0, 0, 0},
                                    {{0, 1, 0, true, 600'000'000}, {1, 1, 0, true, 600'000'000}});
  CHECK_THAT(fault_of(block).value_or(""), Contains("all exports add up to is 1200000000"));
  block.hosts.pop_back();
  CHECK_FALSE(fault_of(block));
}
