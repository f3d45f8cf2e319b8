// schema/wire/PROTOCOL.md, "Whose slot is used".
#include "agent/core/limits/attribution.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "agent/core/limits/book_use.hpp"
#include "tests/unit/agent/core/limits/made_groups.hpp"
#include "tests/unit/agent/shows.hpp"

namespace leasehold::agent {
namespace {

using Groups = std::vector<Slots>;

Groups all_open(const std::vector<int32_t>& limits) {
  Groups groups;
  for (const int32_t limit : limits) groups.push_back({limit, limit});
  return groups;
}

struct AttributionRow {
  int32_t used_total;
  int32_t own;
  std::vector<int32_t> limits;
  std::vector<int32_t> used;
  int32_t breach;
};

TEST_CASE("jobs count against own slots first, then against groups in order, each to its limit") {
  const AttributionRow row = GENERATE(values<AttributionRow>({
      {0, 4, {4}, {0}, 0},
      {4, 4, {4}, {0}, 0},
      {5, 4, {4}, {1}, 0},
      {8, 4, {4}, {4}, 0},
      {8, 4, {2}, {2}, 2},        // above every limit: a breach
      {7, 4, {2, 2}, {2, 1}, 0},  // declaration order
      {3, 0, {0, 2, 4}, {0, 2, 1}, 0},
      {2, 0, {}, {}, 2},
      {3, -1, {4}, {3}, 0},  // exports above the host: no own slots, not negative ones
  }));
  std::vector<int32_t> used(row.limits.size());
  CHECK(attribute(row.used_total, row.own, all_open(row.limits), used) == row.breach);
  CHECK(used == row.used);
}

TEST_CASE("work counts against slots that are open before those that a fence gives up") {
  // Symptom: a lease had ended by itself, another gave a slot of the same host; the job that
  // started on it counted as the first one's, whose limit then never fell, and the other's slot was
  // reclaimed as idle: it was used by two (seed 954).
  std::vector<int32_t> used(2);
  CHECK(attribute(1, 0, Groups{{1, 0}, {1, 1}}, used) == 0);
  CHECK(used == std::vector<int32_t>{0, 1});
  CHECK(attribute(2, 0, Groups{{1, 0}, {1, 1}}, used) == 0);
  CHECK(used == std::vector<int32_t>{1, 1});
  CHECK(attribute(4, 0, Groups{{1, 0}, {1, 1}}, used) == 2);
  CHECK(attribute(1, 0, Groups{{2, 0}, {2, 0}}, used) == 0);  // none is open: declaration order
  CHECK(used == std::vector<int32_t>{1, 0});
  CHECK(attribute(3, 1, Groups{{4, 1}, {1, 5}}, used) == 0);  // never above a limit
  CHECK(used == std::vector<int32_t>{1, 1});
}

TEST_CASE("of groups on one host the one that gives up slots has what the other has no room for") {
  wire::Configuration configuration;
  configuration.groups = {group(1, wire::Role::consumer, "big1", 4, "east"),
                          group(2, wire::Role::consumer, "big1", 4, "east")};
  GroupLimits ended = saved(1, wire::Role::consumer, 1, 0, 4);
  close_all(ended);
  Book book{HostNames{}};
  book.restore(configuration, {ended, saved(2, wire::Role::consumer, 1, 0, 4)}, {});
  const auto use = use_of(book, view({}, {{"big1@east", true, true, 1, 1}}));
  CHECK(use[0].used[0] == 0);
  CHECK(use[1].used[0] == 1);
  CHECK(use[0].breach == 0);
}

TEST_CASE("a configured group without an order is the provider's: no cap, no breach") {
  wire::Configuration configuration;
  configuration.groups = {group(1, wire::Role::provider, "big1", 4)};
  Book book{HostNames{}};
  const View seen = view({facts("big1", 8)}, {{"big1", false, true, 8, 8}});
  book.adopt(configuration, false, seen.hosts);
  CHECK(caps_of(book, seen.hosts).empty());
  const auto use = use_of(book, seen);
  CHECK(use[0].used == std::vector<int32_t>{4});
  CHECK(use[0].breach == 0);
  wire::StateBlock block;
  add_state(book.groups()[0], use[0], false, block);
  CHECK(block.groups[0].seq == 0);
  CHECK(shows(block.hosts[0]) == Shown{0, 4, 4, 1});
}

TEST_CASE("an agent's first start beside a full host was told as a breach") {
  wire::Configuration configuration;
  configuration.groups = {group(1, wire::Role::provider, "big1", 8)};
  Book book{HostNames{}};
  const View seen = view({facts("big1", 8)}, {{"big1", false, true, 8, 8}});
  book.adopt(configuration, true, seen.hosts);  // it has no state yet
  CHECK(use_of(book, seen)[0].breach == 0);
}

TEST_CASE("a provider's cap is what is own and what the groups let it use") {
  wire::Configuration configuration;
  configuration.groups = {group(1, wire::Role::provider, "big1", 3),
                          group(2, wire::Role::provider, "big1", 2, "north")};
  Book book{HostNames{}};
  const View seen = view({facts("big1", 8)}, {{"big1", false, true, 5, 5}});
  book.restore(configuration,
               {saved(1, wire::Role::provider, 1, 3, 4), saved(2, wire::Role::provider, 0, 2, 5)},
               seen.hosts);
  const auto caps = caps_of(book, seen.hosts);
  REQUIRE(caps.size() == 1);
  CHECK(caps[0].slots == 4);  // 3 own + 1 + 0
  CHECK(caps[0].own == 3);
  const auto use = use_of(book, seen);
  CHECK(use[0].used[0] == 1);
  CHECK(use[1].used[0] == 0);
  CHECK(use[0].breach == 1);  // 5 in use, 4 let
}

TEST_CASE("an imported host has no own slots and the name that the configuration gives it") {
  wire::Configuration configuration;
  configuration.groups = {group(1, wire::Role::consumer, "big1", 4, "east"),
                          group(2, wire::Role::consumer, "big2", 4, "east")};
  HostNames names;
  names.rule = "imp-{host}";
  names.map["big1@east"] = "e-big1";
  Book book{names};
  book.restore(configuration, {saved(1, wire::Role::consumer, 2, 0, 4)}, {});
  CHECK(book.imported_hosts() == std::vector<std::string>{"e-big1", "imp-big2"});
  const auto caps = caps_of(book, {});
  REQUIRE(caps.size() == 1);
  CHECK(caps[0].host == "e-big1");
  CHECK(caps[0].slots == 2);
  CHECK(caps[0].own == 0);
  const auto use = use_of(book, view({}, {{"e-big1", true, true, 1, 2}}));
  CHECK(use[0].used[0] == 1);
  CHECK_FALSE(use[1].known[0]);
  CHECK(book.note_use(use) == std::vector<uint64_t>{1});
  CHECK(book.note_use(use).empty());  // it is sticky and said only once
}

TEST_CASE("a short job that ended before the look has used the slot") {
  wire::Configuration configuration;
  configuration.groups = {group(1, wire::Role::consumer, "big1", 4, "east")};
  Book book{HostNames{}};
  book.restore(configuration, {saved(1, wire::Role::consumer, 2, 0, 4)}, {});
  CHECK(book.note_use(use_of(book, view({}, {{"big1@east", true, true, 0, 1}}))).size() == 1);
}

// Symptom: slots that came free were given up only at the next look in the poll interval.
TEST_CASE("looks come sooner while slots are to come back, or an offer is not used yet") {
  const struct {
    const char* what;
    wire::Role role;
    void (*change)(GroupLimits&);
    bool awaits;
  } rows[] = {
      {"a lease in use", wire::Role::consumer, [](GroupLimits&) {}, false},
      {"an offer", wire::Role::consumer, [](GroupLimits& group) { group.ever_used = false; }, true},
      {"an offer of nothing", wire::Role::consumer,
       [](GroupLimits& group) {
         group.ever_used = false;
         group.hosts[0].limit = 0;
       },
       false},
      {"the provider of an offer", wire::Role::provider,
       [](GroupLimits& group) { group.ever_used = false; }, false},
      {"a lowering that is open", wire::Role::provider,
       [](GroupLimits& group) {
         group.hosts[0].lowering = OpenLowering{wire::Lowering::shrink, 0};
       },
       true},
      {"slots of a set that are to come back", wire::Role::consumer,
       [](GroupLimits& group) { group.hosts[0].withheld = 1; }, true},
  };
  for (const auto& row : rows) {
    INFO(row.what);
    wire::Configuration configuration;
    configuration.groups = {group(7, row.role, "big1", 4)};
    GroupLimits limits = saved(7, row.role, 2, 0, 3);
    limits.ever_used = true;
    row.change(limits);
    Book book{HostNames{}};
    CHECK_FALSE(awaits_use(book));
    book.restore(configuration, {limits}, {});
    CHECK(awaits_use(book) == row.awaits);
  }
}

TEST_CASE("an imported host whose local name is taken is refused, not mixed up") {
  wire::Configuration configuration;
  configuration.groups = {group(1, wire::Role::consumer, "big1", 4, "east"),
                          group(2, wire::Role::consumer, "big1", 4, "north")};
  HostNames names;
  names.rule = "imp-{host}";
  Book book{names};
  const auto adoption = book.adopt(configuration, false, {});
  REQUIRE(adoption.problems.size() == 1);
  CHECK(adoption.problems[0].find("big1@north") != std::string::npos);
  CHECK(book.imported_hosts() == std::vector<std::string>{"imp-big1"});
}

TEST_CASE("at the start a host whose fence is not as the limit says is frozen") {
  wire::Configuration configuration;
  configuration.groups = {group(1, wire::Role::provider, "big1", 4)};
  Book book{HostNames{}};
  View seen = view({facts("big1", 8)}, {{"big1", false, true, 2, 2}});
  book.restore(configuration, {saved(1, wire::Role::provider, 3, 4, 4)}, seen.hosts);
  SECTION("the same: nothing is frozen") {
    seen.caps = caps_of(book, seen.hosts);
    CHECK(freeze_differing(book, seen, false) == 0);
    CHECK(caps_of(book, seen.hosts)[0].slots == 7);
  }
  SECTION("another: no new work on leased slots") {
    seen.caps = caps_of(book, seen.hosts);
    seen.caps[0].slots = 5;
    CHECK(freeze_differing(book, seen, false) == 1);
    CHECK(caps_of(book, seen.hosts)[0].slots == 4);
    CHECK(book.groups()[0].limits.hosts[0].limit == 3);
  }
  SECTION("none") {
    CHECK(freeze_differing(book, seen, false) == 1);
    CHECK(caps_of(book, seen.hosts)[0].slots == 4);
  }
}

TEST_CASE("without state the fences found say what was held, and none is taken away") {
  const HostCap cap{"big1", false, 6, 4, 0, 0, {{9, 1, 2, 4}}};
  Book book{HostNames{}};
  View seen = view({facts("big1", 8)}, {{"big1", false, true, 5, 5}});
  seen.caps = {cap};
  book.adopt_fences(seen.caps);
  wire::StateBlock block;
  add_state(book.groups()[0], use_of(book, seen)[0], false, block);
  CHECK(block.groups[0].generation == 9);
  REQUIRE(block.hosts.size() == 1);
  CHECK(shows(block.hosts[0]) == Shown{1, 2, 1, 1});
  CHECK(freeze_differing(book, seen, true) == 1);
  CHECK(caps_of(book, seen.hosts)[0].slots == 4);  // nothing new on leased slots
  wire::Configuration configuration;
  configuration.groups = {group(9, wire::Role::provider, "big0", 0),
                          group(10, wire::Role::provider, "big1", 1, "north")};
  configuration.groups[0].hosts.push_back({"big1", 4, false});
  book.adopt(configuration, true, seen.hosts);
  CHECK(book.groups()[0].limits.hosts[1].limit == 2);
  // Nothing is assumed for a group that no fence spoke of.
  CHECK(book.groups()[1].limits.hosts[0].exported == 1);
  CHECK(caps_of(book, seen.hosts)[0].slots == 3);
}

TEST_CASE("only hosts whose cap differs are enforced; caps nobody wants are taken away") {
  const HostCap one{"big1", false, 6, 4, 0, 0, {{9, 0, 2, 4}}};
  const HostCap gone{"w-1", true, 2, 0, 0, 0, {{8, 0, 2, 0}}};
  const std::vector<wire::HostFacts> own{facts("big1", 8)};
  CHECK(differences({one}, {one}, own).empty());
  const auto changes = differences({one}, {one, gone}, own);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].host == "w-1");
  CHECK(changes[0].slots == 0);
  CHECK(changes[0].parts.empty());
  const HostCap unseen{"big7", false, 6, 4, 0, 0, {{9, 0, 2, 4}}};
  CHECK(differences({}, {unseen}, own).empty());  // a host out of sight keeps its fence
}

}  // namespace
}  // namespace leasehold::agent
