#include "broker/rules/plan/check.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

namespace {

/// "error /A owned; warning (group) slots" and so on.
std::string text_of(const PlanFixture& scene, const std::vector<PlanFault>& faults) {
  std::string text;
  for (const PlanFault& fault : faults) {
    text += text.empty() ? "" : "; ";
    text += fault.error ? "error " : "warning ";
    text += fault.consumer == kNoIndex ? "(group)" : scene.plan.consumers[fault.consumer].path;
    text += " " + std::string(fault.key);
    CHECK_FALSE(fault.message.empty());
  }
  return text;
}

}  // namespace

namespace {
namespace refused {

struct Row {
  const char* what;
  const char* group;
  std::vector<std::string> consumers;
  const char* faults;
};
const Row kRows[] = {
    {"nothing wrong",
     "hybrid slots=30",
     {"/P owned=30", "/P/A owned=10 reserved=4", "/P/B owned=20"},
     ""},
    {"a parent that names less than its children",
     "hybrid",
     {"/P owned=29 reserved=3", "/P/A owned=10 reserved=4", "/P/B owned=20"},
     "error /P owned; error /P reserved"},
    {"by the sum of those that name none",
     "hybrid",
     {"/P owned=29", "/P/Q/A owned=10", "/P/Q/B owned=20"},
     "error /P owned"},
    {"a parent that lends",
     "ownership",
     {"/P lend_limit=3 lend_to=/P", "/P/A owned=10"},
     "error /P lend_limit; error /P lend_to"},
    {"a leaf with children, a cluster named twice",
     "hybrid",
     {"/P cluster=east", "/P/A cluster=west", "/P/B cluster=west"},
     "error /P cluster; error /P/B cluster"},
    {"a policy below the root level", "hybrid", {"/P/A policy=hybrid"}, "error /P/A policy"},
    {"share ratio with another", "hybrid", {"/P policy=share-ratio", "/Q"}, "error /P policy"},
    {"another with share ratio", "share-ratio", {"/P policy=hybrid", "/Q"}, "error /P policy"},
    {"parent enforcement with ownership",
     "hybrid share_enforcement=parent",
     {"/P policy=ownership", "/Q"},
     "error (group) share_enforcement"},
    {"even distribution with ownership, all at once",
     "ownership evenly_distribute share_enforcement=parent",
     {},
     "error (group) share_enforcement; error (group) evenly_distribute"},
    {"no consumers", "hybrid", {}, ""},
    {"a lender that owns", "ownership", {"/P owned=5 lend_limit=4"}, ""},
    {"these go with their own policies", "hybrid evenly_distribute", {"/P"}, ""},
    {"numbers out of range",
     "hybrid",
     {"/P owned=-1 limit=1000000001", "/Q rank=-2"},
     "error /P owned; error /P limit; error /Q rank"},
    {"the root-level consumers own more than there is",
     "hybrid slots=20",
     {"/P owned=15", "/Q owned=6"},
     "warning (group) slots"},
    {"or, mixed, not all of it",
     "hybrid slots=20",
     {"/P policy=ownership owned=5", "/Q owned=14"},
     "warning (group) slots"},
    {"mixed and all of it; shares own nothing",
     "hybrid slots=20",
     {"/P policy=ownership owned=5", "/Q owned=15"},
     ""},
    {"of shares it does not matter", "share-ratio slots=20", {"/P owned=50"}, ""},
    {"a lend limit where nothing is owned",
     "ownership",
     {"/P lend_limit=4"},
     "warning /P lend_limit"},
    {"more reserved than owned", "hybrid", {"/P owned=4 reserved=5"}, "warning /P reserved"},
};

}  // namespace refused
}  // namespace

TEST_CASE("a plan that contradicts itself is refused with every error at once") {
  for (const refused::Row& row : refused::kRows) {
    INFO(row.what);
    const PlanFixture scene(row.group, row.consumers);
    CHECK(text_of(scene, check_plan(scene.plan)) == row.faults);
  }
}

TEST_CASE("unknown names in lists are errors, each with its name") {
  PlanFixture scene("ownership", {"/A owned=4", "/B"});
  scene.plan.consumers[0].lend_to = ConsumerList{false, {}, {"/X", "/Y"}};
  scene.plan.consumers[1].borrow_from = ConsumerList{false, {0}, {"/Z"}};
  const std::vector<PlanFault> faults = check_plan(scene.plan);
  CHECK(text_of(scene, faults) == "error /A lend_to; error /A lend_to; error /B borrow_from");
  CHECK(faults[2].message.find("'/Z'") != std::string::npos);
}

TEST_CASE("a state that cannot be is refused") {
  const auto faults = [](PlanFixture scene, auto change) {
    change(scene);
    return text_of(scene, check_plan_state(scene.plan, scene.state));
  };
  const PlanFixture scene("ownership slots=20",
                          {"/P/A owned=5 demand=3 allocated=3", "/P/B", "/C"});
  const uint32_t a = scene.find("/P/A");
  CHECK(faults(scene, [](PlanFixture&) {}).empty());
  CHECK(faults(scene, [](PlanFixture& s) { s.state.leaves.resize(1); }).empty());
  CHECK(faults(scene, [](PlanFixture& s) { s.state.slots = -1; }) == "error (group) slots");
  CHECK(faults(scene, [](PlanFixture& s) { s.state.slots = 7; }).empty());
  CHECK(faults(scene, [](PlanFixture& s) { s.state.leaves[0].demand = 1; }) == "error /P demand");
  CHECK(faults(scene, [&](PlanFixture& s) {
          s.state.leaves[a].demand = -1;
          s.state.leaves[a].allocated = kMostSlots + 1;
          s.state.leaves[a].shared = -2;
        }) == "error /P/A demand; error /P/A allocated; error /P/A shared");
  CHECK(faults(scene, [&](PlanFixture& s) { s.state.leaves[a].shared = 4; }) ==
        "error /P/A shared");
  const auto loans = [&](std::vector<Loan> list) {
    return faults(scene, [&](PlanFixture& s) { s.state.leaves[a].borrowed = list; });
  };
  const uint32_t b = scene.find("/P/B");
  CHECK(loans({{b, 3}}).empty());
  CHECK(loans({{b, 2}, {scene.find("/C"), 2}}) == "error /P/A borrowed");
  CHECK(loans({{0, 1}}) == "error /P/A borrowed");
  CHECK(loans({{a, 1}}) == "error /P/A borrowed");
  CHECK(loans({{99, 1}}) == "error /P/A borrowed");
  CHECK(loans({{b, -1}}) == "error /P/A borrowed");
}

TEST_CASE("what is legal but unwise in use is a warning") {
  const auto warnings = [](const PlanFixture& scene) {
    return text_of(scene, check_plan_use(scene.plan, scene.state));
  };
  CHECK(warnings(PlanFixture("hybrid slots=20", {"/P/A owned=5 demand=9", "/C demand=30"})) ==
        "warning (group) rank; warning /P owned");
  CHECK(
      warnings(PlanFixture("hybrid slots=20", {"/P/A owned=5 demand=5", "/C demand=15"})).empty());
  CHECK(warnings(PlanFixture("hybrid slots=20", {"/A rank=1 demand=9", "/C demand=30"})).empty());
  CHECK(warnings(PlanFixture("hybrid slots=20", {"/C demand=30"})).empty());
  CHECK(warnings(PlanFixture("share-ratio slots=20", {"/P/A demand=9", "/C rank=1"})).empty());
}
