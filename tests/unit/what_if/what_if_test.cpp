// A what-if on histories that `simulate` kept is compared with what simulate says of the same
// settings.
#include "broker/lab/what_if/what_if.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "broker/lab/simulate/simulate.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/unit/replay/scenario_folder.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// The provider is busy in turns with its consumer: each evaluation finds idle slots on one side.
std::string turns(int64_t first_s, int64_t period_s, int count, int width) {
  std::string text;
  for (int i = 0; i < count; ++i) text += lines(8, first_s + i * period_s, period_s / 2, width);
  return text;
}

/// Narrow and wide work, with different periods.
std::string mixed(int64_t period_s, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += lines(3, i * period_s, period_s / 2, 3) + lines(1, i * period_s + 300, period_s / 3, 7);
  }
  return text;
}

struct Recorded {
  Folder folder;
  RuleOutcome outcome;
  std::string database;

  explicit Recorded(const std::string& delay, const std::string& more = "",
                    const std::string& rule = "idle-comparison", const std::string& plan = "",
                    const std::string& east = turns(0, 7200, 30, 1),
                    const std::string& west = turns(3600, 7200, 30, 1),
                    const std::string& own = "2") {
    folder.write("east.swf", east);
    folder.write("west.swf", west);
    if (!plan.empty()) folder.write("plan.toml", plan);
    database = (folder.path / "run.db").string();
    const std::string scenario = folder.write("s.toml", R"([simulation]
until = "10d"
reclaim_delay = ")" + delay + "\"\ncompare = [\"" + rule + "\"]\n" +
                                                            more + R"(
[[cluster]]
name = "east"
slots = )" + own + R"(
trace = "east.swf"
[[cluster]]
name = "west"
slots = )" + own + R"(
trace = "west.swf"
[[export_policy]]
name = "pool"
provider = "east"
slots = 8
type = "shared"
distribution = [{ cluster = "west", shares = 1 }]
)");
    auto outcomes = simulate({scenario, database, {}});
    if (!outcomes) FAIL(describe(outcomes.error()));
    outcome = outcomes->front();
  }

  WhatIfAnswer ask(const WhatIfSettings& settings = {}, std::optional<Instant> since = {},
                   std::optional<Instant> until = {}) const {
    WhatIfOptions options;
    options.database = database;
    options.settings = settings;
    options.since = since;
    options.until = until;
    auto answer = what_if(options);
    if (!answer) FAIL(describe(answer.error()));
    return *answer;
  }
};

Recorded mixed_under(const std::string& rule) {
  return Recorded("5m", "", rule, "", mixed(7200, 40), mixed(5000, 57), "8");
}

const std::string kPlan =
    "[[resource_group]]\nname = \"compute\"\npolicies = [\"pool\"]\npolicy = \"share-ratio\"\n"
    "cycle = \"1m\"\n"
    "[[consumer]]\npath = \"/e\"\ncluster = \"east\"\nshare_ratio = 1\n"
    "[[consumer]]\npath = \"/w\"\ncluster = \"west\"\nshare_ratio = 1\n";

int64_t slot_s(const SiteOutcome& run, Quantity quantity) {
  return static_cast<int64_t>(run.sums[static_cast<size_t>(quantity)] / 1000);
}

}  // namespace

TEST_CASE("what happened is counted as simulate counted it") {
  const Recorded recorded("5m");
  const WhatIfAnswer answer = recorded.ask();
  CHECK(answer.happened.flips == recorded.outcome.flips);
  CHECK(answer.happened.slots_moved == recorded.outcome.slots_moved);
  REQUIRE(recorded.outcome.flips > 50);
}

TEST_CASE("under the recorded settings the model comes to what happened where work is regular") {
  const Recorded recorded("5m");
  const WhatIfAnswer answer = recorded.ask();
  CHECK(answer.modelled.flips == answer.what_if.flips);
  CHECK(answer.modelled.sums == answer.what_if.sums);
  CHECK(answer.modelled.flips == Approx(static_cast<double>(answer.happened.flips)).epsilon(0.05));
  CHECK(slot_s(answer.modelled, Quantity::lent_used) ==
        Approx(static_cast<double>(slot_s(answer.happened, Quantity::lent_used))).epsilon(0.05));
}

