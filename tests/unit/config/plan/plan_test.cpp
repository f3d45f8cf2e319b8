// Resource plans in TOML: what is read, and what is refused with its line and advice.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/config/plan/text.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int kBelow = 16;  // the line of text put below kPlan

std::string with(const std::string& from, const std::string& to) {
  return replaced(kPlan, from, to);
}

Plan plan_of(const std::string& text, size_t group = 0) {
  const Loaded loaded = parse_broker_config(text, "p.toml");
  INFO(all_of(loaded));
  REQUIRE(loaded.ok());
  return loaded.plans.in_force(group, std::nullopt);
}

std::string paths_of(const Plan& plan) {
  std::string text;
  for (const PlanConsumer& consumer : plan.consumers) text += consumer.path + " ";
  return text;
}

}  // namespace

TEST_CASE("a plan alone is read without a broker, clusters and export policies") {
  const Loaded loaded = parse_broker_config(kPlan, "p.toml");
  INFO(all_of(loaded));
  CHECK(loaded.ok());
  CHECK(loaded.warnings.empty());
  const Plan plan = loaded.plans.in_force(0, std::nullopt);
  CHECK(plan.name == "compute");
  CHECK(plan.policy == PlanPolicy::ownership);
  CHECK(plan.slots == 30);
  REQUIRE(paths_of(plan) == "/a /a/x /b ");
  CHECK(plan.consumers[0].parent == kNoIndex);
  CHECK(plan.consumers[1].parent == 0);
  CHECK(plan.consumers[1].lend_limit == 5);
  CHECK(plan.consumers[1].owned == 10);
  CHECK(plan.consumers[2].borrow_from == ConsumerList{false, {1}, {}});
  CHECK_FALSE(plan.consumers[2].borrow_limit);  // absent is not 0
  CHECK_FALSE(plan.consumers[2].lend_to);
}

/// A group of that policy with every setting, and a consumer with every setting.
std::string every_setting(const std::string& policy, const std::string& group,
                          const std::string& consumer) {
  return "[[resource_group]]\nname = \"g\"\npolicy = \"" + policy + "\"\n" + group + R"(
placement = "exclusive"
use_ancestor_grace_period = true
default_rank = 7
net_policy_switch = false
min_hold = "5m"
max_share_moved = 0.25
dead_zone = 3
reclaim_backoff = "1m"
[[consumer]]
path = "/a"
cluster = "east"
select = "mem>8000"
rank = 2
limit = 8
reclaim_grace = "1m30s"
rebalance = false
)" + consumer +
         "[[consumer]]\npath = \"/b\"\n";
}

Plan every_setting_of_ownership() {
  return plan_of(every_setting("ownership",
                               "reclaim_before_borrow = true\nreclaim_shared = false\n"
                               "siblings_only = true\n",
                               "owned = 9\nlend_limit = 3\nlend_to = [\"/b\"]\nborrow_limit = 6\n"
                               "borrow_from = [\"*\"]\nshare_ratio = 0\nshare_limit = 5\n"));
}

Plan every_setting_of_hybrid() {
  return plan_of(every_setting("hybrid",
                               "evenly_distribute = true\ndisable_reclaim_hybrid_own = true\n",
                               "owned = 9\nreserved = 4\n"));
}

