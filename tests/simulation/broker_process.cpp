#include "tests/simulation/broker_process.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "broker/config/windows.hpp"
#include "broker/store/sqlite/store.hpp"

namespace leasehold::simulation {

namespace {

constexpr int64_t kRetryMs = 1'000;         // as broker/daemon/broker.cpp
constexpr int64_t kRestartMs = 3'000;       // the supervisor's
constexpr int64_t kLongestWaitMs = 60'000;  // as Broker::wait

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

class BrokerProcess::OperatorEnd : public Exchange {
 public:
  explicit OperatorEnd(std::deque<Frame>& requests) : requests_(requests) {}
  bool receive_into(Frame& frame) override {
    if (requests_.empty()) return false;
    frame = std::move(requests_.front());
    requests_.pop_front();
    return true;
  }
  bool send(const std::string&, std::span<const uint8_t>) override { return true; }

 private:
  std::deque<Frame>& requests_;
};

/// The agents' end of a broker of several.
class BrokerProcess::AgentsEnd : public BrokerEnd {
 public:
  AgentsEnd(Network& network, BrokerProcess& process) : BrokerEnd(network), process_(process) {}
  bool receive_into(Frame& frame) override {
    process_.at(Moment::receives);
    return BrokerEnd::receive_into(frame);
  }
  bool send(const std::string& peer, std::span<const uint8_t> bytes) override {
    process_.around_.several.sends(bytes);
    return BrokerEnd::send(peer, bytes);
  }

