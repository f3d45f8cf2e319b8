// The settings are read beside the loop.
#include "agent/io/settings_reader.hpp"

#include <pthread.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <semaphore>
#include <thread>

namespace leasehold::agent {
namespace {

/// No thread can be made while this lives: its stack would be larger than the address space.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&usual_);
    pthread_attr_t none;
    pthread_attr_init(&none);
    pthread_attr_setstacksize(&none, size_t{1} << 48);
    pthread_setattr_default_np(&none);
    pthread_attr_destroy(&none);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  ~NoThreads() {
    pthread_setattr_default_np(&usual_);
    pthread_attr_destroy(&usual_);
  }

 private:
  pthread_attr_t usual_{};
};

Result<SettingsRead> taken(SettingsReader& reader) {
  while (true) {
    if (auto read = reader.take()) return *std::move(read);
    std::this_thread::yield();
  }
}

/// Readings that end when they are let through, and how many have begun.
struct Held {
  std::counting_semaphore<> through{0};
  std::atomic<int> begun = 0;

  static SettingsReader::Read read(const std::shared_ptr<Held>& held) {
    return [held]() -> Result<SettingsRead> {
      ++held->begun;
      held->through.acquire();
      return SettingsRead{};
    };
  }
  void wait_for(int readings) const {
    while (begun < readings) std::this_thread::yield();
  }
};

TEST_CASE("a SIGHUP ended an agent that could make no thread") {
  SettingsReader reader([] { return SettingsRead{}; });
  {
    const NoThreads none;
    reader.begin(1);
  }
  CHECK_FALSE(reader.is_late(1 + SettingsReader::kLateMs));
  const auto refused = reader.take();
  REQUIRE(refused);
  REQUIRE_FALSE(refused->has_value());
  CHECK_THAT(refused->error().message, Catch::Contains("no thread"));
  reader.begin(2);
  CHECK(taken(reader).has_value());
}

TEST_CASE("a reading that had just begun was late, by the time of the one before") {
  const auto held = std::make_shared<Held>();
  SettingsReader reader(Held::read(held));
  const int64_t again_ms = SettingsReader::kLateMs - 1;
  reader.begin(0);
  held->wait_for(1);
  reader.begin(again_ms);
  CHECK(reader.is_late(SettingsReader::kLateMs));  // the first, which is still read
  held->through.release();
  held->wait_for(2);
  CHECK_FALSE(reader.is_late(SettingsReader::kLateMs));
  CHECK(reader.next_late_ms(SettingsReader::kLateMs) == again_ms + SettingsReader::kLateMs);
  CHECK(reader.is_late(again_ms + SettingsReader::kLateMs));
  CHECK(taken(reader).has_value());  // of the first: what comes next is of the second
  held->through.release();
  CHECK(taken(reader).has_value());
}

TEST_CASE("a reader goes although its thread still reads, and says until when that is so") {
  const auto held = std::make_shared<Held>();
  auto reader = std::make_unique<SettingsReader>(Held::read(held));
  reader->begin(0);
  held->wait_for(1);
  reader->begin(1);
  const int before = SettingsReader::left_reading();
  reader.reset();
  CHECK(SettingsReader::left_reading() == before + 1);
  held->through.release();
  while (SettingsReader::left_reading() > before) std::this_thread::yield();
  CHECK(held->begun == 1);  // nobody wants the second
}

TEST_CASE("a thread that reads nothing outlived its reader") {
  auto held = std::make_shared<Held>();
  const std::weak_ptr<Held> used = held;
  auto reader = std::make_unique<SettingsReader>(Held::read(held));
  held->through.release(2);
  for (int i = 0; i < 2; ++i) {
    reader->begin(0);
    CHECK(taken(*reader).has_value());
  }
  held.reset();
  reader.reset();
  CHECK(used.expired());
  CHECK(SettingsReader::left_reading() == 0);
}

}  // namespace
}  // namespace leasehold::agent
