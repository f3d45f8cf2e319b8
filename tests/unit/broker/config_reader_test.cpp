// The configuration is read beside the loop, one reading after the other.
#include "broker/daemon/aside/config_reader.hpp"

#include <poll.h>

#include <catch2/catch.hpp>

#include "tests/unit/broker/gate.hpp"
#include "tests/unit/broker/leading_site.hpp"

using namespace leasehold;
using leasehold::leading::TestClock;

namespace {

Result<ConfigRead> read_by(const std::string& by) {
  return ConfigRead{{BrokerConfig{}, {}, by}, nullptr};
}

/// Readings that end when the gate lets them.
struct Gated {
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  TestClock clock;
  ConfigReader reader{[gate = gate](const std::string& by, Instant) {
                        gate->pass();
                        return read_by(by);
                      },
                      ConfigReader::Where::own_thread, clock};

  std::string by(uint64_t ticket) {
    std::optional<Result<ConfigRead>> read;
    gate->wait_until([&] { return (read = reader.take(ticket)).has_value(); });
    return *read ? (*read)->loaded.by : (*read).error().message;
  }
};

}  // namespace

TEST_CASE("a reading on a thread is there once it has ended, and is given once") {
  Gated gated;
  const uint64_t first = gated.reader.begin("ann", Instant{1});
  const uint64_t second = gated.reader.begin("bob", Instant{1});
  CHECK(second > first);
  CHECK_FALSE(gated.reader.take(first));
  gated.gate->let_through(2);
  CHECK(gated.by(second) == "bob");
  CHECK(gated.by(first) == "ann");
  CHECK_FALSE(gated.reader.take(first)->has_value());
}

TEST_CASE("a file system that answers nothing: whoever waits is told so after five seconds") {
  Gated gated;
  const uint64_t ticket = gated.reader.begin("ann", Instant{1});
  gated.gate->wait_until([&] { return gated.gate->waiting() == 1; });
  CHECK(gated.reader.next_late_ms() == gated.clock.now_ms + ConfigReader::kLateMs);
  gated.clock.now_ms += ConfigReader::kLateMs - 1;
  CHECK_FALSE(gated.reader.take(ticket));
  CHECK_FALSE(gated.reader.is_stuck());
  gated.clock.now_ms += 1;
  const auto late = gated.reader.take(ticket);
  REQUIRE(late);
  REQUIRE_FALSE(late->has_value());
  CHECK(late->error().code == ErrorCode::refused);
  CHECK_THAT(late->error().message, Catch::Contains("does not answer"));
  CHECK(gated.reader.is_stuck());
  CHECK(gated.reader.next_late_ms() == INT64_MAX);
  gated.gate->let_through(1);
  gated.gate->wait_until([&] { return !gated.reader.is_stuck(); });
}

TEST_CASE("who asks again and again does not hide that a file system answers nothing") {
  Gated gated;
  uint64_t ticket = gated.reader.begin("first", Instant{1});
  gated.gate->wait_until([&] { return gated.gate->waiting() == 1; });
  for (int i = 0; i < 4; ++i) {
    CHECK_FALSE(gated.reader.is_stuck());
    gated.clock.now_ms += ConfigReader::kLateMs / 4;
    gated.reader.drop(ticket);
    ticket = gated.reader.begin("again", Instant{1});
  }
  CHECK(gated.reader.is_stuck());
  gated.gate->let_through(1'000);
  gated.gate->wait_until([&] { return !gated.reader.is_stuck(); });
}

TEST_CASE("a reader goes although its thread still reads, and says until when that is so") {
  auto gated = std::make_unique<Gated>();
  const std::shared_ptr<Gate> gate = gated->gate;
  gated->reader.begin("ann", Instant{1});
  gate->wait_until([&] { return gate->waiting() == 1; });
  const int before = ConfigReader::left_reading();  // of other tests
  gated.reset();
  CHECK(ConfigReader::left_reading() > 0);
  gate->let_through(1);
  gate->wait_until([&] { return ConfigReader::left_reading() <= before; });
  CHECK(gate->passed() == 1);
}

TEST_CASE("a thread that reads nothing outlived its reader") {
  auto gated = std::make_unique<Gated>();
  std::weak_ptr<Gate> gate = gated->gate;
  gated->gate->let_through(1);
  CHECK(gated->by(gated->reader.begin("ann", Instant{1})) == "ann");
  gated.reset();
  CHECK(gate.expired());  // the thread has let go of all it used
}

TEST_CASE("what nobody waits for any more is not read, or not kept") {
  Gated gated;
  const uint64_t read = gated.reader.begin("ann", Instant{1});
  gated.gate->wait_until([&] { return gated.gate->waiting() == 1; });
  const uint64_t queued = gated.reader.begin("bob", Instant{1});
  gated.reader.drop(read);
  gated.reader.drop(queued);
  // The reading that is under way may still show that the file system does not answer.
  CHECK(gated.reader.next_late_ms() == gated.clock.now_ms + ConfigReader::kLateMs);
  const uint64_t last = gated.reader.begin("cis", Instant{1});
  gated.gate->let_through(2);
  CHECK(gated.by(last) == "cis");
  CHECK(gated.gate->passed() == 2);
}

TEST_CASE("readings that nobody comes for any more made the loop spin and were kept for good") {
  Gated gated;
  const uint64_t left = gated.reader.begin("ann", Instant{1});
  gated.gate->wait_until([&] { return gated.gate->waiting() == 1; });
  gated.reader.begin("bob", Instant{1});
  gated.clock.now_ms += ConfigReader::kLateMs;
  CHECK(gated.reader.is_stuck());
  CHECK(gated.reader.next_late_ms() == INT64_MAX);
  for (int turn = 0; turn < 4; ++turn) {
    gated.reader.acknowledge();
    gated.clock.now_ms += ConfigReader::kLateMs - 1;
  }
  gated.reader.acknowledge();
  gated.gate->let_through(1);  // bob's is not read any more
  gated.gate->wait_until([&] { return !gated.reader.is_stuck(); });
  bool was_read = true;
  CHECK_FALSE(gated.reader.take(left, &was_read)->has_value());
  CHECK_FALSE(was_read);
  CHECK(gated.gate->passed() == 1);
}

TEST_CASE("a process that stood still took a file that was read for one that was not") {
  Gated gated;
  const uint64_t ticket = gated.reader.begin("ann", Instant{1});
  gated.reader.acknowledge();
  gated.gate->let_through(1);
  gated.gate->wait_until([&] {
    pollfd ended{gated.reader.fd(), POLLIN, 0};
    return ::poll(&ended, 1, 0) == 1;
  });
  gated.clock.now_ms += 10 * ConfigReader::kGivenUpMs;
  gated.reader.acknowledge();
  CHECK(gated.by(ticket) == "ann");
}

TEST_CASE("in a loop in virtual time a reading is over when it begins") {
  const TestClock clock;
  ConfigReader reader([](const std::string& by, Instant) { return read_by(by); },
                      ConfigReader::Where::in_call, clock);
  CHECK((*reader.take(reader.begin("ann", Instant{1})))->loaded.by == "ann");
  CHECK(reader.next_late_ms() == INT64_MAX);
}
