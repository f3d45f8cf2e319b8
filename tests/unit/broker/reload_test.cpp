// While the configuration is being read the loop does everything but what needs the file.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/unit/broker/gate.hpp"
#include "tests/unit/broker/leading_site.hpp"

using namespace leasehold;
using namespace leasehold::leading;

namespace {

/// A broker on a file system whose every reading waits for the gate, but for the first one.
struct SlowFile {
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  leading::Site site;

  explicit SlowFile(std::shared_ptr<const Access> access = nullptr)
      : site(ConfigReader::Where::own_thread, std::move(access)) {
    site.file->reading = [gate = gate](const std::string&) { gate->pass(); };
  }
  ~SlowFile() { gate->let_through(1'000); }

  void ask(const std::string& peer, bool apply, const std::string& key = "") {
    Json request{{"leasehold", 1}, {"command", "reload"}};
    if (apply) request["apply"] = true;
    const std::string text = request.dump();
    site.operators.in.push_back({peer, Bytes(text.begin(), text.end()), key});
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

TEST_CASE("an operator with many connections took all places of reloads that wait") {
  const std::string anns(40, 'a');
  const std::string anns_next(40, 'n');
  const std::string bobs(40, 'b');
  auto access = std::make_shared<Access>();
  for (const auto& [name, keys] :
       {std::pair{"ann", std::vector{anns, anns_next}}, std::pair{"bob", std::vector{bobs}}}) {
    OperatorConfig one;
    one.name = name;
    one.public_keys = keys;
    one.role = Role::admin;
    access->operators.push_back(std::move(one));
  }
  SlowFile slow(std::move(access));
  for (int connection = 0; connection < 20; ++connection) {
    slow.ask("ann" + std::to_string(connection), false, connection % 2 == 0 ? anns : anns_next);
  }
  slow.ask("bob", false, bobs);
  const auto refused = slow.answers();
  CHECK(refused.size() == 18);
  for (const auto& [peer, answer] : refused) {
    CHECK(peer != "bob");
    CHECK_THAT(answer, Catch::Contains("too many reloads wait"));
  }
  slow.gate->let_through(1'000);  // a reading that another one has overtaken is made again
  const auto served = slow.answers_once_there(3);
  CHECK(std::ranges::count(served, "bob", [](const auto& each) { return each.first; }) == 1);
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

TEST_CASE("a take-over went by a file that was read before the database failed") {
  SlowFile slow;
  const auto passes_ms = [&](int64_t ms) {
    slow.site.clock.now_ms += ms;
    slow.turn();
  };
  slow.site.broker->step_down("hub-a");
  slow.site.database.may_lead = true;
  passes_ms(10'000);
  slow.gate->wait_until([&] { return slow.gate->waiting() == 1; });
  const bool is_late = GENERATE(false, true);  // a look that is late says nothing new
  slow.site.database.answers_looks = is_late;
  slow.site.database.looks_are_late = is_late;
  passes_ms(500);
  slow.site.database.answers_looks = true;
  slow.site.database.looks_are_late = false;
  passes_ms(500);
  slow.gate->let_through(is_late ? 1 : 2);
  slow.gate->wait_until([&] {
    slow.turn();
    return slow.site.broker->leads();
  });
  CHECK(slow.gate->passed() == (is_late ? 1 : 2));
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
