// A broker that leads where several may, in virtual time, with a database and agents of the test's
// own.
#pragma once

#include <atomic>

#include "broker/daemon/broker.hpp"
#include "tests/unit/broker/port_fixture.hpp"

namespace leasehold::leading {

using namespace port_fixture;

class TestClock : public TimeSource {
 public:
  int64_t boottime_ms() const override { return now_ms; }
  Instant wall_time() const override { return {1'795'000'000'000 + now_ms}; }
  int64_t now_ms = 50'000;
};

/// A database and its leader, as one of several brokers sees them.
struct Database {
  bool may_lead = true;
  bool takes_commits = true;
  int64_t epoch = 0;
  int64_t highest_seen = 0;  // the highest epoch that agents have seen
  int64_t events = 0;
  int64_t until_ms = INT64_MAX;
  int64_t next_renewal_ms = INT64_MAX;
  int renewals = 0;
  bool warm = false;  // the next take-over is warm
  bool led = false;   // another broker leads
  bool answers_looks = true;
  bool looks_are_late = false;
  std::vector<bool> starts;  // BrokerStarted::warm of each
  std::string successor;     // named by the last step-down
  std::optional<ClockDifference> ahead_of_server = {};
  std::function<void()> stepping_down;  // called within that commit
  State kept;                           // the state that the log has
};

class TestStore : public Store {
 public:
  explicit TestStore(Database& database) : database_(database) {}
  Result<State> load() override { return database_.kept; }
  void append(const Event& event, Instant, std::span<const Record>, const State&) override {
    ++database_.events;
    const auto* started = std::get_if<BrokerStarted>(&event);
    if (started != nullptr) database_.starts.push_back(started->warm);
  }
  Status commit(State&) override { return outcome(); }
  int64_t last_event() const override { return database_.events; }
  Leads leads() const override { return {database_.epoch, 77, 5'000}; }
  int64_t leads_until_ms() const override { return database_.until_ms; }
  int64_t next_renewal_ms() const override { return database_.next_renewal_ms; }
  Status renew() override {
    ++database_.renewals;
    return outcome();
  }
  Status step_down(const std::string& successor) override {
    database_.successor = successor;
    if (database_.stepping_down) database_.stepping_down();
    return outcome();
  }

 private:
  Status outcome() const {
    return database_.takes_commits ? Status{} : fail(ErrorCode::io, "the server is gone");
  }
  Database& database_;
};

class TestCandidate : public Candidate {
 public:
  explicit TestCandidate(Database& database) : database_(database) {}
  Result<Candidacy> look() override {
    Candidacy seen{database_.may_lead, "hub-a",          "tcp://a:7441",
                   database_.epoch,    database_.events, database_.led};
    seen.ahead_of_server = database_.ahead_of_server;
    seen.is_old = database_.looks_are_late;
    if (!database_.answers_looks) return fail(ErrorCode::io, "the server is gone");
    return seen;
  }
  Result<std::unique_ptr<Store>> take_over() override {
    database_.epoch = std::max(database_.epoch, database_.highest_seen) + 1;
    return std::unique_ptr<Store>(std::make_unique<TestStore>(database_));
  }
  void saw_epoch(int64_t epoch, uint64_t) override {
    database_.highest_seen = std::max(database_.highest_seen, epoch);
  }
  void stepped_down() override { database_.may_lead = false; }

 private:
  Database& database_;
};

class TestRoll : public Roll {
 public:
  void tell(RollRow mine) override { written = std::move(mine); }
  std::shared_ptr<const RollSeen> seen() const override { return others; }
  std::optional<RollRow> written;
  std::shared_ptr<RollSeen> others = std::make_shared<RollSeen>();
};

/// Requests of operators that a test puts in, and the texts of the answers.
struct Texts {
  std::deque<Frame> in;
  std::vector<std::pair<std::string, std::string>> out;
};

class TextExchange : public Exchange {
 public:
  explicit TextExchange(Texts& texts) : texts_(texts) {}
  bool receive_into(Frame& frame) override {
    if (texts_.in.empty()) return false;
    frame = texts_.in.front();
    texts_.in.pop_front();
    return true;
  }
  bool send(const std::string& peer, std::span<const uint8_t> bytes) override {
    texts_.out.emplace_back(peer, std::string(bytes.begin(), bytes.end()));
    return true;
  }

 private:
  Texts& texts_;
};

struct Site {
  explicit Site(ConfigReader::Where reads = ConfigReader::Where::in_call,
                std::shared_ptr<const Access> access = nullptr, bool alone = false) {
    file->access = std::move(access);
    BrokerParts parts;
    parts.reads = reads;
    if (!alone) parts.candidate = candidate;
    if (!alone) parts.roll = roll;
    parts.time = &clock;
    parts.self.name = "hub-b";
    parts.bulletin = bulletin;
    parts.read_configuration = [file = file](const std::string& by, Instant) -> Result<ConfigRead> {
      if (file->reading) file->reading(by);
      if (!file->is_good) return fail(ErrorCode::io, "the file is gone");
      return ConfigRead{{config_with(kEast), {}, by}, file->access};
    };
    parts.resolve = [](const BrokerConfig&, Instant) { return std::nullopt; };
    parts.check_inventory = [](const BrokerConfig&, const State&) { return InventoryFindings{}; };
    parts.open_store = [this]() -> Result<BrokerParts::Opened> {
      BrokerParts::Opened opened;
      opened.store = *candidate->take_over();
      opened.state = database.kept;
      opened.warm = database.warm;
      return opened;
    };
    auto started =
        Broker::start(std::move(parts), AgentPort(std::make_unique<TestExchange>(agents)),
                      OperatorPort(std::make_unique<TextExchange>(operators), Lookups{}));
    REQUIRE(started.has_value());
    broker = std::move(*started);
    REQUIRE(broker->leads());
  }

  void put(const wire::Message& message) {
    agents.in.push_back({"r", wire::encode(message), kEast});
  }
  std::vector<std::pair<std::string, wire::Message>> turn() {
    clock.now_ms += 10;
    if (broker->leads()) {
      broker->take_turn(false);
    } else {
      broker->stand_by_turn(false);
    }
    return std::exchange(agents.out, {});
  }
  /// An agent that the broker knows by session 11.
  void greet() {
    wire::Hello said = hello("east", 11);
    said.incarnation = broker->state().incarnation;
    put(said);
    REQUIRE_FALSE(turn().empty());
  }

  /// The thread of the broker's ConfigReader uses this; it may end after the site.
  struct File {
    std::atomic<bool> is_good = true;
    std::shared_ptr<const Access> access;
    std::function<void(const std::string& by)> reading;  // called while the file is being read
  };
  std::shared_ptr<File> file = std::make_shared<File>();
  Database database;
  std::shared_ptr<TestRoll> roll = std::make_shared<TestRoll>();
  std::shared_ptr<TestCandidate> candidate = std::make_shared<TestCandidate>(database);
  std::shared_ptr<Bulletin> bulletin = std::make_shared<Bulletin>();
  TestClock clock;
  Wire agents;
  Texts operators;
  std::unique_ptr<Broker> broker;
};

}  // namespace leasehold::leading
