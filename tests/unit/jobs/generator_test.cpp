#include "common/jobs/generator.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace leasehold;

namespace {

std::vector<Job> jobs(const GeneratorOptions& options, int count) {
  JobGenerator generator(options);
  std::vector<Job> out;
  for (int i = 0; i < count; ++i) out.push_back(generator.next());
  return out;
}

/// Returns the percentage of the slots that the work arriving in [from, to) would keep busy.
int64_t offered_percent(const GeneratorOptions& options, int64_t from, int64_t to) {
  JobGenerator generator(options);
  int64_t work = 0;
  for (Job job = generator.next(); job.arrival.ms < to; job = generator.next()) {
    if (job.arrival.ms >= from) work += job.run_ms * job.width;
  }
  return work * 100 / (options.slots * (to - from));
}

constexpr int64_t kHour = 3'600'000;

GeneratorOptions options_of(Shape shape) {
  return {.shape = shape,
          .slots = 64,
          .busy_ppm = 600'000,
          .period_ms = 24 * kHour,
          .width_min = 1,
          .width_max = 8,
          .run_ms = 60'000,
          .seed = 3};
}

}  // namespace

TEST_CASE("the same seed gives the same jobs, another seed others") {
  for (const Shape shape : {Shape::constant, Shape::wave, Shape::bursts}) {
    GeneratorOptions options = options_of(shape);
    const auto first = jobs(options, 1000);
    CHECK(first == jobs(options, 1000));
    options.seed = 4;
    CHECK(first != jobs(options, 1000));
  }
}

TEST_CASE("the first jobs of seed 1 are these, on every machine") {
  const auto first = jobs({.shape = Shape::wave, .slots = 8, .width_max = 4, .run_ms = 1000}, 3);
  CHECK(first[0] == Job{0, {0}, 1246, 3, 0});
  CHECK(first[1].width >= 1);
  CHECK(first == jobs({.shape = Shape::wave, .slots = 8, .width_max = 4, .run_ms = 1000}, 3));
}

TEST_CASE("arrivals never go back, widths and run times stay in their ranges") {
  for (const Shape shape : {Shape::constant, Shape::wave, Shape::bursts}) {
    int64_t last = 0;
    bool narrowest = false;
    bool widest = false;
    for (const Job& job : jobs(options_of(shape), 20'000)) {
      REQUIRE(job.arrival.ms >= last);
      REQUIRE(job.width >= 1);
      REQUIRE(job.width <= 8);
      REQUIRE(job.run_ms >= 30'000);
      REQUIRE(job.run_ms <= 90'000);
      narrowest = narrowest || job.width == 1;
      widest = widest || job.width == 8;
      last = job.arrival.ms;
    }
    CHECK(narrowest);
    CHECK(widest);
  }
}

TEST_CASE("a constant stream keeps its share busy at all times") {
  const GeneratorOptions options = options_of(Shape::constant);
  for (int64_t hour = 0; hour < 48; ++hour) {
    CHECK(offered_percent(options, hour * kHour, (hour + 1) * kHour) == Approx(60).margin(2));
  }
}

TEST_CASE("a wave rises to twice its mean at half the period and falls again") {
  const GeneratorOptions options = options_of(Shape::wave);
  CHECK(offered_percent(options, 0, 24 * kHour) == Approx(60).margin(1));
  CHECK(offered_percent(options, 0, 2 * kHour) == Approx(10).margin(2));
  CHECK(offered_percent(options, 11 * kHour, 13 * kHour) == Approx(115).margin(2));
  CHECK(offered_percent(options, 22 * kHour, 24 * kHour) == Approx(10).margin(2));
  CHECK(offered_percent(options, 35 * kHour, 37 * kHour) == Approx(115).margin(2));
}

TEST_CASE("bursts bring the work of a period in its first tenth") {
  const GeneratorOptions options = options_of(Shape::bursts);
  const int64_t tenth = 24 * kHour / 10;
  CHECK(offered_percent(options, 0, tenth) == Approx(600).margin(5));
  CHECK(offered_percent(options, tenth + 1000, 24 * kHour) == 0);
}

TEST_CASE("a phase begins inside the period") {
  GeneratorOptions options = options_of(Shape::wave);
  options.phase_ms = 12 * kHour;
  CHECK(offered_percent(options, 0, kHour) == Approx(115).margin(3));
  CHECK(offered_percent(options, 11 * kHour, 13 * kHour) == Approx(5).margin(2));
  options.shape = Shape::bursts;
  CHECK(jobs(options, 1)[0].arrival.ms == 12 * kHour);
}

TEST_CASE("options that make no sense are refused with what would be right") {
  const auto refused = [](auto change) {
    GeneratorOptions options = options_of(Shape::wave);
    change(options);
    const Status status = check(options);
    return status ? std::string("accepted") : status.error().message;
  };
  CHECK(refused([](auto&) {}) == "accepted");
  CHECK_THAT(refused([](auto& o) { o.busy_ppm = 0; }), Catch::Contains("busy must be above 0"));
  CHECK_THAT(refused([](auto& o) { o.width_max = 65; }), Catch::Contains("64 slots"));
  CHECK_THAT(refused([](auto& o) { o.width_min = 0; }), Catch::Contains("widths must be"));
  CHECK_THAT(refused([](auto& o) { o.run_ms = 0; }), Catch::Contains("run_time"));
  CHECK_THAT(refused([](auto& o) { o.period_ms = 0; }), Catch::Contains("period"));
  CHECK_THAT(refused([](auto& o) { o.phase_ms = o.period_ms; }), Catch::Contains("phase"));
  CHECK_THAT(refused([](auto& o) { o.slots = 0; }), Catch::Contains("slots"));
  CHECK_FALSE(from_token<Shape>("waves"));
  CHECK(from_token<Shape>("bursts") == Shape::bursts);
}
