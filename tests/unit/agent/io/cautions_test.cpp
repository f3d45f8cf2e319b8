// The hello tells people what works, but not as one may think.
#include "agent/io/agent/cautions.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/agent/io/played_agent.hpp"

namespace leasehold::agent {
namespace {

constexpr int64_t kMinuteMs = 60'000;

Ids greeted(const PlayedAgent& stage) {
  return stage.last<wire::Hello>().cautions.value_or(Ids{});
}

TEST_CASE("the hello tells the cautions of the workload manager") {
  // Symptom: a risk with power saving that a site accepted, or a word that nobody understood, stood
  // in lease-agent --probe alone, and doctor had nothing.
  PlayedAgent stage({});
  CHECK(greeted(stage).empty());
  stage.floor.warns = {"RebootProgram is set", "RebootProgram is set"};
  stage.start();
  stage.greet();
  CHECK(greeted(stage) == Ids{"RebootProgram is set"});
}

TEST_CASE("cautions that change are told by another hello, seldom, and not while orders are open") {
  PlayedAgent stage({});
  stage.said.clear();
  const auto hellos = [&] {
    return std::count_if(stage.said.begin(), stage.said.end(), [](const wire::Message& message) {
      return std::holds_alternative<wire::Hello>(message);
    });
  };
  stage.floor.warns = {"a"};
  stage.pass(5 * kMinuteMs);
  CHECK(hellos() == 0);
  stage.pass(6 * kMinuteMs);
  CHECK(hellos() == 1);
  CHECK(greeted(stage) == Ids{"a"});
}

TEST_CASE("cautions are told once each, cut where they are long, and counted where they are many") {
  const std::string longest(5'000, 'x');
  CHECK(reported_cautions({"a", "b", "a"}) == Ids{"a", "b"});
  const Ids cut = reported_cautions({longest, "two\nlines"});
  CHECK(cut.front().size() <= kCautionColumnsMost + 3);
  CHECK(cut.back() == "two\\u000alines");
  Ids many;
  for (int i = 0; i < 40; ++i) many.push_back("caution " + std::to_string(i));
  const Ids reported = reported_cautions(many);
  REQUIRE(reported.size() == kCautionsMost);
  CHECK(reported.back() == "25 more: lease-agent --probe shows all of them");
}

}  // namespace
}  // namespace leasehold::agent
