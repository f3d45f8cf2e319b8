// The state that follows the log beside the event loop, from which questions are answered and bases
// are made while the store goes on.
#include "broker/follow/followed_state.hpp"

#include <catch2/catch.hpp>

#include "broker/record/state_bytes.hpp"
#include "broker/replay/verify.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/support/state_digest.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr Retention kSmall{0, 2 * 1024 * 1024};

/// Makes each base when it is asked for the `patience`-th time; 0: never.
class Beside : public BaseMaker {
 public:
  Beside(const std::string& log, int patience) : followed_(log), patience_(patience) {}
  void want(WantedBase wanted_base) override {
    expected_.clear();
    if (live != nullptr) encode_state(*live, expected_);
    wanted_ = std::move(wanted_base);
    asked_ = 0;
    ++wanted;
  }
  std::optional<MadeBase> take() override {
    if (++asked_ != patience_) return std::nullopt;
    const Status done = followed_.catch_up(wanted_.last_event);
    INFO((done ? "" : describe(done.error())));
    REQUIRE(done);
    REQUIRE(followed_.last_event() == wanted_.last_event);
    ++made;
    MadeBase base = followed_.base(wanted_.unimaged);
    std::string bytes;
    for (size_t i = 1; i < base.chunks.size(); ++i) bytes += base.chunks[i].body;
    CHECK((expected_.empty() || bytes == expected_));
    return base;
  }

  const State* live = nullptr;
  int wanted = 0;
  int made = 0;

 private:
  FollowedState followed_;
  int patience_;
  int asked_ = 0;
  WantedBase wanted_;
  std::string expected_;
};

struct Played {
  explicit Played(int patience) : maker(std::make_shared<Beside>(dir.file("broker.db"), patience)) {
    maker->live = &recorded.site.state;
    recorded.begin();
    recorded.batch = 5;
  }
  int64_t bases() {
    return recorded.store->database()
        .execAndGet("SELECT count(*) FROM base WHERE part = 0")
        .getInt64();
  }
  int64_t parts() {
    return recorded.store->database().execAndGet("SELECT count(*) FROM base").getInt64();
  }
  /// Plays until a base is begun, and not one commit more.
  void play_to_first_part() {
    struct Begun {};
    const int64_t whole = parts();
    const auto record = recorded.site.recorder;
    recorded.site.recorder = [&, record](const Event& event, std::span<const Record> records) {
      record(event, records);
      if (parts() > whole) throw Begun{};
    };
    try {
      while (true) recorded.flip_to_and_fro(2);
    } catch (const Begun&) {
      recorded.site.effects.clear();
    }
    recorded.site.recorder = record;
    REQUIRE(parts() == whole + 1);
  }
  void require_whole() {
    const auto report = verify(recorded.store->log());
    INFO((report ? "" : describe(report.error())));
    REQUIRE(report.has_value());
    INFO((report->ok() ? "" : describe(*report->difference)));
    REQUIRE(report->ok());
  }

  TempDir dir;
  std::shared_ptr<Beside> maker;
  RecordedSite recorded{dir.file("broker.db"), one_pool(2, 4), OpenMode::broker,
                        StoreOptions{kSmall, {}, {}, maker}};
};

}  // namespace

TEST_CASE("a base made beside the loop, some commits late, is that of the state at its event") {
  Played played(7);
  while (played.maker->made < 5) played.recorded.flip_to_and_fro(20);
  CHECK(played.bases() >= 4);
  CHECK(played.maker->wanted - played.maker->made <= 1);
  played.require_whole();
  played.recorded.restart();
  played.recorded.connect();
  played.recorded.flip_to_and_fro(5);
  played.require_whole();
}

TEST_CASE("a base of which a part is missing, because the broker was killed, counts as none") {
  Played played(1);
  const int64_t before = played.bases();
  played.play_to_first_part();
  CHECK(played.bases() == before);
  played.recorded.restart();
  CHECK(played.bases() == before);
  played.recorded.connect();
  played.require_whole();
  played.recorded.flip_to_and_fro(20);
  played.require_whole();
}

TEST_CASE(
    "a part of a base that a commit kept although it was reported as failed is written anew") {
  Played played(1);
  const int64_t before = played.bases();
  played.play_to_first_part();
  played.recorded.store->database().exec(
      "INSERT INTO base SELECT last_event, 0, time_ms, body, hash FROM base "
      "WHERE last_event = (SELECT max(last_event) FROM base)");
  played.recorded.flip_to_and_fro(2);
  CHECK(played.recorded.store->compaction_error().empty());
  CHECK(played.bases() == before + 1);
  played.require_whole();
}

TEST_CASE("where nobody makes the base in time the store makes it itself") {
  Played played(0);
  while (played.bases() < 3) played.recorded.flip_to_and_fro(20);
  CHECK(played.maker->wanted >= 3);
  CHECK(played.recorded.store->compaction_error().empty());
  played.require_whole();
}

TEST_CASE("the state that follows the log is the one that was committed, and no later one") {
  const TempDir dir;
  const std::string log = dir.file("broker.db");
  RecordedSite recorded(log, one_pool(2, 4), OpenMode::broker, StoreOptions{kSmall, {}, {}});
  recorded.begin();
  FollowedState followed(log);
  for (int i = 0; i < 10; ++i) {
    recorded.flip_to_and_fro(2);
    recorded.commit();
    REQUIRE(followed.catch_up());
    CHECK(followed.last_event() == recorded.store->last_event());
    CHECK(state_digest(followed.state()) == state_digest(recorded.site.state));
    const Instant time = followed.time();
    CHECK(time <= recorded.site.state.now);  // it may have found nothing to do since
    followed.let_pass(recorded.site.now + 1'000'000);
    CHECK(followed.state().grids[0].next > recorded.site.now + 1'000'000);
    CHECK(followed.time() == time);
  }
  const int64_t committed = recorded.store->last_event();
  recorded.batch = 1'000'000;
  recorded.busy("east", 0);  // not committed
  recorded.busy("west", 4);
  REQUIRE(followed.catch_up());
  CHECK(followed.last_event() == committed);
}

TEST_CASE("a log that was put back in place of the other is followed from its beginning") {
  const TempDir dir;
  const std::string log = dir.file("broker.db");
  const std::string other = dir.file("other.db");
  for (const std::string& path : {log, other}) {
    RecordedSite recorded(path, one_pool(2, 4), OpenMode::broker, StoreOptions{kSmall, {}, {}});
    recorded.begin();
    recorded.flip_to_and_fro(path == log ? 8 : 2);
    recorded.commit();
  }
  FollowedState followed(log);
  REQUIRE(followed.catch_up());
  const int64_t before = followed.last_event();
  std::filesystem::rename(other, log);
  REQUIRE(followed.catch_up());
  CHECK(followed.last_event() < before);
}
