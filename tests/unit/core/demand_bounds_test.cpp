// Demand that cannot be is refused before anything is added up.
#include <catch2/catch.hpp>
#include <functional>

#include "broker/core/admission.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;
using Catch::Contains;

namespace {

using wire::DemandBucket;
using wire::TimeClass;

const DemandBucket kSound{4, 2, TimeClass::hour_1, 1'767'225'600'000, 3, 24, {"x86_64"}};
const struct {
  const char* said;
  std::function<void(wire::Demand&)> lie;
} kDemands[] = {
    {"", [](wire::Demand&) {}},
    {"", [](wire::Demand& demand) { demand.clear(); }},
    {"", [](wire::Demand& demand) { demand.assign(16, kSound); }},
    {"demand has 17 buckets; at most 16", [](wire::Demand& demand) { demand.assign(17, kSound); }},
    {"slots_per_host is 0; 1 to", [](wire::Demand& demand) { demand[0].slots_per_host = 0; }},
    {"slots_per_host is 1000000001",
     [](wire::Demand& demand) { demand[0].slots_per_host = 1'000'000'001; }},
    {"hosts is -1; 1 to", [](wire::Demand& demand) { demand[0].hosts = -1; }},
    {"jobs is 0; 1 to", [](wire::Demand& demand) { demand[0].jobs = 0; }},
    {"slots is -9223372036854775808", [](wire::Demand& demand) { demand[0].slots = INT64_MIN; }},
    {"slots is 9223372036854775807", [](wire::Demand& demand) { demand[0].slots = INT64_MAX; }},
    {"slots of all demand is 2000000000",
     [](wire::Demand& demand) {
       demand.assign(2, kSound);
       for (DemandBucket& bucket : demand) bucket.slots = 1'000'000'000;
     }},
    {"jobs of all demand is 2000000000",
     [](wire::Demand& demand) {
       demand.assign(2, kSound);
       for (DemandBucket& bucket : demand) bucket.jobs = 1'000'000'000;
     }},
    {"oldest_ms is -1", [](wire::Demand& demand) { demand[0].oldest_ms = -1; }},
    {"oldest_ms is 9223372036854775807",
     [](wire::Demand& demand) { demand[0].oldest_ms = INT64_MAX; }},
    {"",
     [](wire::Demand& demand) {
       demand[0].host_types = {"a", "b", "c", "d"};
     }},
    {"5 host_types; at most 4",
     [](wire::Demand& demand) {
       demand[0].host_types = {"a", "b", "c", "d", "e"};
     }},
    {"a host type of 0 bytes", [](wire::Demand& demand) { demand[0].host_types = {""}; }},
    {"a host type of 65 bytes",
     [](wire::Demand& demand) { demand[0].host_types = {std::string(65, 'x')}; }},
};

}  // namespace

TEST_CASE("a demand that cannot be is refused, each number by its name") {
  Site site = made(8);
  for (const auto& row : kDemands) {
    wire::Report report;
    report.demand = wire::Demand{kSound};
    row.lie(*report.demand);
    const auto refused = check_report(site.state, find_cluster(site.state, "west"), report);
    INFO(row.said);
    CHECK(refused.has_value() == (*row.said != '\0'));
    CHECK_THAT(said(refused), Contains(row.said));
  }
}

TEST_CASE("an expectation of ends that cannot be is refused") {
  const std::pair<const char*, wire::Ending> rows[] = {
      {"", {}},
      {"", {{{TimeClass::minute_1, 4}, {TimeClass::unknown, 1}}, 1000}},
      {"1h is listed again or out of order",
       {{{TimeClass::hour_1, 4}, {TimeClass::hour_1, 1}}, -1}},
      {"5m is listed again or out of order",
       {{{TimeClass::hour_1, 4}, {TimeClass::minutes_5, 1}}, -1}},
      {"slots is 0; 1 to", {{{TimeClass::hour_1, 0}}, -1}},
      {"slots is -7", {{{TimeClass::hour_1, -7}}, -1}},
      {"slots of all that ends is 2000000000",
       {{{TimeClass::hour_1, 1'000'000'000}, {TimeClass::day_1, 1'000'000'000}}, -1}},
      {"error_milli is 1001; -1 to 1000", {{}, 1001}},
      {"error_milli is -2", {{}, -2}},
  };
  Site site = made(8);
  for (const auto& [words, ending] : rows) {
    wire::Report report;
    report.ending = ending;
    const auto refused = check_report(site.state, find_cluster(site.state, "west"), report);
    INFO(words);
    CHECK(refused.has_value() == (*words != '\0'));
    CHECK_THAT(said(refused), Contains(words));
  }
}
