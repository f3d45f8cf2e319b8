// The settings are read beside the loop.
#include "agent/io/settings_reader.hpp"

#include <pthread.h>

#include <catch2/catch.hpp>
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

}  // namespace
}  // namespace leasehold::agent
