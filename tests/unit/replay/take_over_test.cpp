// A take-over in the log: replay decides it again, and readers follow it.
#include <catch2/catch.hpp>

#include "broker/replay/verify.hpp"
#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("a warm take-over is decided again from the log, and followed without deciding") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path);
  recorded.begin();
  recorded.flip_to_and_fro(1);
  SECTION("with slots asked for and not given") {
    recorded.busy("east", 0);
    recorded.site.now = recorded.site.now + 600'000;
    recorded.site.step(Tick{});
    REQUIRE(recorded.site.phase("pool:west") == "inactive");
    recorded.commit();
  }
  SECTION("again and again, with a cold one between") {
    recorded.take_over_warm();
    recorded.restart();
    recorded.connect();
  }
  SECTION("over times that were due while nobody led") {
    recorded.site.now = recorded.site.now + 5 * 600'000 + 7;
  }
  recorded.take_over_warm();
  REQUIRE_FALSE(recorded.site.group("pool:west").quarantined);
  const auto following = reader(path);
  const State followed = load(*following);
  REQUIRE_FALSE(followed.slot_groups[0].quarantined);
  CHECK(followed.slot_groups[0].transfers.size() ==
        recorded.site.group("pool:west").transfers.size());
  recorded.connect();
  recorded.flip_to_and_fro(2);
  const auto report = verify(*reader(path));
  REQUIRE(report.has_value());
  INFO((report->ok() ? "" : describe(*report->difference)));
  CHECK(report->ok());
}
