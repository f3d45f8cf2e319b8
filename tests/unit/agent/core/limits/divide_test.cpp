// The operator's word on splitting hosts, against what the workload manager's adapter finds.
#include "agent/core/limits/divide.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;
using namespace leasehold::agent;
using wire::Division;

TEST_CASE("the operator's word beats what is found, and stays visible") {
  CHECK(divided_by(Divide::as_found, Division::memory) == Division::memory);
  CHECK(divided_by(Divide::as_found, Division::unsaid) == Division::unsaid);
  CHECK(divided_by(Divide::yes, Division::pinned_cores) == Division::divisible_by_operator);
  CHECK(divided_by(Divide::yes, Division::unsaid) == Division::divisible_by_operator);
  CHECK(divided_by(Divide::yes, Division::divisible) == Division::divisible);
  CHECK(divided_by(Divide::no, Division::divisible) == Division::by_operator);
  CHECK(divided_by(Divide::no, Division::unsaid) == Division::by_operator);
  CHECK(divided_by(Divide::no, Division::devices) == Division::devices);
}

TEST_CASE("it holds for own hosts and for those that are borrowed") {
  View view;
  view.hosts.emplace_back().division = Division::pinned_cores;
  view.loads.resize(2);
  view.loads[1].imported = true;
  view.loads[1].division = Division::memory;
  divide_by(Divide::yes, view);
  CHECK(view.hosts[0].division == Division::divisible_by_operator);
  CHECK(view.loads[1].division == Division::divisible_by_operator);
}
