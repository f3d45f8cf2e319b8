// The shapes of its work that a site's own program may tell, and which of them are refused.
#include <catch2/catch.hpp>

#include "tests/unit/agent/workload/command/site.hpp"

namespace leasehold::agent {
namespace {

using test::kView;
using test::Site;

/// kView with these shapes.
std::string with_shapes(const std::string& waiting, const std::string& running) {
  std::string text = kView;
  text.pop_back();
  return text + R"(,"shapes":{"now_ms":1700000009000,"waiting":[)" + waiting + R"(],"running":[)" +
         running + "]}}";
}

TEST_CASE("shapes are taken as they are told; without them what is pending says it all") {
  Site site;
  CHECK_FALSE(site.read()->shapes);
  site.answers["read"] = with_shapes(
      R"({"slots":3,"slots_per_host":1,"hosts":3,"limit_s":300,"submitted_ms":1700000000000,
          "host_types":["X86_64"]},{"jobs":1,"slots":1})",
      R"({"id":"7","slots":3,"started_ms":5,"until_ms":9},{"id":"8","slots":1,"started_ms":6})");
  const Result<View> view = site.read();
  REQUIRE(view);
  REQUIRE(view->shapes);
  CHECK(view->shapes->now.ms == 1'700'000'009'000);
  CHECK(view->shapes->waiting ==
        std::vector<WaitingWork>{
            {1, 3, 3, wire::TimeClass::minutes_5, Instant{1'700'000'000'000}, {"X86_64"}},
            {1, 1, 1}});
  CHECK(view->shapes->running ==
        std::vector<RunningWork>{{"7", 3, Instant{5}, Instant{9}}, {"8", 1, Instant{6}, kNever}});
  site.answers["read"] = with_shapes(R"({"jobs":2,"slots":2,"slots_per_host":2})", "");
  CHECK(site.read()->shapes->waiting[0].jobs == 2);
  site.answers["read"] = with_shapes(R"({"slots":3,"on_imported":false},{"slots":1})",
                                     R"({"id":"7","slots":3,"started_ms":5,"on_imported":false})");
  CHECK_FALSE(site.read()->shapes->waiting[0].on_imported);
  CHECK(site.read()->shapes->waiting[1].on_imported);
  CHECK_FALSE(site.read()->shapes->running[0].on_imported);
}

TEST_CASE("a site's program may say that a host is reserved, and until when") {
  const auto view_with = [](const std::string& horizon) {
    Site site;
    std::string& view = site.answers["read"];
    view.replace(view.find(R"("type":"LINUX64")"), 0, R"("horizon":)" + horizon + ",");
    return site.read();
  };
  const Result<View> view = view_with(R"({"name":"maint","from_ms":5,"until_ms":9})");
  REQUIRE(view);
  CHECK(view->hosts[0].horizon == wire::Horizon{"maint", 5, 9});
  CHECK_FALSE(view_with(R"({"name":"maint","from_ms":9,"until_ms":5})"));
  CHECK_FALSE(view_with(R"({"name":"","from_ms":5,"until_ms":9})"));
  CHECK_FALSE(view_with(R"({"name":")" + std::string(257, 'm') + R"(","from_ms":5,"until_ms":9})"));
  CHECK_FALSE(view_with(R"({"name":"maint","from_ms":5})"));
}

TEST_CASE("work that takes hosts whole is taken as told, and may count with more than it wants") {
  Site site;
  site.answers["read"] = with_shapes(R"({"slots":1,"whole":true},{"slots":1,"whole":false})", "");
  const Result<View> view = site.read();  // where 4 are pending
  REQUIRE(view);
  CHECK(view->shapes->waiting[0].whole);
  CHECK_FALSE(view->shapes->waiting[1].whole);
  site.answers["read"] = with_shapes(R"({"slots":5,"whole":true})", "");
  CHECK_FALSE(site.read());
  site.answers["read"] = with_shapes(R"({"slots":4,"whole":1})", "");
  CHECK_FALSE(site.read());
}

TEST_CASE("shapes that contradict themselves are refused with the view, by their place") {
  struct Shapes {
    const char* waiting;
    const char* running;
    const char* said;
  };
  const Shapes rows[] = {
      {R"({"slots":3})", "", "shapes.waiting: wants 3 slots, but 'pending' is 4"},
      {R"({"jobs":4,"slots":0})", "", "shapes.waiting[0].slots: is 0"},
      {R"({"jobs":0,"slots":4})", "", "shapes.waiting[0].jobs: is 0"},
      {R"({"slots":4,"slots_per_host":2,"hosts":3})", "",
       "shapes.waiting[0].slots: is 4, less than 'slots_per_host' on each of 'hosts'"},
      {R"({"slots":4,"limit_s":0})", "", "shapes.waiting[0].limit_s: is 0"},
      {R"({"slots":4,"limit":"1h"})", "", "shapes.waiting[0].\"limit\": is not known"},
      {R"({"slots":4,"submitted_ms":-1})", "", "shapes.waiting[0].submitted_ms: is -1"},
      {R"({"slots":4,"host_types":["a","b","c","d","e"]})", "", "host_types: at most 4 types"},
      {R"({"slots":4,"host_types":[""]})", "", "host_types: at most 4 types of 1 to 64 bytes"},
      {R"({"slots":4})", R"({"id":"7","slots":1})", "shapes.running[0].started_ms: is missing"},
      {R"({"slots":4})", R"({"id":"7","slots":1,"started_ms":5,"until_ms":4})",
       "shapes.running[0].until_ms: is before 'started_ms'"},
      {R"({"slots":4})",
       R"({"id":"7","slots":1,"started_ms":5},{"id":"7","slots":1,"started_ms":5})",
       "shapes.running[1].id: '7' is there twice"}};
  for (const Shapes& row : rows) {
    INFO(row.said);
    Site site;
    site.answers["read"] = with_shapes(row.waiting, row.running);
    const Result<View> view = site.read();
    REQUIRE_FALSE(view);
    CHECK(view.error().message.find(row.said) != std::string::npos);
  }
}

}  // namespace
}  // namespace leasehold::agent
