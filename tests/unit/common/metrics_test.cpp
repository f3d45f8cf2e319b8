// Samples of metrics, and their text.
#include <catch2/catch.hpp>

#include "common/metrics/reference.hpp"
#include "common/metrics/text.hpp"

using namespace leasehold;

namespace {

enum class Fruit : uint8_t { apples, picked, time };
constexpr MetricRow kRows[] = {
    {"apples", MetricType::gauge, "apples", {"tree", "side"}, "What hangs there"},
    {"picked_total", MetricType::counter, "apples", {}, "What was picked"},
    {"time_seconds", MetricType::histogram, "seconds", {}, "How long it took", MetricScope::lease},
};

}  // namespace

TEST_CASE("samples under the same labels are one series: summed, or the greater one") {
  Samples samples(kRows);
  samples.add(Fruit::apples, 2, {"old", "south"});
  samples.add(Fruit::apples, 3, {"old", "south"});
  samples.add(Fruit::apples, 0, {"old", "north"});
  samples.at_least(Fruit::picked, 7);
  samples.at_least(Fruit::picked, 4);
  CHECK(samples.value(Fruit::apples, {"old", "south"}) == 5);
  CHECK(samples.has(Fruit::apples, {"old", "north"}));
  CHECK_FALSE(samples.has(Fruit::apples, {"new", "north"}));
  CHECK(samples.value(Fruit::picked) == 7);
}

TEST_CASE("the text names each metric once, keeps what labels hold, and leaves out what is none") {
  Samples samples(kRows);
  samples.add(Fruit::apples, 1.5, {"a\"b\\c\nd", "north"});
  samples.add(Fruit::apples, 1, {"x", "south"});
  CHECK(metrics_text(samples) ==
        "# HELP apples What hangs there\n# TYPE apples gauge\n"
        "apples{tree=\"a\\\"b\\\\c\\nd\",side=\"north\"} 1.5\n"
        "apples{tree=\"x\",side=\"south\"} 1\n");
}

TEST_CASE("a histogram is told in seconds, each bucket with all that is below it") {
  TimeHistogram times;
  times.add(50);          // the first bound is included
  times.add(51);          // the second bucket
  times.add(20'000'000);  // above all
  Samples samples(kRows);
  samples.set(Fruit::time, times);
  const std::string text = metrics_text(samples);
  INFO(text);
  CHECK(text.find("time_seconds_count 3\n") != std::string::npos);
  CHECK(text.find("time_seconds_sum 20.000101\n") != std::string::npos);
  CHECK(text.find("time_seconds_bucket{le=\"5e-05\"} 1\n") != std::string::npos);
  CHECK(text.find("time_seconds_bucket{le=\"0.0001\"} 2\n") != std::string::npos);
  CHECK(text.find("time_seconds_bucket{le=\"10\"} 2\n") != std::string::npos);
  CHECK(text.find("time_seconds_bucket{le=\"+Inf\"} 3\n") != std::string::npos);
}

TEST_CASE("the reference has a line for each metric") {
  const std::string text = metric_reference("# Fruit\n", kRows);
  CHECK(text.find("| `apples` | gauge | apples | `tree`, `side` | What hangs there |\n") !=
        std::string::npos);
  CHECK(text.find("How long it took (where there are not too many) |\n") != std::string::npos);
}
