// These tests show how the book takes fences found, configurations taken over, hosts out of sight.
#include <catch2/catch.hpp>

#include "agent/core/limits/book_use.hpp"
#include "tests/unit/agent/core/limits/made_groups.hpp"
#include "tests/unit/agent/shows.hpp"

namespace leasehold::agent {
namespace {

using Generations = std::vector<uint64_t>;
using wire::Role;

wire::Configuration configuration(std::vector<wire::ConfiguredGroup> groups) {
  wire::Configuration made;
  made.groups = std::move(groups);
  return made;
}

TEST_CASE("fences of several groups and hosts are adopted, in the order of their generations") {
  Book book{HostNames{}};
  book.adopt_fences({{"big1", false, 3, 1, 0, 0, {{9, 0, 2, 4}, {4, 1, 0, 3}}},
                     {"big2", false, 6, 4, 0, 0, {{9, 1, 1, 4}}},
                     {"e-1", true, 5, 0, 0, 0, {{7, 2, 5, 0}}}});
  REQUIRE(book.groups().size() == 3);
  CHECK(book.groups()[0].limits.generation == 4);
  CHECK(book.groups()[0].limits.role == Role::provider);
  CHECK(book.groups()[0].limits.hosts[1].exported == 3);
  CHECK(book.groups()[1].limits.generation == 7);
  CHECK(book.groups()[1].limits.role == Role::consumer);
  CHECK(book.groups()[1].limits.hosts[2].limit == 5);
  const LeasedGroup& both = book.groups()[2];
  CHECK(both.places == std::vector<std::string>{"big1", "big2"});
  CHECK(both.limits.hosts[0].limit == 2);
  CHECK(both.limits.hosts[1].limit == 1);
  CHECK(book.imported_hosts() == std::vector<std::string>{"e-1"});
}

TEST_CASE("of a group that the state knows, the fences bound the limits and the exports") {
  // The state is yesterday's: limits above their fences would open what somebody else has by now.
  Book book{HostNames{}};
  book.restore(
      configuration({group(4, Role::provider, "big1", 4), group(7, Role::consumer, "e-1", 5)}),
      {saved(4, Role::provider, 4, 2, 9), saved(7, Role::consumer, 5, 0, 9)}, {facts("big1", 8)});
  book.adopt_fences({{"big1", false, 4, 1, 0, 0, {{4, 0, 1, 4}, {4, 1, 2, 2}}},
                     {"e-1@west", true, 3, 0, 0, 0, {{7, 0, 3, 0}}}});
  REQUIRE(book.groups().size() == 2);
  const GroupLimits& provided = book.groups()[0].limits;
  CHECK(provided.hosts[0].limit == 1);
  CHECK(provided.hosts[0].exported == 4);
  REQUIRE(provided.hosts.size() == 2);  // a host that the state did not have yet
  CHECK(provided.hosts[1].limit == 2);
  CHECK(provided.hosts[1].exported == 2);
  CHECK(book.groups()[1].limits.hosts[0].limit == 3);
}

TEST_CASE("a fence from before an export grew closes none of what was the cluster's own then") {
  // The agent died, or the call failed, between the order that took the export and its fence.
  Book book{HostNames{}};
  book.restore(configuration({group(4, Role::provider, "big1", 2)}),
               {saved(4, Role::provider, 2, 2, 9)}, {facts("big1", 8)});
  book.adopt_fences({{"big1", false, 8, 7, 0, 0, {{4, 0, 1, 1}}}});
  CHECK(book.groups()[0].limits.hosts[0].limit == 2);
  CHECK(book.groups()[0].limits.hosts[0].exported == 2);
}

TEST_CASE("an export that ended while its host was away is not closed for the fence left there") {
  struct Row {
    int32_t limit, exported;  // by the state
    CapPart fence;
    int32_t limit_known, exported_known;
  };
  const Row row = GENERATE(values<Row>({
      {0, 0, {4, 0, 2, 2}, 2, 2},  // the fence is older: both came home since
      {0, 2, {4, 0, 2, 2}, 0, 2},  // an order came after the fence
      {0, 0, {4, 0, 0, 2}, 0, 2},  // the state is older: another has them
      {2, 2, {4, 0, 1, 4}, 1, 4},
      {2, 4, {4, 0, 0, 2}, 2, 4},  // new exports, not fenced yet
  }));
  CAPTURE(row.limit, row.exported, row.fence.limit, row.fence.exported);
  Book book{HostNames{}};
  book.restore(configuration({group(4, Role::provider, "big1", row.exported)}),
               {saved(4, Role::provider, row.limit, row.exported, 9)}, {facts("big1", 8)});
  book.adopt_fences({{"big1", false, 8, 0, 0, 0, {row.fence}}});
  CHECK(book.groups()[0].limits.hosts[0].limit == row.limit_known);
  CHECK(book.groups()[0].limits.hosts[0].exported == row.exported_known);
}

TEST_CASE("of another cluster's host nothing is open that no fence speaks of") {
  Book book{HostNames{}};
  book.restore(
      configuration({group(4, Role::provider, "big1", 4), group(7, Role::consumer, "e-1", 5)}),
      {saved(4, Role::provider, 4, 4, 9), saved(7, Role::consumer, 5, 0, 9)}, {facts("big1", 8)});
  book.adopt_fences({});
  CHECK(book.groups()[0].limits.hosts[0].limit == 4);
  CHECK(book.groups()[1].limits.hosts[0].limit == 0);
}

// An agent that might raise no cap carried out two orders: one group got the slot that another one
// gave up, and the cap stayed as it was. The hello stated the slot as nobody's, and it was open
// (seed 8377).
TEST_CASE("limits of a host do not fall below what is open there because a fence is older") {
  struct Row {
    const char* what;
    int32_t slots, by_first, by_second;  // of the fence
    std::vector<int32_t> limits, known;
    bool frozen;
  };
  const Row row = GENERATE(values<Row>({
      {"the fence is older", 7, 0, 1, {1, 0}, {1, 0}, true},
      {"another agent closed the slot", 6, 0, 0, {1, 0}, {0, 0}, false},
      {"another agent gave it to the other group, and the state has neither",
       7,
       0,
       1,
       {0, 0},
       {0, 0},
       false},
      {"a raise was not enforced yet", 7, 0, 1, {1, 1}, {0, 1}, false},
  }));
  CAPTURE(row.what);
  Book book{HostNames{}};
  SECTION("own slots") {
    book.restore(
        configuration({group(1, Role::provider, "big1", 1), group(2, Role::provider, "big1", 1)}),
        {saved(1, Role::provider, row.limits[0], 1, 9),
         saved(2, Role::provider, row.limits[1], 1, 9)},
        {facts("big1", 8)});
    book.adopt_fences(
        {{"big1", false, row.slots, 6, 0, 0, {{1, 0, row.by_first, 1}, {2, 0, row.by_second, 1}}}});
  }
  SECTION("another cluster's") {
    book.restore(configuration({group(1, Role::consumer, "big1", 1, "east"),
                                group(2, Role::consumer, "big1", 1, "east")}),
                 {saved(1, Role::consumer, row.limits[0], 0, 9),
                  saved(2, Role::consumer, row.limits[1], 0, 9)},
                 {});
    HostCap cap{"big1@east", true, row.slots - 6, 0, 0, 0, {}};
    if (row.by_second > 0) cap.parts = {{2, 0, row.by_second, 0}};
    book.adopt_fences({cap});
  }
  CHECK(book.find(1)->limits.hosts[0].limit == row.known[0]);
  CHECK(book.find(2)->limits.hosts[0].limit == row.known[1]);
  CHECK(book.find(1)->limits.hosts[0].frozen == row.frozen);
  CHECK_FALSE(book.find(2)->limits.hosts[0].frozen);
}

TEST_CASE("a limit falls to its fence but for the slots that are open beyond it") {
  Book book{HostNames{}};
  book.restore(configuration({group(1, Role::provider, "big1", 4)}),
               {saved(1, Role::provider, 3, 4, 9)}, {facts("big1", 8)});
  book.adopt_fences({{"big1", false, 6, 4, 0, 0, {{1, 0, 1, 4}}}});
  CHECK(book.groups()[0].limits.hosts[0].limit == 2);
  CHECK(book.groups()[0].limits.hosts[0].frozen);
}

TEST_CASE("limits of a host stay while what closes slots there does not bind yet") {
  const auto configured =
      configuration({group(1, Role::provider, "big1", 1), group(3, Role::consumer, "far", 1)});
  Book book{HostNames{}};
  book.restore(configured, {saved(1, Role::provider, 1, 1, 9), saved(3, Role::consumer, 1, 0, 9)},
               {facts("big1", 8)});
  book.adopt_fences({{"big1", false, 7, 7, 0, 0, {{1, 0, 0, 1}}}}, {"big1", "far@west"});
  for (const LeasedGroup& group : book.groups()) {
    CHECK(group.limits.hosts[0].limit == 1);
    CHECK(group.limits.hosts[0].frozen);
  }
}

TEST_CASE("without state a consumer's group that no fence spoke of may use nothing") {
  Book book{HostNames{}};
  book.adopt(configuration({group(3, Role::consumer, "big1", 4, "east")}), true, {});
  CHECK(book.groups()[0].limits.hosts[0].limit == 0);
  CHECK(book.groups()[0].limits.hosts[0].exported == 0);
  CHECK(caps_of(book, {}).empty());
}

// The workload manager had forgotten one fence, and the agent lost its state: the host's exported
// slots were opened as its own while another cluster had them (seed 9015 with three brokers).
TEST_CASE("without state nothing is open of an exported host that no fence speaks of") {
  const std::vector<wire::HostFacts> own{facts("big1", 8), facts("big2", 8)};
  Book book{HostNames{}};
  book.adopt_fences({{"big2", false, 6, 4, 0, 0, {{4, 1, 2, 4}}}});
  auto two_hosts = configuration({group(4, Role::provider, "big1", 3)});
  two_hosts.groups[0].hosts.push_back({"big2", 4, false});
  CHECK(book.adopt(two_hosts, true, own).changed == Generations{4});
  const std::vector<HostLimit>& hosts = book.groups()[0].limits.hosts;
  CHECK(hosts[0].limit == 0);
  CHECK(hosts[0].exported == 3);
  CHECK(hosts[1].limit == 2);
  CHECK(hosts[1].exported == 4);
  CHECK(caps_of(book, own)[0].slots == 5);  // its own alone
  // With its state it knows that the host is not exported yet.
  Book known{HostNames{}};
  known.restore(two_hosts, {saved(4, Role::provider, 0, 0, 9)}, own);
  known.adopt(two_hosts, false, own);
  CHECK(known.groups()[0].limits.hosts[0].exported == 0);
}

TEST_CASE("a new configuration says which groups changed and which are over") {
  const std::vector<wire::HostFacts> own{facts("big1", 8), facts("big2", 8)};
  Book book{HostNames{}};
  book.restore(
      configuration({group(1, Role::provider, "big1", 4), group(2, Role::provider, "big2", 4),
                     group(3, Role::consumer, "far", 4, "east")}),
      {saved(1, Role::provider, 3, 4, 5), saved(2, Role::provider, 3, 4, 5)}, own);
  const auto adoption = book.adopt(
      configuration({group(1, Role::provider, "big1", 4), group(2, Role::provider, "big2", 1),
                     group(5, Role::provider, "big1", 2, "north")}),
      false, own);
  CHECK(adoption.changed == Generations{2, 5});  // an export that shrank, a group that is new
  CHECK(adoption.dropped == Generations{3});
  CHECK(book.groups()[1].limits.hosts[0].limit == 0);
  CHECK(book.find(1)->limits.hosts[0].limit == 3);
  CHECK(book.find(3) == nullptr);
  CHECK(book.imported_hosts().empty());
}

TEST_CASE("an open lowering alone is no change of a group by its configuration") {
  GroupLimits limits = saved(1, Role::provider, 3, 4, 5);
  limits.hosts[0].lowering = OpenLowering{wire::Lowering::shrink, 1};
  Book book{HostNames{}};
  const auto same = configuration({group(1, Role::provider, "big1", 4)});
  book.restore(same, {limits}, {facts("big1", 8)});
  CHECK(book.adopt(same, false, {facts("big1", 8)}).changed.empty());
  CHECK(book.groups()[0].limits.hosts[0].lowering == OpenLowering{wire::Lowering::shrink, 1});
}

TEST_CASE("a load counts only where the book has slots, and as the host that it knows there") {
  Book book{HostNames{}};
  const std::vector<wire::HostFacts> own{facts("big1", 8)};
  book.restore(
      configuration({group(1, Role::provider, "big1", 4), group(2, Role::provider, "gone", 4),
                     group(3, Role::consumer, "far", 4, "east")}),
      {saved(1, Role::provider, 4, 4, 5), saved(2, Role::provider, 4, 4, 5),
       saved(3, Role::consumer, 4, 0, 5)},
      own);
  const auto use =
      use_of(book, view(own, {{"big1", false, true, 6, 6},
                              {"other", false, true, 5, 5},     // nothing of it is leased
                              {"gone", false, true, 5, 5},      // not a host of ours now
                              {"far@east", false, true, 3, 3},  // imported, said to be own
                              {"big1", true, true, 1, 1}}));    // and the other way round
  CHECK(use[0].used[0] == 2);
  CHECK_FALSE(use[1].known[0]);
  CHECK_FALSE(use[2].known[0]);
}

TEST_CASE("a host that is not known is told only when asked for, and then as used whole") {
  Book book{HostNames{}};
  const std::vector<wire::HostFacts> own{facts("big1", 8)};
  wire::ConfiguredGroup two = group(1, Role::provider, "big1", 4);
  two.hosts.push_back({"gone", 4, false});
  GroupLimits limits = saved(1, Role::provider, 3, 4, 5);
  limits.hosts.push_back(limits.hosts[0]);
  book.restore(configuration({two}), {limits}, own);
  const auto use = use_of(book, view(own, {{"big1", false, true, 5, 5}}));
  wire::StateBlock block;
  add_state(book.groups()[0], use[0], false, block);
  REQUIRE(block.hosts.size() == 1);
  CHECK(shows(block.hosts[0]) == Shown{0, 3, 1, 1});
  add_state(book.groups()[0], use[0], true, block);
  REQUIRE(block.hosts.size() == 3);
  CHECK(block.groups[1].first == 1);
  CHECK(shows(block.hosts[2]) == Shown{1, 3, 3, 0});
  CHECK(used_for_order(book.groups()[0], use[0]) == std::vector<int32_t>{1, 3});
}

TEST_CASE("exports are told by a provider alone: before its first order those it was told of") {
  Book book{HostNames{}};
  const std::vector<wire::HostFacts> own{facts("big1", 8)};
  book.restore(configuration({group(1, Role::provider, "big1", 4),
                              group(2, Role::provider, "big1", 3, "north"),
                              group(3, Role::consumer, "far", 4, "east")}),
               {saved(1, Role::provider, 1, 2, 5), saved(2, Role::provider, 0, 0, 0),
                saved(3, Role::consumer, 2, 0, 5)},
               own);
  const auto use =
      use_of(book, view(own, {{"big1", false, true, 0, 0}, {"far@east", true, true, 0, 0}}));
  wire::StateBlock block;
  for (size_t g = 0; g < 3; ++g) add_state(book.groups()[g], use[g], false, block);
  REQUIRE(block.hosts.size() == 3);
  CHECK(block.hosts[0].exported == 2);  // by its last order; the configuration is ahead
  CHECK(block.hosts[1].exported == 3);
  CHECK(block.hosts[1].limit == 3);
  CHECK(block.hosts[2].exported == -1);
}

TEST_CASE(
    "of a borrowed host it is stated why it may not be split, of an own one in the inventory") {
  Book book{HostNames{}};
  std::vector<wire::HostFacts> own{facts("big1", 8)};
  own[0].division = wire::Division::pinned_cores;
  book.restore(configuration({group(1, Role::provider, "big1", 4),
                              group(3, Role::consumer, "far", 4, "east")}),
               {saved(1, Role::provider, 1, 2, 5), saved(3, Role::consumer, 2, 0, 5)}, own);
  View look = view(own, {{"big1", false, true, 0, 0}, {"far@east", true, true, 0, 0}});
  for (HostLoad& load : look.loads) load.division = wire::Division::memory;
  const auto use = use_of(book, look);
  wire::StateBlock block;
  for (size_t g = 0; g < 2; ++g) add_state(book.groups()[g], use[g], false, block);
  CHECK(block.hosts[0].division == wire::Division::unsaid);
  CHECK(block.hosts[1].division == wire::Division::memory);
}

TEST_CASE("a host that only the saved limits know keeps what it exports") {
  GroupLimits limits = saved(1, Role::provider, 3, 4, 0);
  limits.hosts.push_back(limits.hosts[0]);
  Book book{HostNames{}};
  book.restore(configuration({group(1, Role::provider, "big1", 4)}), {limits}, {facts("big1", 8)});
  CHECK(effective_exports(book.groups()[0], 1) == 4);
  CHECK(effective_limit(book.groups()[0], 1) == 3);
}

TEST_CASE("a fence that should be there and is not, or is and should not, freezes its host") {
  const std::vector<wire::HostFacts> own{facts("big1", 8), facts("big2", 8)};
  Book book{HostNames{}};
  book.restore(
      configuration({group(1, Role::provider, "big1", 4), group(2, Role::provider, "big2", 4)}),
      {saved(1, Role::provider, 3, 4, 5), saved(2, Role::provider, 0, 0, 0)}, own);
  View seen = view(own, {});
  SECTION("as it should be: one fence, and none for the group without an order") {
    seen.caps = caps_of(book, own);
    REQUIRE(seen.caps.size() == 1);
    CHECK(freeze_differing(book, seen, false) == 0);
  }
  SECTION("another number") {
    seen.caps = caps_of(book, own);
    ++seen.caps[0].slots;
    CHECK(freeze_differing(book, seen, false) == 1);
    CHECK(book.groups()[0].limits.hosts[0].frozen);
  }
  SECTION("one missing") {
    CHECK(freeze_differing(book, seen, false) == 1);
    CHECK(book.groups()[0].limits.hosts[0].frozen);
    CHECK_FALSE(book.groups()[1].limits.hosts[0].frozen);
  }
  SECTION("one too many") {
    seen.caps = caps_of(book, own);
    seen.caps.push_back({"big2", false, 8, 8, 0, 0, {}});
    CHECK(freeze_differing(book, seen, false) == 1);
    CHECK(book.groups()[1].limits.hosts[0].frozen);
  }
  SECTION("state lost: all") {
    CHECK(freeze_differing(book, seen, true) == 2);
  }
}

TEST_CASE("a group where nothing ran is not marked as used") {
  Book book{HostNames{}};
  book.restore(configuration({group(1, Role::consumer, "far", 4, "east"),
                              group(2, Role::consumer, "near", 4, "east")}),
               {saved(1, Role::consumer, 2, 0, 5), saved(2, Role::consumer, 2, 0, 0)}, {});
  CHECK(book.note_use(use_of(book, view({}, {{"far@east", true, true, 0, 0}}))).empty());
  CHECK_FALSE(book.groups()[0].limits.ever_used);
  // Nor one without an order: whatever runs there is not by its leave.
  CHECK(book.note_use(use_of(book, view({}, {{"near@east", true, true, 1, 1}}))).empty());
}

TEST_CASE("a cap that is missing or other is enforced, an own one that nobody wants is lifted") {
  const HostCap one{"big1", false, 6, 4, 0, 0, {{9, 0, 2, 4}}};
  HostCap other = one;
  other.slots = 5;
  const std::vector<wire::HostFacts> own{facts("big1", 8)};
  CHECK(differences({one}, {}, own) == std::vector<HostCap>{one});
  CHECK(differences({one}, {other}, own) == std::vector<HostCap>{one});
  CHECK(differences({}, {one}, own) == std::vector<HostCap>{{"big1", false, 8, 8, 0, 0, {}}});
}

}  // namespace
}  // namespace leasehold::agent
