// While the configuration is being read the loop does everything but what needs the file.
#include <nlohmann/json.hpp>

#include "tests/unit/broker/gate.hpp"
#include "tests/unit/broker/leading_site.hpp"

using namespace leasehold;
using namespace leasehold::leading;

namespace {

/// A broker on a file system whose every reading waits for the gate, but for the first one.
struct SlowFile {
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  leading::Site site{ConfigReader::Where::own_thread};

  SlowFile() {
    site.file->reading = [gate = gate](const std::string&) { gate->pass(); };
  }
  ~SlowFile() { gate->let_through(1'000); }

  void ask(const std::string& peer, bool apply) {
    Json request{{"leasehold", 1}, {"command", "reload"}};
    if (apply) request["apply"] = true;
    const std::string text = request.dump();
    site.operators.in.push_back({peer, Bytes(text.begin(), text.end())});
  }
  /// Takes one turn in which no time passes, however long a thread takes.
  void turn() {
    if (site.broker->leads()) {
      site.broker->take_turn(false);
    } else {
      site.broker->stand_by_turn(false);
    }
  }
  std::vector<std::pair<std::string, std::string>> answers() {
    turn();
    return std::exchange(site.operators.out, {});
  }
  std::vector<std::pair<std::string, std::string>> answers_once_there(size_t count) {
    std::vector<std::pair<std::string, std::string>> all;
    gate->wait_until([&] {
      for (auto& each : answers()) all.push_back(std::move(each));
      return all.size() >= count;
    });
    return all;
  }
};

}  // namespace

TEST_CASE("a disk that stood still kept a broker from hearing anybody while it reloaded") {
  SlowFile slow;
  slow.ask("ann", false);
  CHECK(slow.answers().empty());
  slow.site.greet();
  slow.site.put(beat(11));
  CHECK(slow.site.turn().size() == 1);  // agents' messages are read and answered
  CHECK(slow.site.operators.out.empty());
  slow.gate->let_through(1);
  const auto answers = slow.answers_once_there(1);
  CHECK(answers[0].first == "ann");
  CHECK_THAT(answers[0].second, Catch::Contains("\"ok\":true"));
}

TEST_CASE("reloads that wait for a file system are refused after a while, and are few of a peer") {
  SlowFile slow;
  slow.ask("ann", true);
  slow.ask("ann", true);
  slow.ask("ann", true);
  const auto one_too_many = slow.answers();
  REQUIRE(one_too_many.size() == 1);
  CHECK_THAT(one_too_many[0].second, Catch::Contains("too many reloads wait"));
  slow.gate->wait_until([&] { return slow.gate->waiting() == 1; });
  slow.site.clock.now_ms += ConfigReader::kLateMs;
  const auto late = slow.answers();
  REQUIRE(late.size() == 2);
  CHECK_THAT(late[0].second, Catch::Contains("does not answer"));
  slow.turn();
  CHECK(slow.site.bulletin->read().leader_view.configuration_stuck);
}

TEST_CASE("a signal that came while the file was read is not lost: the file is read once more") {
  SlowFile slow;
  slow.site.broker->take_turn(true);
  slow.gate->wait_until([&] { return slow.gate->waiting() == 1; });
  slow.site.broker->take_turn(true);
  slow.gate->let_through(2);
  const int64_t before = slow.site.database.events;
  slow.gate->wait_until([&] {
    slow.turn();
    return slow.site.database.events > before;
  });
  CHECK(slow.gate->passed() == 2);
}

TEST_CASE("a take-over put a file in force that was read before a signal came") {
  SlowFile slow;
  slow.site.broker->step_down("hub-a");
  slow.site.database.may_lead = true;
  slow.site.clock.now_ms += 10'000;
  slow.turn();
  slow.gate->wait_until([&] { return slow.gate->waiting() == 1; });
  slow.site.broker->stand_by_turn(true);
  slow.gate->let_through(1);
  slow.gate->wait_until([&] { return slow.gate->passed() == 1 && slow.gate->waiting() == 1; });
  slow.turn();  // the first reading has ended
  CHECK_FALSE(slow.site.broker->leads());
  slow.gate->let_through(1'000);
  slow.gate->wait_until([&] {
    slow.turn();
    return slow.site.broker->leads();
  });
}

TEST_CASE("a standby takes over by a file that was read since it may lead, and not before") {
  SlowFile slow;
  slow.site.broker->step_down("hub-a");
  slow.site.database.may_lead = true;
  slow.site.clock.now_ms += 10'000;
  slow.turn();
  CHECK_FALSE(slow.site.broker->leads());  // its file system does not answer
  slow.gate->let_through(1'000);
  slow.gate->wait_until([&] {
    slow.turn();
    return slow.site.broker->leads();
  });
}

TEST_CASE("reloads that wait for the file are refused by a broker that leads no more") {
  SlowFile slow;
  slow.ask("ann", true);
  slow.ask("bob", true);
  CHECK(slow.answers().empty());
  slow.site.broker->step_down("hub-a");
  const auto answers = slow.answers();
  REQUIRE(answers.size() == 2);
  for (const auto& [peer, answer] : answers) CHECK_THAT(answer, Catch::Contains("\"ok\":false"));
}
