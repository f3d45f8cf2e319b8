#include "tests/simulation/agent_process.hpp"

#include "common/wire/codec.hpp"

namespace leasehold::simulation {

namespace {

constexpr int64_t kRestartMs = 2'000;  // before a start that failed is tried again
constexpr size_t kMailMost = 2'000;
constexpr int64_t kAgainMs = 150'000;

// These have the values of agent/io/broker/broker_turns.cpp.
constexpr int64_t kTurnMs = 1'000;
constexpr int64_t kNobodyMs = 900;
constexpr int64_t kTryLostMs = 3'000;
constexpr int64_t kTryWayMs = 10'000;

}  // namespace

AgentProcess::AgentProcess(Surroundings around, agent::AgentSettings settings, std::string folder,
                           Chance chance)
    : around_(std::move(around)),
      settings_(std::move(settings)),
      folder_(std::move(folder)),
      chance_(chance),
      clock_(around_.time),
      disk_(folder_, chance_.next()) {}

AgentProcess::~AgentProcess() {
  if (agent_) kill(test::DiskCrash::keep_written);
}

bool AgentProcess::open() {
  Result<agent::StateFile> file = agent::StateFile::open(folder_ + "agent.db");
  if (!file) return false;
  Result<agent::SavedState> saved = file->load();
  if (!saved) return false;
  settings_.identity.process += 1;
  settings_.clocks = &clock_;
  agent_ = std::make_unique<agent::Agent>(
      settings_, around_.workload, std::move(*file), std::move(*saved),
      [this](agent::Step step) {
        if (kill_at_ == step) throw Killed{};
      },
      [this](const wire::Message& message) {
        asked_ms_ = std::min(asked_ms_, clock_.boottime_ms());
        network().from_agent(line_, wire::encode(message));
      });
  return true;
}

void AgentProcess::start() {
  if (agent_) return;
  kill_at_.reset();
  mail_.clear();
  paused_until_ms_ = 0;
  database_older_ = false;
  if (!open()) {
    const uint64_t plan = ++plan_;
    around_.time.in(kRestartMs, [this, plan] {
      if (plan == plan_) start();
    });
    return;
  }
  ++starts_;
  at_ = 0;
  connect();
  if (around_.workload.note) around_.workload.note("agent starts from " + folder_);
  plan_wake();
}

void AgentProcess::kill(test::DiskCrash how) {
  ++plan_;
  ++kills_;
  if (around_.workload.note) around_.workload.note("agent of " + folder_ + " is killed");
  disk_.crash(how);
  agent_.reset();
  network().disconnect(line_);
  line_ = 0;
  kill_at_.reset();
}

void AgentProcess::pause(int64_t for_ms) {
  if (!agent_) return;
  paused_until_ms_ = std::max(paused_until_ms_, around_.time.now_ms() + for_ms);
  plan_wake();
}

void AgentProcess::reconnect() {
  if (!agent_) return;
  network().disconnect(line_);
  connect();
}

void AgentProcess::connect() {
  line_ = network().connect([this](const Bytes& bytes) { deliver(bytes); });
  leaving_ = false;
  connected_ms_ = clock_.boottime_ms();
  received_ms_ = INT64_MIN;
  asked_ms_ = INT64_MAX;
}

/// Does what Line::next_ms() does: a broker that does not lead, is silent or gone is left.
int64_t AgentProcess::next_turn_ms() {
  if (around_.networks.size() < 2) return INT64_MAX;
  const agent::Session& session = agent_->session();
  const int64_t ttl_ms = session.leader_ttl_ms();
  const int64_t since_ms = session.open() ? std::max(connected_ms_, received_ms_) : connected_ms_;
  if (leaving_) {
    return left_ < around_.networks.size() - 1 ? connected_ms_ : connected_ms_ + kTurnMs;
  }
  if (!network().broker_is_there) return since_ms + (ttl_ms > 0 ? kNobodyMs : kTryLostMs);
  const int64_t at_last_ms = since_ms + std::max(kTryWayMs, 3 * settings_.session.heartbeat_ms);
  if (ttl_ms == 0) return at_last_ms;
  if (asked_ms_ == INT64_MAX) return session.open() ? INT64_MAX : at_last_ms;
  if (received_ms_ == INT64_MIN) {
    return std::max(asked_ms_ + std::max(kTryLostMs, ttl_ms), session.patient_until_ms());
  }
  const int64_t silent_ms = std::max(received_ms_ + ttl_ms, asked_ms_ + ttl_ms / 3);
  if (session.open()) return silent_ms;
  return std::min(at_last_ms, std::max(silent_ms, session.patient_until_ms()));
}

void AgentProcess::take_turns() {
  if (agent_->take_leave()) leaving_ = true;
  const int64_t now_ms = clock_.boottime_ms();
  if (agent_->session().open()) left_ = 0;
  if (agent_->session().open() || agent_->session().patient_until_ms() > now_ms) leaving_ = false;
  if (now_ms < next_turn_ms()) return;
  left_ += leaving_ ? 1 : 0;
  network().disconnect(line_);
  mail_.clear();
  at_ = (at_ + 1) % around_.networks.size();
  connect();
  agent_->on_connecting(now_ms);
}

void AgentProcess::lose_state() {
  disk_.remove_all();
}

bool AgentProcess::put_copy_back() {
  if (!copy_) return false;
  disk_.restore(*copy_);
  return true;
}

/// Runs a part of the program, until it returns or is killed.
void AgentProcess::run(const std::function<void()>& what) {
  try {
    what();
  } catch (const Killed&) {
    around_.faults.note(Fault::agent_killed_in_order);
    kill(test::DiskCrash::keep_written);
    const uint64_t plan = plan_;
    around_.time.in(chance_.between(10, 90'000), [this, plan] {
      if (plan == plan_) start();
    });
  }
  if (agent_) plan_wake();
  around_.stepped();
}

void AgentProcess::deliver(const Bytes& bytes) {
  if (!agent_ || mail_.size() >= kMailMost) return;
  if (paused()) return mail_.push_back(bytes);
  const auto message = wire::decode(bytes);
  const int32_t outrun = around_.faults[Fault::order_outrun];
  if (message && std::holds_alternative<wire::Order>(*message) && chance_.happens(outrun)) {
    around_.faults.note(Fault::order_outrun);
    around_.workload.rush();
    // The order comes again when those jobs have ended, like one that was delayed on the way.
    const uint64_t plan = kills_;
    around_.time.in(chance_.between(1'000, kAgainMs), [this, plan, bytes] {
      if (plan == kills_) deliver(bytes);
    });
  }
  if (!message) return;
  received_ms_ = clock_.boottime_ms();
  asked_ms_ = INT64_MAX;
  const auto* refusal = std::get_if<wire::Refusal>(&*message);
  database_older_ =
      database_older_ || (refusal != nullptr && refusal->reason == Reason::database_older);
  run([&] {
    agent_->on_message(*message, clock_.boottime_ms());
    take_turns();
  });
  if (agent_ && agent_->session().open()) database_older_ = false;
}

void AgentProcess::plan_wake() {
  const uint64_t plan = ++plan_;
  const int64_t next_ms = std::min(agent_->next_ms(), next_turn_ms());
  // The program waits at most a minute (agent/io/loop.cpp) and never for a past time.
  int64_t at_ms = clock_.real_ms_at(std::min(next_ms, clock_.boottime_ms() + 60'000));
  at_ms = std::max({at_ms, paused_until_ms_, around_.time.now_ms() + 1});
  around_.time.at(at_ms, [this, plan] { wake(plan); });
}

void AgentProcess::wake(uint64_t plan) {
  if (plan != plan_ || !agent_) return;
  // After a pause the loop handles its timers first, then the messages that came meanwhile.
  run([this] { agent_->on_time(clock_.boottime_ms()); });
  while (agent_ && !mail_.empty() && !paused()) {
    const Bytes bytes = std::move(mail_.front());
    mail_.pop_front();
    deliver(bytes);
  }
  if (agent_ && around_.networks.size() > 1) run([this] { take_turns(); });
}

}  // namespace leasehold::simulation
