// The slots that clusters held and used over a simulated run, and the picture of it.
#include "broker/lab/simulate/outcome/course.hpp"

#include <catch2/catch.hpp>
#include <pugixml.hpp>

#include "broker/lab/simulate/outcome/picture.hpp"
#include "broker/lab/simulate/simulate.hpp"
#include "tests/unit/replay/scenario_folder.hpp"

using namespace leasehold;

namespace {

std::string scenario(const std::string& taker) {
  return R"([simulation]
compare = ["isolated", "idle-comparison", "pooled"]
reclaim_delay = "300s"
transfer_time = "100s"
[[cluster]]
name = "giver"
slots = 1
[[cluster]]
name = ")" +
         taker + R"("
slots = 1
trace = "taker.swf"
[[export_policy]]
name = "pool"
provider = "giver"
slots = 4
distribution = [{ cluster = ")" +
         taker + R"(" }]
type = "shared"
)";
}

std::vector<RuleOutcome> outcomes(const std::string& taker, bool course) {
  const Folder folder;
  folder.write("taker.swf", lines(6, 0, 1000, 1));
  auto answer = simulate({folder.write("s.toml", scenario(taker)), {}, {}, course});
  REQUIRE(answer);
  return *answer;
}

/// Returns the slot-seconds of a cluster over all stretches.
double sum(const Course& course, uint32_t cluster, double (Course::*mean)(uint32_t, size_t) const) {
  double slots = 0;
  for (size_t i = 0; i < course.stretches(); ++i) slots += (course.*mean)(cluster, i);
  return slots * static_cast<double>(course.stretch_ms()) / 1000;
}

size_t count(const pugi::xml_node& svg, const char* element, const std::string& style) {
  size_t found = 0;
  for (const pugi::xml_node node : svg.children(element)) {
    found += node.attribute("class").value() == style ? 1 : 0;
  }
  return found;
}

}  // namespace

TEST_CASE("a course keeps the slot-seconds of a run, however long it is") {
  for (const int64_t hours : {1, 24, 24 * 365}) {
    Course course(2, Instant{-500});
    const int64_t end_ms = hours * 3'600'000;
    course.at(0, Instant{-500}, {4, 1});
    course.at(0, Instant{end_ms / 2}, {2, 2});
    course.finish(Instant{end_ms});
    CAPTURE(hours);
    CHECK(course.stretches() <= Course::kStretchesMax);
    CHECK(course.stretches() > Course::kStretchesMax / 3);
    const double half_s = static_cast<double>(end_ms) / 2000;
    CHECK(sum(course, 0, &Course::held) == Approx((half_s + 0.5) * 4 + half_s * 2));
    CHECK(sum(course, 0, &Course::used) == Approx((half_s + 0.5) * 1 + half_s * 2));
    CHECK(sum(course, 1, &Course::held) == 0);
  }
}

TEST_CASE("courses of unequal runs come to one length of stretch") {
  Course a(1, Instant{});
  Course b(1, Instant{});
  a.at(0, Instant{}, {3, 0});
  b.at(0, Instant{}, {5, 0});
  a.finish(Instant{100'000});
  b.finish(Instant{100'000'000});
  align({&a, &b});
  CHECK(a.stretch_ms() == b.stretch_ms());
  CHECK(sum(a, 0, &Course::held) == Approx(300));
  CHECK(sum(b, 0, &Course::held) == Approx(500'000));
}

// Like in simulate_test, six jobs of 1000 s have one own slot and one leased one of four; at 300 s
// they get 3 more.
TEST_CASE("a run's course is what each side held and used; slots in transfer are nobody's") {
  const std::vector<RuleOutcome> all = outcomes("taker", true);
  const Course& isolated = *all[0].course;
  CHECK(isolated.held(0, 0) == 5);
  CHECK(isolated.held(1, 0) == 1);
  CHECK(sum(isolated, 1, &Course::used) == Approx(6000));
  const Course& leased = *all[1].course;
  const auto at = [&leased](int64_t s) {
    return static_cast<size_t>(s * 1000 / leased.stretch_ms());
  };
  CHECK(leased.held(0, at(100)) == 4);
  CHECK(leased.held(1, at(100)) == 2);
  CHECK(leased.held(0, at(350)) == 1);
  CHECK(leased.held(1, at(350)) == 2);
  CHECK(leased.held(1, at(450)) == 5);
  CHECK(leased.used(1, at(450)) == 5);
  CHECK(sum(leased, 1, &Course::used) == Approx(6000));
  const Course& pooled = *all[2].course;
  CHECK(pooled.held(1, 0) == 6);
  CHECK(pooled.held(0, 0) == 0);
}

TEST_CASE("a run comes out the same with its course and without, which nobody asked for") {
  const std::vector<RuleOutcome> plain = outcomes("taker", false);
  CHECK(simulate_json(plain) == simulate_json(outcomes("taker", true)));
  CHECK_FALSE(plain.front().course);
}

TEST_CASE("the picture has bars of the waits and a line a rule for each side's slots") {
  const std::string text = simulate_plot("s.toml", {outcomes("<script>&", true)});
  pugi::xml_document document;
  REQUIRE(document.load_string(text.c_str()));
  const pugi::xml_node svg = document.child("svg");
  REQUIRE(svg);
  for (const char* each : {"0", "1", "2"}) {
    CHECK(count(svg, "rect", std::string("bar") + each) == 2 * 3);         // mean and 95 %
    CHECK(count(svg, "path", std::string("line") + each) == 2 * (2 * 2));  // and in the legends
  }
  CHECK(text.find("Slots held by &lt;script&gt;&amp;") != std::string::npos);
  CHECK(text.find(">41.7 min<") != std::string::npos);  // 2500 s isolated
  CHECK_FALSE(svg.child("script"));
}

TEST_CASE("with seeds the picture shows means and how far they may be off") {
  std::vector<RuleOutcome> first = outcomes("taker", true);
  std::vector<RuleOutcome> second = first;
  for (RuleOutcome& outcome : second) outcome.wait_mean_s *= 3;
  const std::string text = simulate_plot("s.toml", {first, second});
  pugi::xml_document document;
  REQUIRE(document.load_string(text.c_str()));
  CHECK(count(document.child("svg"), "line", "range") == 2 * 3 * 3);
  CHECK(text.find("means over 2 seeds") != std::string::npos);
  CHECK(text.find(">1.4 h<") != std::string::npos);  // of 2500 s and 7500 s
}