 private:
  BrokerProcess& process_;
};

BrokerProcess::BrokerProcess(Surroundings around, std::string folder, Chance chance)
    : around_(std::move(around)),
      folder_(std::move(folder)),
      chance_(chance),
      clock_(around_.time),
      disk_(folder_, chance_.next()),
      line_{around_.time, around_.several.server, [this] { at(Moment::on_the_way); }} {
  around_.network.broker_has_mail = [this] { plan_wake(around_.time.now_ms()); };
}

BrokerProcess::~BrokerProcess() {
  if (broker_) kill(test::DiskCrash::keep_written);
}

BrokerParts BrokerProcess::parts() {
  BrokerParts parts;
  parts.read_configuration = [this](const std::string& by, Instant now) -> Result<ConfigRead> {
    return ConfigRead{{around_.config, resolve_windows(around_.config, now), by}, nullptr};
  };
  parts.resolve = [](const BrokerConfig& config, Instant now) {
    return std::optional<ResolvedWindows>(resolve_windows(config, now));
  };
  parts.check_inventory = [](const BrokerConfig&, const State&) { return InventoryFindings{}; };
  parts.open_store = [this]() -> Result<BrokerParts::Opened> {
    auto store = SqliteStore::open(database(), OpenMode::broker);
    if (!store) return tl::unexpected(store.error());
    auto state = (*store)->load();
    if (!state) return tl::unexpected(state.error());
    BrokerParts::Opened opened;
    opened.database_older = (*store)->database_older();
    opened.state = std::move(*state);
    opened.store = std::move(*store);
    return opened;
  };
  parts.reached = [this](const char* place, std::span<const Record> batch) {
    reached(place, batch);
  };
  parts.time = &clock_;
  if (of_several()) join_several(parts);
  return parts;
}

/// Does the same as broker/daemon/leadership/on_server.cpp.
void BrokerProcess::join_several(BrokerParts& parts) {
  const LeaderFacts& facts = around_.several.facts;
  parts.self.name = facts.holder;
  parts.self.endpoint = facts.endpoints;
  parts.candidate = std::make_shared<ServerCandidate>(line_, clock_, facts, reign_, last_commit_);
  parts.open_store = [this, candidate = parts.candidate]() -> Result<BrokerParts::Opened> {
    auto store = candidate->take_over();
    if (!store) return tl::unexpected(store.error());
    auto state = (*store)->load();
    if (!state) return tl::unexpected(state.error());
    BrokerParts::Opened opened;
    opened.database_older = (*store)->database_older();
    opened.warm = around_.several.fenced && (*store)->loses_nothing();
    around_.faults.warm_take_overs += opened.warm ? 1 : 0;
    opened.state = std::move(*state);
    opened.store = std::move(*store);
    return opened;
  };
}

/// Lets the world go on while the turn is stopped here; the process may be killed meanwhile.
void BrokerProcess::at(Moment where) {
  if (!in_turn_ || stands_for_ms_ == 0 || where != stands_at_) return;
  around_.faults.note(Fault::broker_stands_in_turn);
  around_.several.passes(std::exchange(stands_for_ms_, 0));
  if (killed_within_) throw Killed{};
}

void BrokerProcess::stand_at(Moment where, int64_t for_ms) {
  stands_at_ = where;
  stands_for_ms_ = for_ms;
}

void BrokerProcess::reached(const char* place, std::span<const Record> batch) {
  const bool before = std::strcmp(place, "before-commit") == 0;
  if (before) around_.recorded(batch);
  if (batch.empty()) return;
  at(before ? Moment::before_commit : Moment::after_commit);
  if (before && kill_at_ == KillAt::before_commit) throw Killed{};
  if (std::strcmp(place, "after-commit") == 0 && kill_at_ == KillAt::after_commit) throw Killed{};
}

void BrokerProcess::start() {
  if (broker_) return;
  ++starts_;
  kill_at_ = KillAt::nowhere;
  paused_until_ms_ = 0;
  around_.network.broker_restarted();
  around_.network.broker_is_there = true;
  std::unique_ptr<Exchange> agents = std::make_unique<AgentsEnd>(around_.network, *this);
  if (!of_several()) agents = std::make_unique<BrokerEnd>(around_.network);
  auto started = Broker::start(parts(), AgentPort(std::move(agents)),
                               OperatorPort(std::make_unique<OperatorEnd>(requests_), Lookups{}));
  if (disk_.halted()) {
    if (started) broker_ = std::move(*started);
    return kill(test::DiskCrash::torn), start_again(kRestartMs);
  }
  if (!started) return start_again(kRestartMs);
  broker_ = std::move(*started);
  serving_ = broker_->leads();
  plan_wake(around_.time.now_ms());
  around_.stepped();
}

void BrokerProcess::start_again(int64_t after_ms) {
  const uint64_t plan = ++plan_;
  planned_ms_ = INT64_MAX;
  around_.time.in(after_ms, [this, plan] {
    if (plan == plan_) start();
  });
}

void BrokerProcess::kill(test::DiskCrash how) {
  if (in_turn_) {  // it is stopped within a turn
    killed_within_ = true;
    return;
  }
  ++plan_;
  planned_ms_ = INT64_MAX;
  disk_.crash(how);
  broker_.reset();
  serving_ = false;
  around_.network.broker_is_there = !of_several();
  requests_.clear();
}

void BrokerProcess::terminate(int64_t for_ms) {
  if (!broker_ || in_turn_) return;
  run([this] {
    if (broker_->leads() && broker_->take_turn(false)) broker_->retire();
    serving_ = broker_->leads();
  });
  if (broker_) kill(test::DiskCrash::keep_written);
  start_again(for_ms);
}

void BrokerProcess::pause(int64_t for_ms) {
  paused_until_ms_ = std::max(paused_until_ms_, around_.time.now_ms() + for_ms);
  planned_ms_ = INT64_MAX;
  plan_wake(paused_until_ms_);
}

void BrokerProcess::reload() {
  reload_asked_ = true;
  plan_wake(around_.time.now_ms());
}

void BrokerProcess::request(const std::string& json) {
  requests_.push_back({"ctl", Bytes(json.begin(), json.end())});
  plan_wake(around_.time.now_ms());
}

/// Plans a turn at `soonest_ms`, unless an earlier one is planned.
void BrokerProcess::plan_wake(int64_t soonest_ms) {
  if (!broker_) return;
  const int64_t at_ms = std::max({soonest_ms, paused_until_ms_, around_.time.now_ms()});
  if (at_ms >= planned_ms_) return;
  planned_ms_ = at_ms;
  const uint64_t plan = ++plan_;
  around_.time.at(at_ms, [this, plan] {
    if (plan != plan_) return;
    planned_ms_ = INT64_MAX;
    if (!in_turn_) run([this] { turn(); });
  });
}

void BrokerProcess::turn() {
  if (of_several()) return turn_of_several();
  if (!serving_) {
    serving_ = broker_->reopen().has_value();
  } else {
    serving_ = broker_->take_turn(std::exchange(reload_asked_, false));
  }
}

void BrokerProcess::turn_of_several() {
  const bool reload = std::exchange(reload_asked_, false);
  serving_ = broker_->leads() ? broker_->take_turn(reload) : broker_->stand_by_turn(reload);
}

void BrokerProcess::run(const std::function<void()>& what) {
  in_turn_ = true;
  try {
    what();
    in_turn_ = false;
  } catch (const Killed&) {
    in_turn_ = false;
    if (!std::exchange(killed_within_, false)) {
      around_.faults.note(kill_at_ == KillAt::before_commit ? Fault::broker_killed_before_commit
                                                            : Fault::broker_killed_after_commit);
    }
    kill(test::DiskCrash::keep_written);
    start_again(chance_.between(10, 60'000));
  }
  if (broker_ && disk_.halted()) {
    around_.faults.note(Fault::broker_killed_in_write);
    kill(chance_.one_in(2) ? test::DiskCrash::torn : test::DiskCrash::scattered);
    start_again(chance_.between(10, 60'000));
  }
  plan_next();
  around_.stepped();
}

void BrokerProcess::plan_next() {
  if (!broker_) return;
  if (serving_) {
    const int64_t waits_ms = std::min(broker_->next_turn() - broker_->now(), kLongestWaitMs);
    plan_wake(clock_.real_ms_at(clock_.boottime_ms() + std::max<int64_t>(waits_ms, 1)));
    if (!around_.network.broker_inbox().empty()) plan_wake(around_.time.now_ms() + 1);
  } else if (of_several()) {
    const int64_t now_ms = clock_.boottime_ms();
    const int64_t look_ms = std::clamp(broker_->next_look_ms(), now_ms + 1, now_ms + kRetryMs);
    plan_wake(clock_.real_ms_at(look_ms));
  } else {
    plan_wake(around_.time.now_ms() + kRetryMs);
  }
}

void BrokerProcess::keep_copy() {
  // The copy is made like `leasectl backup`, or like a copy of the folder with its log while the
  // broker runs.
  copy_ = disk_.snapshot();
  copy_of_commit_file_ = read_file(database() + ".commit");
}

void BrokerProcess::lose_database() {
  disk_.remove_all();
  std::filesystem::remove(database() + ".commit");
  copy_.reset();
}

bool BrokerProcess::put_copy_back(bool with_commit_file) {
  if (!copy_) return false;
  disk_.restore(*copy_);
  if (with_commit_file) {
    std::ofstream(database() + ".commit", std::ios::binary) << copy_of_commit_file_;
  }
  return true;
}

}  // namespace leasehold::simulation
