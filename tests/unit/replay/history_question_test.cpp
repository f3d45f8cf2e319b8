// Questions about the history by cluster and by kind, as leasectl and the page ask them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/replay/lookup.hpp"
#include "broker/views/request/branch.hpp"
#include "broker/views/request/request_json.hpp"
#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// A recorded lease of east and west that flipped some times.
struct Recorded {
  TempDir dir;
  std::string database = dir.file("leasehold.db");

  Recorded() {
    RecordedSite site(database);
    site.begin();
    site.flip_to_and_fro(4);
  }
  Result<Json> ask(Json request, std::shared_ptr<const Branch> branch = nullptr) const {
    request["command"] = "history";
    Request asked = read_request(request, Instant{0}).request;
    asked.branch = std::move(branch);
    return look_up(database, asked);
  }
  Json rows(Json request) const {
    const Result<Json> found = ask(std::move(request));
    INFO((found ? "" : describe(found.error())));
    REQUIRE(found.has_value());
    return *found;
  }
};

}  // namespace

TEST_CASE("history by kind has rows of that kind alone, by a pattern or by its name") {
  const Recorded recorded;
  const Json all = recorded.rows({});
  for (const char* pattern : {"transfer-done", "transfer-*", "*"}) {
    INFO(pattern);
    size_t expected = 0;
    for (const Json& row : all) {
      const std::string kind = row["kind"];
      expected += pattern[0] == '*' || kind == pattern ||
                  (std::string(pattern) == "transfer-*" && kind.starts_with("transfer-"));
    }
    CHECK(expected > 0);
    CHECK(recorded.rows({{"kind", pattern}}).size() == expected);
  }
}

TEST_CASE("history by cluster has the rows that show it: spoken of, giver, taker or consumer") {
  const Recorded recorded;
  size_t expected = 0;
  for (const Json& row : recorded.rows({})) {
    expected += row["cluster"] == "west" || row["from"] == "west" || row["to"] == "west" ||
                row["lease"] == "pool:west";
  }
  REQUIRE(expected > 0);
  CHECK(recorded.rows({{"cluster", "west"}}).size() == expected);
  CHECK(recorded.rows({{"cluster", "we*"}}).size() == expected);
}

TEST_CASE("history by a cluster or a kind that there is not says which there is") {
  const Recorded recorded;
  const Result<Json> cluster = recorded.ask({{"cluster", "wets"}});
  REQUIRE_FALSE(cluster);
  CHECK_THAT(describe(cluster.error()), Catch::Contains("did you mean 'west'?"));
  const Result<Json> kind = recorded.ask({{"kind", "transfer-dnoe"}});
  REQUIRE_FALSE(kind);
  CHECK_THAT(describe(kind.error()), Catch::Contains("did you mean 'transfer-done'?"));
  CHECK(recorded.rows({{"cluster", "x*"}}).empty());
}

TEST_CASE("history by cluster told an operator of a branch which cluster another branch has") {
  const Recorded recorded;
  const auto branch = std::make_shared<const Branch>(load(*reader(recorded.database)), "/A");
  const Result<Json> other = recorded.ask({{"cluster", "west"}}, branch);
  const Result<Json> unknown = recorded.ask({{"cluster", "no-such"}}, branch);
  REQUIRE(other.has_value());
  REQUIRE(unknown.has_value());
  CHECK(*other == *unknown);
}
