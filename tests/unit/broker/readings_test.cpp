// Several wait for a reading of the configuration: these tests say which of them gets which.
#include "broker/daemon/aside/readings.hpp"

#include <poll.h>

#include <catch2/catch.hpp>

#include "tests/unit/broker/gate.hpp"
#include "tests/unit/broker/leading_site.hpp"

using namespace leasehold;
using leasehold::leading::TestClock;

namespace {

/// Readings that end when the gate lets them.
struct Gated {
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  TestClock clock;
  Readings readings{[gate = gate](const std::string& by, Instant) -> Result<ConfigRead> {
                      gate->pass();
                      return ConfigRead{{BrokerConfig{}, {}, by}, nullptr};
                    },
                    ConfigReader::Where::own_thread, clock};

  /// Lets one reading through, and waits until it has ended: until its result can be had.
  void let_one_end() {
    gate->let_through(1);
    pollfd ended{readings.fd(), POLLIN, 0};
    while (poll(&ended, 1, -1) != 1) continue;
    readings.begin_turn();
  }
  /// Waits until `ask` has a result.
  template <class Ask>
  std::string by(const Ask& ask) {
    Readings::Found found;
    gate->wait_until([&] { return (found = ask()).has_value(); });
    return *found ? (*found)->loaded.by : found->error().message;
  }
};

}  // namespace

TEST_CASE("an operator's reload put a file in force that was older than what SIGHUP had brought") {
  Gated gated;
  uint64_t hers = 0;
  CHECK_FALSE(gated.readings.read_for(hers, "ann", Instant{1}));
  gated.readings.ask_by_signal(Instant{1});
  gated.gate->let_through(2);
  CHECK(gated.by([&] { return gated.readings.by_signal(Instant{1}); }) == "SIGHUP");
  CHECK_FALSE(gated.readings.read_for(hers, "ann", Instant{1}));  // it is read once more
  gated.gate->let_through(1);
  CHECK(gated.by([&] { return gated.readings.read_for(hers, "ann", Instant{1}); }) == "ann");
  CHECK(gated.gate->passed() == 3);
}

TEST_CASE("a reading that is late makes no other one old") {
  Gated gated;
  uint64_t first = 0;
  uint64_t second = 0;
  CHECK_FALSE(gated.readings.read_for(first, "ann", Instant{1}));
  gated.gate->wait_until([&] { return gated.gate->waiting() == 1; });
  gated.clock.now_ms += ConfigReader::kLateMs - 1;
  CHECK_FALSE(gated.readings.read_for(second, "bob", Instant{1}));
  gated.clock.now_ms += 1;
  CHECK_FALSE((*gated.readings.read_for(first, "ann", Instant{1})).has_value());
  gated.gate->let_through(2);
  CHECK(gated.by([&] { return gated.readings.read_for(second, "bob", Instant{1}); }) == "bob");
  CHECK(gated.gate->passed() == 2);
}

TEST_CASE("signals that came in each turn postponed a take-over without end") {
  Gated gated;
  Readings::Found found = gated.readings.to_lead(Instant{1});
  for (int turn = 1; turn <= 10 && !found; ++turn) {
    gated.readings.ask_by_signal(Instant{1});
    gated.readings.by_signal(Instant{1});
    found = gated.readings.to_lead(Instant{1});
    if (found) break;  // then perhaps no reading waits at the gate
    gated.let_one_end();
  }
  CHECK(found.has_value());
  gated.gate->let_through(1'000);
}

TEST_CASE("signals that came in each turn kept a reload by an earlier one off without end") {
  Gated gated;
  Readings::Found found;
  gated.readings.ask_by_signal(Instant{1});
  for (int turn = 1; turn <= 10 && !found; ++turn) {
    gated.readings.ask_by_signal(Instant{1});
    found = gated.readings.by_signal(Instant{1});
    if (found) break;
    gated.let_one_end();
  }
  CHECK(found.has_value());
  gated.gate->let_through(1'000);  // the file of the last signal is read, too
  CHECK(gated.by([&] { return gated.readings.by_signal(Instant{1}); }) == "SIGHUP");
}

TEST_CASE("a take-over takes the newest file that was read, be it for a signal") {
  Gated gated;
  CHECK_FALSE(gated.readings.to_lead(Instant{1}));
  gated.gate->wait_until([&] { return gated.gate->waiting() == 1; });
  for (int signals = 0; signals < 2; ++signals) {
    gated.readings.ask_by_signal(Instant{1});
    CHECK_FALSE(gated.readings.to_lead(Instant{1}));
  }
  gated.gate->let_through(3);
  CHECK(gated.by([&] { return gated.readings.by_signal(Instant{1}); }) == "SIGHUP");
  CHECK(gated.gate->passed() == 3);
  const Readings::Found found = gated.readings.to_lead(Instant{1});
  REQUIRE(found.has_value());
  CHECK((*found)->loaded.by == "SIGHUP");
}

TEST_CASE("a take-over failed for a reading that was given up while looks were late") {
  Gated gated;
  CHECK_FALSE(gated.readings.to_lead(Instant{1}));
  gated.gate->wait_until([&] { return gated.gate->waiting() == 1; });
  for (int64_t passed_ms = 0; passed_ms <= ConfigReader::kGivenUpMs; passed_ms += 1'000) {
    gated.readings.begin_turn();
    gated.clock.now_ms += 1'000;
  }
  gated.readings.begin_turn();
  gated.gate->let_through(2);
  CHECK(gated.by([&] { return gated.readings.to_lead(Instant{1}); }) == "start");
  CHECK(gated.gate->passed() == 2);
}
