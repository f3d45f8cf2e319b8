// Unknown words are reported, bounded, and those left out are counted.
#include "agent/workload/support/unknown_words.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace leasehold::agent;

namespace {

std::vector<std::string> cautions_of(const UnknownWords& words) {
  std::vector<std::string> cautions;
  words.add_to(cautions);
  return cautions;
}

}  // namespace

TEST_CASE("300,000 things that are not understood cost no more than 100, and are counted") {
  UnknownWords words;
  words.begin();
  for (int job = 0; job < 300'000; ++job) {
    words.see("job " + std::to_string(job) + " is in the state 'X'");
  }
  words.see("job 7 is in the state 'X'");
  words.see(std::string());
  std::vector<std::string> cautions = cautions_of(words);
  REQUIRE(cautions.size() == UnknownWords::kKeptMost + 1);
  CHECK(cautions.back() == "299900 more things are not understood and not shown");
  words.begin();
  words.see("job 299999 is in the state 'X'");
  CHECK(cautions_of(words) == std::vector<std::string>{"job 299999 is in the state 'X'"});
}

TEST_CASE("However much is not understood, what does not work is told") {
  UnknownWords words;
  for (size_t job = 0; job <= UnknownWords::kKeptMost; ++job) words.see(std::to_string(job));
  words.see("only jobs that run are looked at");
  const std::vector<std::string> cautions = cautions_of(words);
  CHECK(std::find(cautions.begin(), cautions.end(), "only jobs that run are looked at") !=
        cautions.end());
}