TEST_CASE("every setting of a group reaches the plan") {
  const Plan plan = every_setting_of_ownership();
  CHECK_FALSE(plan.slots);
  CHECK(plan.placement == Placement::exclusive);
  CHECK(plan.reclaim_before_borrow);
  CHECK_FALSE(plan.reclaim_shared);
  CHECK(plan.use_ancestor_grace_period);
  CHECK(plan.siblings_only);
  CHECK(plan.default_rank == 7);
  CHECK_FALSE(plan.net_policy_switch);
  CHECK(plan.min_hold_ms == 300'000);
  CHECK(plan.max_share_moved_ppm == 250'000);
  CHECK(plan.dead_zone_slots == 3);
  CHECK(plan.reclaim_backoff_ms == 60'000);
  CHECK(every_setting_of_hybrid().evenly_distribute);
  CHECK(every_setting_of_hybrid().disable_reclaim_hybrid_own);
  CHECK(plan_of(every_setting("share-ratio", "share_enforcement = \"parent\"\n", ""))
            .share_enforcement == ShareEnforcement::parent);
}

TEST_CASE("every setting of a consumer reaches the plan") {
  const Plan plan = every_setting_of_ownership();
  const PlanConsumer& a = plan.consumers[0];
  CHECK(a.cluster == "east");
  CHECK(a.select == "mem>8000");
  CHECK(a.rank == 2);
  CHECK(a.owned == 9);
  CHECK(a.limit == 8);
  CHECK(a.lend_limit == 3);
  CHECK(a.lend_to == ConsumerList{false, {1}, {}});
  CHECK(a.borrow_limit == 6);
  CHECK(a.borrow_from == ConsumerList{true, {}, {}});
  CHECK(a.share_ratio == 0);
  CHECK(a.share_limit == 5);
  CHECK(a.reclaim_grace_ms == 90'000);
  CHECK_FALSE(a.rebalance);
  CHECK(plan.consumers[1].rebalance);
  CHECK(every_setting_of_hybrid().consumers[0].reserved == 4);
}

TEST_CASE("an implied parent stands where it is first mentioned") {
  const std::string head = "[[resource_group]]\nname = \"g\"\npolicy = \"hybrid\"\n";
  const auto consumer = [](const std::string& path) {
    return "[[consumer]]\npath = \"" + path + "\"\n";
  };
  const Plan plan = plan_of(head + consumer("/x/deep/leaf") + consumer("/y") + consumer("/x") +
                            consumer("/x/other"));
  CHECK(paths_of(plan) == "/x /x/deep /x/deep/leaf /y /x/other ");
  CHECK(plan.consumers[2].parent == 1);
  CHECK(plan.consumers[4].parent == 0);
}

TEST_CASE("a path may stand in several groups, each with numbers of its own") {
  const std::string two =
      "[[resource_group]]\nname = \"g\"\npolicy = \"hybrid\"\n[[resource_group]]\nname = \"h\"\n"
      "policy = \"share-ratio\"\n[[consumer]]\npath = \"/a\"\ngroup = \"h\"\nshare_ratio = 2\n"
      "[[consumer]]\npath = \"/a\"\ngroup = \"g\"\nowned = 4\n";
  CHECK(plan_of(two, 0).consumers.at(0).owned == 4);
  CHECK(plan_of(two, 1).consumers.at(0).share_ratio == 2);
}

TEST_CASE("what one section of a plan must keep is refused with its line") {
  const Bad cases[] = {
      {with("name = \"compute\"\n", ""), 1, "missing key 'name'"},
      {with("name = \"compute\"", "name = \"com pute\""), 2, "a name consists of"},
      {with("policy = \"ownership\"\n", ""), 1, "write ownership, share-ratio or hybrid"},
      {with("\"ownership\"", "\"owner\""), 3, "\"ownership\", \"share-ratio\", \"hybrid\""},
      {with("slots = 30", "slots = 0"), 4, "it must be from 1"},
      {with("slots = 30", "slots = 30\ncycle = 10"), 5, "a duration with its unit"},
      {with("slots = 30", "slots = 30\nplacement = \"stack\""), 5, "\"stacked\""},
      {with("slots = 30", "slots = 30\nmax_share_moved = 1.5"), 5, "from 0.001 to 1.0"},
      {with("slots = 30", "slots = 30\ndead_zone = -1"), 5, "it must be from 0"},
      {with("slots = 30", "slots = 30\ntimezone = \"Europe/Berlni\""), 5,
       "did you mean 'Europe/Berlin'?"},
      {with("slots = 30", "slots = 30\nreclaim_share = false"), 5,
       "did you mean 'reclaim_shared'?"},
      {with("path = \"/a\"", "path = \"a\""), 6, "a path begins with '/'"},
      {with("path = \"/b\"", "path = \"/b/\""), 13, "is empty"},
      {with("path = \"/b\"", "path = \"/b c\""), 13, "a name consists of"},
      {with("path = \"/b\"\n", ""), 12, "missing key 'path'"},
      {with("owned = 10\nborrow", "owned = -1\nborrow"), 14, "it must be from 0"},
      {with("owned = 10\nborrow", "owned = 1.5\nborrow"), 14, "a whole number"},
      {with("owned = 10\nborrow", "onwed = 10\nborrow"), 14, "did you mean 'owned'?"},
      {kPlan + "reclaim_grace = 30\n", kBelow, "a duration with its unit"},
      {kPlan + "select = \"mem>\"\n", kBelow, "'select'"},
      {kPlan + "lend_to = \"/a/x\"\n", kBelow, "a list"},
      {kPlan + "policy = \"hybird\"\n", kBelow, "\"hybrid\""},
      {kPlan + "[[consumer.window]]\nfrom = \"08:00\"\n", kBelow, "missing key 'to'"},
      {kPlan + "[[consumer.window]]\nfrom = \"8:00\"\nto = \"09:00\"\n", kBelow + 1, "write HH:MM"},
      {kPlan + "[[consumer.window]]\nfrom = \"08:00\"\nto = \"08:00\"\n", kBelow + 2, "the same"},
      {kPlan + "[[consumer.window]]\nfrom = \"08:00\"\nto = \"09:00\"\nrebalance = true\n",
       kBelow + 3, "unknown key 'rebalance'"},
  };
  for (const Bad& bad : cases) check_refused(bad);
}

TEST_CASE("a plan that contradicts itself is refused with the line of the contradiction") {
  const std::string group = "[[resource_group]]\nname = \"more\"\npolicy = \"hybrid\"\n";
  const std::string window = "[[consumer.window]]\nfrom = \"08:00\"\nto = \"10:00\"\n";
  const Bad cases[] = {
      {with("[\"/a/x\"]", "[\"/a/y\"]"), 15, "consumer '/a/y' in 'borrow_from' is not in"},
      {with("[\"/a/x\"]", "[\"/a/xx\"]"), 15, "did you mean '/a/x'?"},
      {with("[\"/a/x\"]", "[\"*\", \"/a/x\"]"), 15, "stands for every consumer"},
      {with("lend_limit = 5", "lend_to = [\"/c\"]"), 11, "consumer '/c' in 'lend_to' is not in"},
      {with("owned = 20", "owned = 9"), 7, "its children have 10"},
      {"[[resource_group]]\nname = \"g\"\npolicy = \"hybrid\"\n[[consumer]]\npath = \"/a\"\n"
       "owned = 20\nreserved = 1\n[[consumer]]\npath = \"/a/z\"\nreserved = 2\nowned = 2\n",
       7, "its children have 2"},
      {with("owned = 20", "owned = 20\nlend_limit = 1"), 8, "only leaves lend"},
      {with("owned = 20", "owned = 20\ncluster = \"east\""), 8, "only a leaf may name a cluster"},
      {with("lend_limit = 5", "cluster = \"east\"") + "cluster = \"east\"\n", kBelow,
       "is that of /a/x already"},
      {with("lend_limit = 5", "policy = \"hybrid\""), 11, "not at the root level"},
      {kPlan + "policy = \"share-ratio\"\n", kBelow, "does not mix"},
      {with("slots = 30", "slots = 30\nevenly_distribute = true"), 5, "not defined"},
      {with("slots = 30", "slots = 30\nshare_enforcement = \"parent\""), 5, "not defined"},
      {kPlan + "[[consumer]]\npath = \"/a/x\"\n", kBelow + 1, "is defined at p.toml:9 already"},
      {kPlan + "[[consumer]]\npath = \"/c\"\ngroup = \"compte\"\n", kBelow + 2,
       "did you mean 'compute'?"},
      {group + "[[consumer]]\npath = \"/c\"\ngroup = \"more\"\n" + group, 8,
       "is defined at p.toml:2 already"},
      {kPlan + "[[consumer.window]]\nfrom = \"22:00\"\nto = \"06:00\"\n" + window +
           "[[consumer.window]]\nfrom = \"05:59\"\nto = \"07:00\"\n",
       kBelow + 6, "overlaps another of '/b'"},
      {kPlan + window + "borrow_from = [\"/a/z\"]\n", kBelow + 3, "is not in resource group"},
      {kPlan + window + "policy = \"share-ratio\"\n", kBelow + 3, "does not mix"},
      {with("lend_limit = 5\n", "lend_limit = 5\n" + window + "owned = 21\n"), 7,
       "its children have 21"},
  };
  for (size_t i = 0; i + 1 < std::size(cases); ++i) check_refused(cases[i]);
  // The error is at the parent, whose numbers do not add up; the message says at what time.
  const Loaded loaded = parse_broker_config(std::rbegin(cases)->text, "p.toml");
  INFO(all_of(loaded));
  CHECK(loaded.errors.size() == 1);
  CHECK(tells(loaded.errors, 7, "its children have 21; it must be at least that (from 08:00)"));
}

TEST_CASE("every contradiction is told in one run") {
  const Loaded loaded = parse_broker_config(
      "[[resource_group]]\nname = \"g\"\npolicy = \"ownership\"\nslots = -3\n"
      "[[consumer]]\npath = \"/a\"\nowned = 1\ncluster = \"east\"\n"
      "[[consumer]]\npath = \"/a/x\"\nowned = 5\nlend_to = [\"/q\"]\n"
      "[[consumer]]\npath = \"/b\"\ngroup = \"h\"\n",
      "p.toml");
  INFO(all_of(loaded));
  CHECK(loaded.errors.size() == 5);
  CHECK(tells(loaded.errors, 4, "'slots' is -3"));
  CHECK(tells(loaded.errors, 7, "its children have 5"));
  CHECK(tells(loaded.errors, 8, "only a leaf may name a cluster"));
  CHECK(tells(loaded.errors, 12, "consumer '/q'"));
  CHECK(tells(loaded.errors, 15, "group 'h' is not known"));
  CHECK(std::is_sorted(loaded.errors.begin(), loaded.errors.end(),
                       [](const Error& a, const Error& b) { return a.line < b.line; }));
}

TEST_CASE("a consumer needs a group, and a name for it where there are several") {
  check_refused({"[[consumer]]\npath = \"/a\"\n", 1, "no [[resource_group]] is there"});
  const std::string groups =
      "[[resource_group]]\nname = \"g\"\npolicy = \"hybrid\"\n[[consumer]]\npath = \"/g\"\n"
      "group = \"g\"\n[[resource_group]]\nname = \"h\"\npolicy = \"hybrid\"\n[[consumer]]\n"
      "path = \"/h\"\ngroup = \"h\"\n";
  check_refused({groups + "[[consumer]]\npath = \"/a\"\n", 13, "there are several groups"});
}

TEST_CASE("what is legal but unwise is a warning") {
  const Bad cases[] = {
      {with("slots = 30", "slots = 29"), 4, "more than there are"},
      {with("owned = 10\nlend", "lend"), 10, "owns nothing that it could lend"},
      {with("[\"/a/x\"]", "[]"), 15, "as if it were left out"},
      {"[[resource_group]]\nname = \"g\"\npolicy = \"hybrid\"\n", 2, "has no [[consumer]]"},
      {with("slots = 30", "slots = 31") + "[[consumer]]\npath = \"/c\"\npolicy = \"hybrid\"\n", 4,
       "they should own all"},
      {kPlan + "[[consumer]]\npath = \"/c\"\npolicy = \"hybrid\"\nreserved = 11\n", kBelow + 3,
       "cannot reserve more than it owns"},
  };
  for (const Bad& one : cases) {
    const Loaded loaded = parse_broker_config(one.text, "p.toml");
    INFO(one.text << all_of(loaded));
    CHECK(loaded.ok());
    CHECK(loaded.warnings.size() == 1);
    CHECK(tells(loaded.warnings, one.line, one.fragment));
  }
}

TEST_CASE("a leaf that owns in some window may lend then: no warning") {
  const std::string text = with("owned = 10\nlend_limit = 5\n",
                                "lend_limit = 5\n[[consumer.window]]\nfrom = \"08:00\"\n"
                                "to = \"10:00\"\nowned = 10\n");
  const Loaded loaded = parse_broker_config(text, "p.toml");
  INFO(all_of(loaded));
  CHECK(loaded.errors.empty());
  CHECK(loaded.warnings.empty());
}
