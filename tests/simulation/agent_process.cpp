#include "tests/simulation/agent_process.hpp"

#include "common/wire/codec.hpp"

namespace leasehold::simulation {

namespace {

constexpr int64_t kRestartMs = 2'000;  // before a start that failed is tried again
constexpr size_t kMailMost = 2'000;
constexpr int64_t kAgainMs = 150'000;

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
  settings_.wall_time = [this] { return clock_.wall_time(); };
  agent_ = std::make_unique<agent::Agent>(
      settings_, around_.workload, std::move(*file), std::move(*saved),
      [this](agent::Step step) {
        if (kill_at_ == step) throw Killed{};
      },
      [this](const wire::Message& message) {
        around_.network.from_agent(line_, wire::encode(message));
      });
  return true;
}

void AgentProcess::start() {
  if (agent_) return;
  kill_at_.reset();
  mail_.clear();
  paused_until_ms_ = 0;
  if (!open()) {
    const uint64_t plan = ++plan_;
    around_.time.in(kRestartMs, [this, plan] {
      if (plan == plan_) start();
    });
    return;
  }
  line_ = around_.network.connect([this](const Bytes& bytes) { deliver(bytes); });
  if (around_.workload.note) around_.workload.note("agent starts from " + folder_);
  plan_wake();
}

void AgentProcess::kill(test::DiskCrash how) {
  ++plan_;
  ++kills_;
  if (around_.workload.note) around_.workload.note("agent of " + folder_ + " is killed");
  disk_.crash(how);
  agent_.reset();
  around_.network.disconnect(line_);
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
  around_.network.disconnect(line_);
  line_ = around_.network.connect([this](const Bytes& bytes) { deliver(bytes); });
}

void AgentProcess::lose_state() {
  disk_.remove_all();
}

bool AgentProcess::put_copy_back() {
  if (!copy_) return false;
  disk_.restore(*copy_);
  return true;
}

/// Whatever the program does, until it dies of it.
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
    // And comes again, as one does that was held up on the way, when those jobs have ended.
    const uint64_t plan = kills_;
    around_.time.in(chance_.between(1'000, kAgainMs), [this, plan, bytes] {
      if (plan == kills_) deliver(bytes);
    });
  }
  if (message) run([&] { agent_->on_message(*message, clock_.boottime_ms()); });
}

void AgentProcess::plan_wake() {
  const uint64_t plan = ++plan_;
  const int64_t due = agent_->next_ms();
  // The program waits at most a minute (agent/io/loop.cpp) and never in the past.
  int64_t at_ms = clock_.real_ms_at(std::min(due, clock_.boottime_ms() + 60'000));
  at_ms = std::max({at_ms, paused_until_ms_, around_.time.now_ms() + 1});
  around_.time.at(at_ms, [this, plan] { wake(plan); });
}

void AgentProcess::wake(uint64_t plan) {
  if (plan != plan_ || !agent_) return;
  // As the loop does after a stop: first the timers, then the mail that came meanwhile.
  run([this] { agent_->on_time(clock_.boottime_ms()); });
  while (agent_ && !mail_.empty() && !paused()) {
    const Bytes bytes = std::move(mail_.front());
    mail_.pop_front();
    deliver(bytes);
  }
}

}  // namespace leasehold::simulation
