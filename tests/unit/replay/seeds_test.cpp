// Runs with several seeds: drawn workloads, means with confidence intervals, differences.
#include "broker/lab/simulate/outcome/seeds.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "broker/lab/simulate/outcome/confidence.hpp"
#include "broker/lab/simulate/scenario/resample.hpp"
#include "broker/lab/simulate/simulate.hpp"
#include "tests/unit/replay/scenario_folder.hpp"

using namespace leasehold;

namespace {

constexpr int64_t kDayMs = 86'400'000;

Scenario two_clusters(double load) {
  Scenario scenario;
  scenario.clusters.push_back({"east", 8, "", load});
  scenario.clusters.push_back({"west", 8, "", load});
  return scenario;
}

/// Records `days` days; the width of a job is the number of its day.
Arrivals recorded_jobs(int days, double load) {
  Arrivals arrivals;
  for (uint32_t cluster = 0; cluster < 2; ++cluster) {
    arrivals.jobs.emplace_back();
    for (int day = 0; day < days; ++day) {
      for (int hour = 0; hour < 24; ++hour) {
        const auto ms =
            static_cast<int64_t>(static_cast<double>(day * 24 + hour) * 3'600'000 / load);
        arrivals.jobs.back().push_back(
            {arrivals.jobs.back().size(), {ms}, 1000 + hour, day + 1, cluster});
      }
    }
    arrivals.total += days * 24;
  }
  return arrivals;
}

std::vector<RuleOutcome> run_with_waits(double isolated_s, double pooled_s) {
  std::vector<RuleOutcome> run(2);
  run[0].rule = simulation_rule("isolated");
  run[0].wait_mean_s = isolated_s;
  run[1].rule = simulation_rule("pooled");
  run[1].wait_mean_s = pooled_s;
  for (RuleOutcome& outcome : run) outcome.clusters = {{"east", 1, outcome.wait_mean_s * 2, 0}};
  return run;
}

const std::string kCluster = "[[cluster]]\nname = \"a\"\nslots = 4\ntrace = \"a.swf\"\n";

}  // namespace

TEST_CASE("a confidence interval is Student's t times the standard error") {
  CHECK(student_t_975(1) == Approx(12.7062).margin(1e-4));
  CHECK(student_t_975(9) == Approx(2.262157).margin(1e-6));
  CHECK(student_t_975(30) == Approx(2.042272).margin(1e-6));
  CHECK(student_t_975(31) == Approx(2.039513).margin(1e-5));
  CHECK(student_t_975(60) == Approx(2.000298).margin(1e-5));
  CHECK(student_t_975(120) == Approx(1.979930).margin(1e-5));
  const double values[] = {1, 2, 3, 4, 5};
  const Confidence found = confidence_95(values);
  CHECK(found.mean == Approx(3));
  CHECK(found.half_width == Approx(2.776445 * std::sqrt(2.5 / 5)));
}

TEST_CASE("a seed draws whole days anew, and jobs keep their place in a day") {
  const double load = GENERATE(1.0, 2.0);
  CAPTURE(load);
  const Scenario scenario = two_clusters(load);
  const Arrivals base = recorded_jobs(7, load);
  const auto day_ms = static_cast<int64_t>(static_cast<double>(kDayMs) / load);
  std::set<int> drawn;
  bool twice = false;
  bool alike = true;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Result<Arrivals> other = resampled(scenario, base, seed);
    REQUIRE(other);
    const std::vector<Job>& jobs = other->jobs[0];
    REQUIRE(jobs.size() == 7 * 24);
    CHECK(other->total == 2 * 7 * 24);
    std::map<int, int> days;
    for (size_t i = 0; i < jobs.size(); ++i) {
      CHECK(jobs[i].id == i);
      CHECK(jobs[i].arrival.ms == base.jobs[0][i].arrival.ms);  // every hour, on every day
      CHECK(jobs[i].run_ms == base.jobs[0][i].run_ms);          // the hour of the day
      CHECK(jobs[i].width == jobs[i / 24 * 24].width);          // a day is one recorded day
      CHECK(jobs[i].arrival.ms / day_ms == static_cast<int64_t>(i / 24));
      ++days[jobs[i].width];
    }
    for (const auto& [day, hours] : days) {
      drawn.insert(day);
      twice = twice || hours > 24;
    }
    for (size_t i = 0; i < jobs.size(); ++i) {
      alike = alike && jobs[i].width == other->jobs[1][i].width;
    }
  }
  CHECK(drawn.size() == 7);
  CHECK(twice);
  CHECK_FALSE(alike);  // clusters draw independently
  CHECK(resampled(scenario, base, 5)->jobs == resampled(scenario, base, 5)->jobs);
  CHECK(resampled(scenario, base, 5)->jobs != resampled(scenario, base, 6)->jobs);
}

