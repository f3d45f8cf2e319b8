// Tables of cases: which of the work that waits counts as a leaf's demand, by its shapes
// (broker/rules/plan/README.md, "Demand by shape").
#include "broker/rules/plan/demand/leaf_demand.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/rules/plan/demand/leaves.hpp"

namespace leasehold {

namespace {

using namespace test;

struct Case {
  const char* what;
  Leaves leaves;
  const char* comes_out;
};

void check(const std::vector<Case>& rows) {
  for (const Case& row : rows) {
    INFO(row.what);
    CHECK(row.leaves.text() == row.comes_out);
  }
}

/// Four hosts of 4 with 2 idle slots of /E and 2 in use by /A on each.
std::vector<HostRow> halves(const char* owner) {
  return {4, HostRow{4, {{"/E", 2, 0}, {"/A", 2, 2}}, owner}};
}

}  // namespace

TEST_CASE("demand: a job counts where a host has the slots, and where they may be reclaimed") {
  check({
      {"8 slots as 2 on each of 4 hosts: a job of 4 on one host starts nowhere",
       {"hybrid slots=8",
        {"/A owned=8", "/B demand=12"},
        std::vector<HostRow>(4, {2, {{"/B", 2, 2}}, "/A"}),
        {{"/A", {jobs(1, 4)}}}},
       "/A 0 misfit"},
      {"8 slots as 4 on each of 2 hosts",
       {"hybrid slots=8",
        {"/A owned=8", "/B demand=12"},
        std::vector<HostRow>(2, {4, {{"/B", 4, 4}}, "/A"}),
        {{"/A", {jobs(1, 4)}}}},
       "/A 4 | /A 0:4"},
      {"one slot each, of which the plan gives 4",
       {"hybrid slots=8",
        {"/A owned=4", "/B owned=4 demand=12"},
        std::vector<HostRow>(2, {4, {{"/B", 4, 4}}}),
        {{"/A", {jobs(6, 1)}}}},
       "/A 4 | /A 0:4"},
      {"what it has idle there is a part of it",
       {"hybrid slots=4",
        {"/A owned=4", "/B demand=8"},
        {{4, {{"/A", 2, 0}, {"/B", 2, 2}}}},
        {{"/A", {jobs(1, 4)}}}},
       "/A 4 | /A 0:2"},
      {"what runs counts, and what it has idle and its work starts on",
       {"hybrid slots=8", {"/A owned=8", "/B"}, {{8, {{"/A", 8, 3}}}}, {{"/A", {jobs(1, 4)}}}},
       "/A 7"},
      {"only the second host is of the type",
       {"hybrid slots=8", {"/A owned=8"}, {{4}, {4}}, {{"/A", {jobs(6, 1, 1, {2})}}}},
       "/A 4 | /A 1:4"},
      {"over two hosts",
       {"hybrid slots=8", {"/A owned=8"}, {{4}, {4}}, {{"/A", {jobs(1, 3, 2)}}}},
       "/A 6 | /A 0:3, /A 1:3"},
      {"over three hosts",
       {"hybrid slots=8", {"/A owned=8"}, {{4}, {4}}, {{"/A", {jobs(1, 2, 3)}}}},
       "/A 0 misfit"},
      {"no work waits", {"hybrid slots=4", {"/A owned=4"}, {{4}}, {{"/A", {}}}}, "/A 0"},
  });
}

TEST_CASE("demand: a job that is wider than the limit never counts") {
  check({
      {"its own limit",
       {"hybrid slots=8",
        {"/A owned=8 limit=6", "/B demand=8"},
        {{8, {{"/B", 8, 8}}, "/A"}},
        {{"/A", {jobs(1, 8)}}}},
       "/A 0 misfit"},
      {"that of its branch, and slots that are idle",
       {"hybrid slots=8", {"/lab limit=6", "/lab/A owned=8"}, {{8}}, {{"/lab/A", {jobs(1, 8)}}}},
       "/lab/A 0 misfit"},
      {"a share limit",
       {"share-ratio slots=8", {"/A share_limit=6"}, {{8}}, {{"/A", {jobs(1, 8)}}}},
       "/A 0 misfit"},
      {"as wide as the limit",
       {"hybrid slots=8", {"/A owned=8 limit=6"}, {{8}}, {{"/A", {jobs(2, 6)}}}},
       "/A 6 | /A 0:6"},
  });
}

TEST_CASE("demand: what a host exports counts, not what the machine has") {
  const auto exported = [](int32_t wide) {
    return Leaves("hybrid slots=6", {"/A owned=6", "/B demand=8"}, {{6, {{"/B", 6, 6}}, "/A", 8}},
                  {{"/A", {jobs(1, wide)}}});
  };
  CHECK(exported(8).text() == "/A 0 misfit");
  CHECK(exported(6).text() == "/A 6 | /A 0:6");
  check({
      {"a job that takes a whole host starts on none of which there is a part",
       {"hybrid slots=6", {"/A owned=6"}, {{6, {}, "", 8}}, {{"/A", {whole_hosts(1, 2)}}}},
       "/A 0 misfit"},
      {"it takes all of one that is wholly idle",
       {"hybrid slots=10",
        {"/A owned=10", "/B demand=1"},
        {{4, {{"/B", 1, 1}}}, {6}},
        {{"/A", {whole_hosts(1, 2)}}}},
       "/A 6 | /A 1:6"},
  });
}

TEST_CASE("demand: no slot is counted for two leaves") {
  check({
      {"of two that an idle host would start, the first by priority",
       {"hybrid slots=4",
        {"/A owned=2", "/B owned=2"},
        {{4}},
        {{"/A", {jobs(1, 4)}}, {"/B", {jobs(1, 4)}}}},
       "/A 4, /B 0 misfit | /A 0:4"},
      {"by rank",
       {"hybrid slots=4",
        {"/A owned=2 rank=1", "/B owned=2"},
        {{4}},
        {{"/A", {jobs(1, 4)}}, {"/B", {jobs(1, 4)}}}},
       "/A 0 misfit, /B 4 | /B 0:4"},
      {"what a leaf is entitled to comes before what another has beyond",
       {"hybrid slots=4",
        {"/A owned=2", "/B owned=2"},
        {{4}},
        {{"/A", {jobs(1, 4)}}, {"/B", {jobs(4, 1)}}}},
       "/A 0 misfit, /B 4 | /B 0:4"},
      {"nobody loses more than it has above its quota",
       {"hybrid slots=8",
        {"/A owned=4", "/B owned=2 demand=4", "/C owned=2 demand=4"},
        {{4, {{"/B", 4, 4}}}, {4, {{"/C", 4, 4}}}},
        {{"/A", {jobs(1, 4)}}}},
       "/A 0 misfit"},
      {"over two hosts, of whose holders each may lose one",
       {"hybrid slots=12",
        {"/A owned=8", "/B owned=4 demand=8", "/C demand=4"},
        {{4, {{"/B", 4, 4}}}, {4, {{"/B", 4, 4}}}, {4, {{"/C", 4, 4}}}},
        {{"/A", {jobs(1, 4, 2)}}}},
       "/A 8 | /A 0:4, /A 2:4"},
      {"nor any of a reserve, though it wants none",
       {"hybrid slots=8",
        {"/A owned=2", "/R owned=6 reserved=4"},
        {{4, {{"/R", 4, 0}}}, {2}, {2}},
        {{"/A", {jobs(1, 4)}}, {"/R", {}}}},
       "/A 0 misfit, /R 0"},
      {"nor one who is not connected anything",
       {"hybrid slots=4", {"/A owned=4", "/B lost"}, {{4, {{"/B", 4, 4}}}}, {{"/A", {jobs(1, 4)}}}},
       "/A 0 misfit"},
  });
}

TEST_CASE("demand: a job that is wider than the quota counts where idle slots alone start it") {
  check({
      {"nobody else can use them",
       {"hybrid slots=8",
        {"/A owned=2", "/B owned=6"},
        {{8, {{"/B", 2, 2}}}},
        {{"/A", {jobs(1, 6)}}, {"/B", {jobs(1, 6)}}}},
       "/A 6, /B 2 misfit | /A 0:6"},
      {"another wants them by its number",
       {"hybrid slots=8",
        {"/A owned=2", "/B owned=6 demand=8"},
        {{8, {{"/B", 2, 2}}}},
        {{"/A", {jobs(1, 6)}}}},
       "/A 0 misfit"},
      {"its limit holds",
       {"hybrid slots=8",
        {"/A owned=2 limit=5", "/B owned=6"},
        {{8, {{"/B", 2, 2}}}},
        {{"/A", {jobs(1, 6)}}, {"/B", {jobs(1, 6)}}}},
       "/A 0 misfit, /B 8 | /B 0:6"},
      {"no work is ended for it",
       {"hybrid slots=8",
        {"/A owned=4", "/B owned=4 demand=8"},
        {{8, {{"/B", 8, 8}}}},
        {{"/A", {jobs(1, 6)}}}},
       "/A 0 misfit"},
      {"under ownership it has what it owns and no more",
       {"ownership slots=8",
        {"/A owned=4", "/B owned=4"},
        {{8}},
        {{"/A", {jobs(1, 6)}}, {"/B", {}}}},
       "/A 0 misfit, /B 0"},
  });
}

TEST_CASE("demand: where slots return only as work ends, what a leaf would start alone counts") {
  check({
      {"nobody is reclaimed",
       {"share-ratio slots=8 no-reclaim_shared",
        {"/A", "/B demand=12"},
        {{8, {{"/B", 8, 8}}}},
        {{"/A", {jobs(4, 1)}}}},
       "/A 4"},
      {"it starts nowhere",
       {"share-ratio slots=8 no-reclaim_shared",
        {"/A", "/B demand=12"},
        {{4, {{"/B", 4, 4}}}, {4, {{"/B", 4, 4}}}},
        {{"/A", {jobs(1, 6)}}}},
       "/A 0 misfit"},
  });
}

TEST_CASE("demand: what an owner neither uses nor wants counts as idle") {
  check({
      {"it lends it",
       {"ownership slots=8",
        {"/A owned=4 borrow_from=/B", "/B owned=4 lend_limit=4"},
        {{4, {{"/A", 4, 4}}}, {4, {{"/B", 4, 0}}}},
        {{"/A", {jobs(1, 4)}}}},
       "/A 8 | /A 1:4"},
      {"it wants it",
       {"ownership slots=8",
        {"/A owned=4 borrow_from=/B", "/B owned=4 lend_limit=4 demand=4"},
        {{4, {{"/A", 4, 4}}}, {4, {{"/B", 4, 0}}}},
        {{"/A", {jobs(1, 4)}}}},
       "/A 4"},
  });
}

TEST_CASE("demand: an owner's wide job keeps slots that its hosts come back for") {
  const std::vector<std::string> consumers = {"/E owned=8", "/A owned=8 demand=28"};
  check({
      {"it has as many elsewhere",
       {"hybrid slots=16", consumers, halves("/E"), {{"/E", {jobs(1, 4, 2)}}}},
       "/E 8"},
      {"smaller work beside it",
       {"hybrid slots=16", consumers, halves("/E"), {{"/E", {jobs(1, 4), jobs(4, 1)}}}},
       "/E 8"},
      {"hosts of another cluster do not come back",
       {"hybrid slots=16", consumers, halves(""), {{"/E", {jobs(1, 4, 2)}}}},
       "/E 0 misfit"},
      {"it is entitled to fewer",
       {"hybrid slots=16", consumers, halves("/E"), {{"/E", {jobs(1, 4, 3)}}}},
       "/E 0 misfit"},
  });
}

TEST_CASE("demand: in whole hosts a host counts with all that its holder has of it") {
  const std::vector<std::string> consumers = {"/A owned=12", "/B owned=12 demand=3"};
  Leaves other("hybrid slots=24", consumers, std::vector<HostRow>(3, {8, {{"/B", 8, 8}}}),
               {{"/A", {jobs(1, 6)}}});
  LeafDemands found = other.find_in_hosts();
  CHECK(other.text(found) == "/A 1 | /A 0:6");
  CHECK(found.leaves.front().slots == 6);
  Leaves own("hybrid slots=24", consumers, {{8, {{"/A", 3, 3}}}, {8}, {8}}, {{"/A", {jobs(5, 1)}}});
  found = own.find_in_hosts();
  CHECK(own.text(found) == "/A 1");
  CHECK(found.leaves.front().slots == 8);
  Leaves shared("hybrid slots=24", consumers, {{8, {{"/B", 1, 1}}}, {8, {{"/B", 8, 8}}}},
                {{"/A", {jobs(1, 7)}}});
  CHECK(shared.text(shared.find_in_hosts()) == "/A 1 | /A 0:7");
  // A limit in slots would leave it a part of the second host, on which nothing starts.
  Leaves part("hybrid slots=16", {"/A owned=16 limit=12", "/B demand=8"},
              {{8, {{"/A", 8, 2}}}, {8, {{"/B", 8, 8}}}}, {{"/A", {jobs(1, 8)}}});
  CHECK(part.text(part.find_in_hosts()) == "/A 1 misfit");
}

TEST_CASE("demand: leaves that tell no shapes go by their numbers") {
  const Leaves leaves("hybrid slots=8", {"/A owned=8 demand=9"}, {{8}}, {});
  const LeafDemands found = leaves.find();
  CHECK(found.leaves.empty());
  CHECK(found.wanted.empty());
}

TEST_CASE("demand: a host that a consumer may not use, or does not match, starts nothing") {
  Leaves barred("hybrid slots=8", {"/A owned=8"}, {{4}, {4}}, {{"/A", {jobs(1, 4)}}});
  barred.hosts()[0].barred = {barred.fixture().find("/A")};
  CHECK(barred.text() == "/A 4 | /A 1:4");
}

}  // namespace leasehold
