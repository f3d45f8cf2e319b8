// LooksAside: a look at a database that answers nothing is waited for a moment at most.
#include "broker/daemon/aside/looks_aside.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>

using namespace leasehold;

namespace {

/// A candidate that answers when the test lets it.
struct Asked {
  std::mutex mutex;
  std::condition_variable changed;
  bool answers = true;
  int looks = 0;
  Result<Candidacy> candidacy = Candidacy{true, "hub-a", "tcp://a:7441", 4, 120};
  std::vector<int64_t> epochs;
  int steps_down = 0;
  std::unique_ptr<Store> store;  // for a take-over

  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return answers; });
  }
  void let(bool answer) {
    {
      const std::lock_guard lock(mutex);
      answers = answer;
    }
    changed.notify_all();
  }
};

class SlowStore : public Store {
 public:
  explicit SlowStore(Asked& asked) : asked_(asked) {}
  Result<State> load() override { return State{}; }
  void append(const Event&, Instant, std::span<const Record>, const State&) override {}
  Status commit(State&) override {
    asked_.wait();
    return {};
  }
  int64_t last_event() const override { return 121; }

 private:
  Asked& asked_;
};

class SlowCandidate : public Candidate {
 public:
  explicit SlowCandidate(Asked& asked) : asked_(asked) {}
  Result<Candidacy> look() override {
    asked_.wait();
    ++asked_.looks;
    return asked_.candidacy;
  }
  Result<std::unique_ptr<Store>> take_over() override {
    if (asked_.store) return std::move(asked_.store);
    return fail(ErrorCode::refused, "no");
  }
  void saw_epoch(int64_t epoch, uint64_t) override { asked_.epochs.push_back(epoch); }
  void stepped_down() override { ++asked_.steps_down; }

 private:
  Asked& asked_;
};

struct Site {
  Asked asked;
  LooksAside aside{std::make_unique<SlowCandidate>(asked), {"db", 1, 0}};
  ~Site() { asked.let(true); }
};

}  // namespace

TEST_CASE("a look that is answered is that of who was asked, and the take-over is, too") {
  Site site;
  const Result<Candidacy> seen = site.aside.look();
  REQUIRE(seen.has_value());
  CHECK(seen->may_lead);
  CHECK(seen->leader == "hub-a");
  CHECK(site.aside.take_over().error().message == "no");
}

// Symptom: the loop waited for a server that stands still, and answered nobody meanwhile.
TEST_CASE(
    "a look that is not answered is an error after a while, and the answer is the next one's") {
  Site site;
  REQUIRE(site.aside.look().has_value());
  site.asked.let(false);
  const Result<Candidacy> none = site.aside.look();
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == ErrorCode::io);
  CHECK(none.error().message == "the database db has not answered for more than 0s");
  site.asked.let(true);
  Result<Candidacy> seen = site.aside.look();
  while (!seen) seen = site.aside.look();
  CHECK(seen->may_lead);
  CHECK(site.asked.looks == 2);
}

TEST_CASE("until then it is what was seen before, but that nobody may lead by it") {
  Asked asked;
  LooksAside aside(std::make_unique<SlowCandidate>(asked), {"db", 1, 3'600'000});
  REQUIRE(aside.look().has_value());
  asked.let(false);
  const Result<Candidacy> seen = aside.look();
  asked.let(true);
  REQUIRE(seen.has_value());
  CHECK(seen->leader == "hub-a");
  CHECK(seen->is_old);
  CHECK_FALSE(seen->may_lead);
}

TEST_CASE("what comes while a look is under way is told before the next one") {
  Site site;
  REQUIRE(site.aside.look().has_value());
  site.asked.let(false);
  CHECK_FALSE(site.aside.look().has_value());
  site.aside.saw_epoch(0, 1);
  site.aside.saw_epoch(7, 1);
  site.aside.saw_epoch(7, 1);
  site.aside.stepped_down();
  site.asked.let(true);
  while (!site.aside.look()) continue;
  while (!site.aside.look()) continue;  // the next one, which takes both first
  CHECK(site.asked.epochs == std::vector<int64_t>{7});
  CHECK(site.asked.steps_down == 1);
}

// Symptom: a leader's loop stood still with its commit, and answered nobody until it gave the
// server up.
TEST_CASE("who waits for a commit is called once the database is said to be silent") {
  Site site;
  site.asked.store = std::make_unique<SlowStore>(site.asked);
  int calls = 0;
  site.aside.meanwhile([&](const Error& silent) {
    CHECK(silent.message == "the database db has not answered for more than 0s");
    if (++calls >= 3) site.asked.let(true);
  });
  REQUIRE(site.aside.look().has_value());
  const auto store = site.aside.take_over();
  REQUIRE(store.has_value());
  site.asked.let(false);
  State state;
  CHECK((*store)->commit(state).has_value());
  CHECK(calls >= 3);
  CHECK((*store)->last_event() == 121);
}

// Symptom: a slow disk of the broker's own was reported as a database that answers nothing.
TEST_CASE("where the broker's own file is being written, that is what is said to be slow") {
  Asked asked;
  LooksAside aside(std::make_unique<SlowCandidate>(asked),
                   {"db", 1, 0, [] { return std::string("hub.last-commit"); }});
  REQUIRE(aside.look().has_value());
  asked.let(false);
  const Result<Candidacy> none = aside.look();
  asked.let(true);
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == ErrorCode::refused);
  CHECK(none.error().message ==
        "writing hub.last-commit on this broker's own disk takes longer than 0s");
}