TEST_CASE("a difference between rules is taken seed by seed") {
  const SeedRuns runs{run_with_waits(100, 90), run_with_waits(200, 190), run_with_waits(300, 290)};
  const auto answer = nlohmann::json::parse(seeds_json(runs, kDayMs));
  CHECK(answer["seeds"] == 3);
  CHECK(answer["rules"][0]["wait_mean_s"]["mean"] == 200);
  CHECK(answer["rules"][0]["wait_mean_s"]["half_width"].get<double>() ==
        Approx(4.302653 * 100 / std::sqrt(3)));
  REQUIRE(answer["differences"].size() == 1);
  const auto& difference = answer["differences"][0];
  CHECK(difference["rule"] == "pooled");
  CHECK(difference["less"] == "isolated");
  CHECK(difference["wait_mean_s"]["mean"] == -10);
  CHECK(difference["wait_mean_s"]["half_width"] == 0);
  CHECK(difference["clusters"][0]["wait_mean_s"]["mean"] == -20);
  CHECK(answer["runs"][2]["seed"] == 3);
  CHECK(answer["runs"][2]["outcomes"][1]["wait_mean_s"] == 290);
  CHECK_THAT(seeds_table(runs, kDayMs), Catch::Contains("pooled - isolated  -10.0s ± 0.0s"));
}

TEST_CASE("seeds are of the scenario or of the command, which comes first") {
  const Folder folder;
  folder.write("a.swf", lines(3, 0, 100, 3) + lines(2, 7000, 100, 1) + lines(2, 11000, 10, 2));
  const std::string path = folder.write(
      "s.toml", "[simulation]\ncompare = [\"pooled\"]\nseeds = 3\nblock = \"1h\"\n" + kCluster);
  const Result<Simulation> three = simulate_all({path, {}, {}});
  REQUIRE(three);
  CHECK(three->seeded);
  CHECK(three->runs.size() == 3);
  SimulateOptions options{path, {}, {}};
  options.seeds = 5;
  const Result<Simulation> five = simulate_all(options);
  REQUIRE(five);
  CHECK(five->runs.size() == 5);
  CHECK(simulate_json(five->runs[2]) == simulate_json(three->runs[2]));
}

TEST_CASE("mistakes about seeds say what would be right") {
  const Folder folder;
  folder.write("a.swf", lines(3, 0, 100, 1) + lines(3, 36000, 100, 1));
  const auto error = [&](const std::string& keys, const std::optional<std::string>& database) {
    const std::string path =
        folder.write("s.toml", "[simulation]\ncompare = [\"idle-comparison\"]\n" + keys + kCluster);
    const auto answer = simulate_all({path, database, {}});
    REQUIRE_FALSE(answer);
    CHECK(exit_code(answer.error().code) == 2);
    return describe(answer.error());
  };
  CHECK_THAT(
      error("seeds = 4\n", {}),
      Catch::Contains("s.toml: seeds: the trace of cluster 'a' has jobs from 10h, which is a "
                      "single block of 1d; shorter blocks, as block = \"1h\""));
  CHECK_THAT(error("seeds = 1\n", {}), Catch::Contains("s.toml:3"));
  CHECK_THAT(error("seeds = 2\nblock = \"0s\"\n", {}), Catch::Contains("s.toml:4"));
  CHECK_THAT(error("seeds = 2\nblock = \"1h\"\n", (folder.path / "x.db").string()),
             Catch::Contains("one for each seed"));
  CHECK_FALSE(std::filesystem::exists(folder.path / "x.db"));
}