TEST_CASE("another delay comes to what simulate says of it") {
  const Recorded recorded("5m");
  const Recorded other("20m");
  WhatIfSettings settings;
  settings.reclaim_delay_ms = 20 * 60'000;
  const WhatIfAnswer answer = recorded.ask(settings);
  CHECK(answer.what_if.flips == Approx(static_cast<double>(other.outcome.flips)).epsilon(0.15));
  CHECK(answer.what_if.flips < answer.happened.flips);
  // Work that waits longer is still wanted only as long as recorded, so the estimate is a lower
  // bound.
  CHECK(answer.what_if.sums[static_cast<size_t>(Quantity::unmet)] >
        answer.modelled.sums[static_cast<size_t>(Quantity::unmet)]);
}

TEST_CASE("shapes are recorded whatever rule is in force, and demand-aware is asked of them") {
  const Recorded recorded = mixed_under("idle-comparison");
  const Recorded other = mixed_under("demand-aware");
  WhatIfSettings settings;
  settings.rule = RuleKind::demand_aware;
  const WhatIfAnswer answer = recorded.ask(settings);
  CHECK(answer.shapes.waited_ms > 0);
  CHECK(answer.shapes.with_shapes_ms == answer.shapes.waited_ms);
  CHECK(answer.shapes.with_elsewhere_ms == 0);
  REQUIRE(other.outcome.slots_moved > 50);
  CHECK(answer.what_if.slots_moved ==
        Approx(static_cast<double>(other.outcome.slots_moved)).epsilon(0.25));
  CHECK(slot_s(answer.what_if, Quantity::unmet) ==
        Approx(static_cast<double>(slot_s(other.ask().happened, Quantity::unmet))).epsilon(0.25));
}

TEST_CASE("and a history of demand-aware with another rule, or as it was") {
  const Recorded recorded = mixed_under("demand-aware");
  const Recorded other = mixed_under("idle-comparison");
  const WhatIfAnswer as_it_was = recorded.ask();
  CHECK(as_it_was.shapes.with_elsewhere_ms == as_it_was.shapes.waited_ms);
  CHECK(slot_s(as_it_was.modelled, Quantity::unmet) ==
        Approx(static_cast<double>(slot_s(as_it_was.happened, Quantity::unmet))).epsilon(0.1));
  WhatIfSettings settings;
  settings.rule = RuleKind::idle_comparison;
  const WhatIfAnswer answer = recorded.ask(settings);
  CHECK(answer.what_if.flips == Approx(static_cast<double>(other.outcome.flips)).epsilon(0.3));
}

