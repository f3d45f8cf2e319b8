// The thread that keeps the tables: commits wake it, and it reaches the log's end before it ends.
#include "broker/follow/follower.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "tests/unit/follow/followed.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// The limit is long, because a machine may be busy.
bool becomes(const std::function<bool()>& so) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < until) {
    if (so()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

bool follows(const Followed& at, const SqliteStore& store) {
  try {
    return number_of(at.file, "SELECT batch FROM follows") == store.commit_number();
  } catch (const SQLite::Exception&) {
    return false;  // not made yet
  }
}

Follower::Options fast(const Followed& at) {
  Follower::Options options;
  options.log = at.log;
  options.file = state_file_of(options.log);
  options.least_free_bytes = 0;
  options.interval_ms = 5;
  options.look_ms = 20;
  return options;
}

}  // namespace

TEST_CASE("that tables fail is news once, and so is that they follow again") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  std::filesystem::create_directory(at.file);
  Follower::Options options = fast(at);
  options.news_ms = 0;
  Follower follower(options);
  std::optional<std::string> news;
  REQUIRE(becomes([&] { return (news = follower.take_news()).has_value(); }));
  CHECK_THAT(*news, Catch::Contains(at.file));
  CHECK_FALSE(follower.take_news());
  std::filesystem::remove(at.file);
  REQUIRE(becomes([&] { return (news = follower.take_news()).has_value(); }));
  CHECK(news->empty());
  CHECK_FALSE(follower.take_news());
}

TEST_CASE("news of tables that come and go wait for their time") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  std::filesystem::create_directory(at.file);
  Follower::Options options = fast(at);
  options.news_ms = 1'000'000'000;
  Follower follower(options);
  REQUIRE(becomes([&] { return follower.take_news().has_value(); }));
  std::filesystem::remove(at.file);
  REQUIRE(becomes([&] { return follows(at, *recorded.store); }));
  CHECK_FALSE(follower.take_news());
}

TEST_CASE("tables are kept while commits come, and are at the log's end when all ends") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  {
    Follower follower(fast(at));
    CHECK(becomes([&] { return follows(at, *recorded.store); }));
    for (int i = 0; i < 3; ++i) {
      recorded.flip_to_and_fro(2);
      follower.committed();
      CHECK(becomes([&] { return follows(at, *recorded.store); }));
    }
    recorded.flip_to_and_fro(2);  // without a call of committed()
  }
  require_same(at.file, at.log, recorded.site.state);
}

TEST_CASE("tables come back when they are deleted though nothing is committed") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  Follower follower(fast(at));
  CHECK(becomes([&] { return follows(at, *recorded.store); }));
  const auto before = identity_of(at.file);
  std::filesystem::rename(at.file, at.file + ".away");
  CHECK(becomes([&] { return follows(at, *recorded.store); }));
  CHECK(identity_of(at.file) != before);
}

TEST_CASE("a follower that cannot write ends as soon as it is told to") {
  const Followed at;
  RecordedSite recorded(at.log);
  recorded.begin();
  Follower::Options options = fast(at);
  options.least_free_bytes = INT64_MAX;
  { Follower follower(options); }
  CHECK_FALSE(std::filesystem::exists(at.file));
}