TEST_CASE("jobs that are too wide for what is free wait in the estimate as they did") {
  const Recorded recorded = mixed_under("idle-comparison");
  const WhatIfAnswer answer = recorded.ask();
  REQUIRE(slot_s(answer.happened, Quantity::unmet) > 100'000);
  CHECK(slot_s(answer.modelled, Quantity::unmet) ==
        Approx(static_cast<double>(slot_s(answer.happened, Quantity::unmet))).epsilon(0.05));
}

TEST_CASE("slots on their way are counted as long as recorded transfers took") {
  const Recorded recorded("5m", "transfer_time = \"60s\"");
  const WhatIfAnswer answer = recorded.ask();
  CHECK(slot_s(answer.happened, Quantity::inactive) ==
        static_cast<int64_t>(recorded.outcome.inactive_slot_seconds));
  CHECK(slot_s(answer.modelled, Quantity::inactive) ==
        Approx(recorded.outcome.inactive_slot_seconds).epsilon(0.1));
}

TEST_CASE("a plan is tried on a history of leases") {
  const Recorded recorded("5m");
  const Recorded planned("5m", "plan = \"plan.toml\"", "plan", kPlan);
  WhatIfSettings settings;
  settings.plan = planned.folder.write("plan.toml", kPlan);
  const WhatIfAnswer answer = recorded.ask(settings);
  CHECK(answer.what_if.leases.contains("compute"));
  CHECK(answer.what_if.slots_moved ==
        Approx(static_cast<double>(planned.outcome.slots_moved)).epsilon(0.2));
}

TEST_CASE("and a rule on a history of a plan") {
  const Recorded planned("5m", "plan = \"plan.toml\"", "plan", kPlan);
  const Recorded leased("5m");
  const WhatIfAnswer as_it_was = planned.ask();
  CHECK(as_it_was.happened.slots_moved == planned.outcome.slots_moved);
  CHECK(as_it_was.modelled.slots_moved ==
        Approx(static_cast<double>(planned.outcome.slots_moved)).epsilon(0.1));
  WhatIfSettings settings;
  settings.rule = RuleKind::idle_comparison;
  settings.reclaim_delay_ms = 5 * 60'000;
  const WhatIfAnswer answer = planned.ask(settings);
  CHECK(answer.what_if.leases.contains("pool:west"));
  CHECK(answer.what_if.flips == Approx(static_cast<double>(leased.outcome.flips)).epsilon(0.1));
}

TEST_CASE("what ran on leased slots would have waited without leases: leasing saved that") {
  const auto unmet_s = [](const SiteOutcome& run, const char* cluster) {
    return static_cast<double>(run.unmet.at(cluster)) / 1000;
  };
  const Recorded recorded("5m");
  WhatIfSettings settings;
  settings.nobody_lends = true;
  const WhatIfAnswer answer = recorded.ask(settings);
  CHECK(answer.what_if.flips == 0);
  CHECK(answer.what_if.slots_moved == 0);
  CHECK(slot_s(answer.what_if, Quantity::lent) == 0);
  const int64_t used = slot_s(answer.happened, Quantity::lent_used);
  REQUIRE(used > 0);
  CHECK(unmet_s(answer.what_if, "west") ==
        Approx(unmet_s(answer.happened, "west") + static_cast<double>(used)).epsilon(0.01));
  CHECK(unmet_s(answer.what_if, "east") <= unmet_s(answer.modelled, "east"));
  CHECK(slot_s(answer.what_if, Quantity::unmet) > slot_s(answer.modelled, Quantity::unmet));
  CHECK_THAT(what_if_text(answer), Catch::StartsWith("An estimate: what if rule = none.") &&
                                       Catch::Contains("- nobody lends: "));
  // Asked from its middle on, the slots lent then go home; so they do where a plan shared them.
  const Instant middle = Instant{} + int64_t{26} * 3'600'000;
  const Recorded planned("5m", "plan = \"plan.toml\"", "plan", kPlan);
  for (const Recorded* history : {&recorded, &planned}) {
    const WhatIfAnswer after = history->ask(settings, middle);
    REQUIRE(slot_s(after.modelled, Quantity::lent) > 0);
    CHECK(slot_s(after.what_if, Quantity::lent) * 4 < slot_s(after.modelled, Quantity::lent));
    CHECK(slot_s(after.what_if, Quantity::unmet) > slot_s(after.modelled, Quantity::unmet));
  }
}

TEST_CASE("a part of the time is asked for, and the parts make the whole") {
  const Recorded recorded("5m");
  const Instant middle = Instant{} + int64_t{26} * 3'600'000;
  const WhatIfAnswer whole = recorded.ask();
  const WhatIfAnswer before = recorded.ask({}, {}, middle);
  const WhatIfAnswer after = recorded.ask({}, middle);
  CHECK(before.to == middle);
  CHECK(after.from == middle);
  CHECK(before.happened.flips + after.happened.flips == whole.happened.flips);
  for (size_t q = 0; q < kQuantities; ++q) {
    CHECK(before.happened.sums[q] + after.happened.sums[q] == whole.happened.sums[q]);
  }
  // Begun in its middle, the model goes on from what was there.
  CHECK(after.modelled.flips == Approx(static_cast<double>(after.happened.flips)).epsilon(0.05));
}

TEST_CASE("the course over time adds up to the sums") {
  const Recorded recorded("5m");
  const WhatIfAnswer answer = recorded.ask();
  REQUIRE(answer.what_if.course.size() == 240);
  for (size_t q = 0; q < kQuantities; ++q) {
    SlotMs sum = 0;
    for (const SlotMsOf& stretch : answer.what_if.course) sum += stretch[q];
    CHECK(sum == answer.what_if.sums[q]);
  }
}

TEST_CASE("a what-if of a time that is not recorded is refused, and says what is") {
  const Recorded recorded("5m");
  WhatIfOptions options;
  options.database = recorded.database;
  SECTION("after its end") {
    options.since = Instant{} + int64_t{4000} * 86'400'000;
    CHECK_THAT(what_if(options).error().message, Catch::Contains("where it ends"));
  }
  SECTION("upside down") {
    options.since = Instant{2000};
    options.until = Instant{1000};
    CHECK_THAT(what_if(options).error().message, Catch::Contains("--until"));
  }
  SECTION("no database") {
    options.database = (recorded.folder.path / "none.db").string();
    CHECK_FALSE(what_if(options));
  }
}

TEST_CASE("a history that retention shortened is asked from where it begins on, not from before") {
  const TempDir dir;
  WhatIfOptions options;
  options.database = dir.file("broker.db");
  {
    RecordedSite site(options.database, one_pool(2, 4), OpenMode::broker,
                      StoreOptions{Retention{int64_t{24} * 3'600'000, 0}, {}, {}});
    site.begin();
    site.flip_to_and_fro(300);
  }
  const auto whole = what_if(options);
  if (!whole) FAIL(describe(whole.error()));
  options.since = whole->from;
  const auto from_its_begin = what_if(options);
  if (!from_its_begin) FAIL(describe(from_its_begin.error()));
  CHECK(from_its_begin->from == whole->from);
  CHECK(from_its_begin->happened.flips == whole->happened.flips);
  // Its agents reported no shapes, and the answer says so.
  CHECK(whole->shapes.with_shapes_ms == 0);
  CHECK_THAT(what_if_text(*whole), Catch::Contains("no shapes of work are recorded"));
  options.since = whole->from + -1;
  const auto before = what_if(options);
  REQUIRE_FALSE(before);
  CHECK(before.error().message == "history goes back to " + format_utc(whole->from) + " only");
}

TEST_CASE("an estimate says that it is one, and what it assumes") {
  const Recorded recorded("5m");
  WhatIfSettings settings;
  settings.reclaim_delay_ms = 60'000;
  const WhatIfAnswer answer = recorded.ask(settings);
  const Json json = what_if_json(answer);
  CHECK(json["estimate"] == true);
  CHECK(json["settings"] == Json{"reclaim_delay = 1m"});
  CHECK(json["assumed"].size() == 6);
  CHECK(json["shapes"]["waited_s"] > 0);
  CHECK(json["shapes"]["with_shapes_s"] == json["shapes"]["waited_s"]);
  CHECK(json["shapes"]["with_idle_elsewhere_s"] == 0);
  REQUIRE(json["runs"].size() == 3);
  CHECK(json["runs"][0]["name"] == "happened");
  const std::string text = what_if_text(answer);
  CHECK_THAT(text, Catch::StartsWith("An estimate: what if reclaim_delay = 1m."));
  CHECK_THAT(text, Catch::Contains("Assumed:") && Catch::Contains("--run-time"));
}

TEST_CASE("its picture is SVG that stands alone, with a line a run in each panel") {
  const Recorded recorded("5m");
  pugi::xml_document document;
  REQUIRE(document.load_string(what_if_plot(recorded.ask()).c_str()));
  const pugi::xml_node svg = document.child("svg");
  REQUIRE(svg);
  CHECK(svg.find_child_by_attribute("text", "class", "title"));
  int lines_drawn = 0;
  for (const pugi::xml_node path : svg.children("path")) {
    lines_drawn += std::string(path.attribute("d").value()).size() > 1000 ? 1 : 0;
  }
  CHECK(lines_drawn == 9);
  CHECK_FALSE(svg.child("script"));
}
