#include "broker/io/broker.hpp"

#include <algorithm>
#include <array>

#include "broker/core/step.hpp"
#include "common/log.hpp"
#include "common/random.hpp"

namespace leasehold {

namespace {

/// Messages a turn: enough to fill a batch, few enough to answer operators meanwhile.
constexpr int kMessagesPerTurn = 1024;
constexpr int kRequestsPerTurn = 64;
constexpr int64_t kRetryMs = 1000;
/// Windows are resolved far ahead; renewed when less than this is left.
constexpr int64_t kWindowsLeftMs = int64_t{7} * 24 * 3600 * 1000;

}  // namespace

Broker::Broker(BrokerParts parts, AgentPort agents, OperatorPort operators)
    : parts_(std::move(parts)), agents_(std::move(agents)), operators_(std::move(operators)) {}

Result<std::unique_ptr<Broker>> Broker::start(BrokerParts parts, AgentPort agents,
                                              OperatorPort operators) {
  std::unique_ptr<Broker> broker(
      new Broker(std::move(parts), std::move(agents), std::move(operators)));
  if (Status opened = broker->open(); !opened) return tl::unexpected(opened.error());
  return broker;
}

/// Opens the store, steps the start and the configuration, commits both.
Status Broker::open() {
  engine_.reset();  // the lock of the old store goes first
  auto opened = parts_.open_store();
  if (!opened) return tl::unexpected(opened.error());
  clock_.emplace(opened->state.now);
  ticked_ = opened->state.now;
  engine_ = std::make_unique<Engine>(std::move(opened->store), std::move(opened->state));
  now_ = next_instant();
  auto config = parts_.read_configuration("start", now_);
  if (!config) return tl::unexpected(config.error());
  engine_->feed(BrokerStarted{random_u64(), opened->database_older}, now_);
  engine_->feed(*config, now_);
  if (opened->database_older) {
    log_error("database-older", {{"why", "the database is an older copy; waiting for agents"}});
  }
  if (Status committed = engine_->commit(); !committed) return committed;
  engine_->clear_effects();  // no agent is connected yet
  agents_.forget_sessions();
  return {};
}

Instant Broker::next_instant() {
  // After a tick the next event is later: see Engine::tick.
  const Instant now = clock_->now();
  return std::max(now, std::max(engine_->state().now, ticked_ + 1));
}

OperatorContext Broker::context() const {
  return OperatorContext{engine_->state(), agents_.liveness(), now_,
                         [this](const std::string& by) { return read_configuration(by); },
                         parts_.value_source};
}

void Broker::wait(Signals& signals) {
  int64_t timeout_ms = 0;
  if (!more_) {
    const Instant due =
        std::min(next_deadline(engine_->state()), agents_.next_loss(engine_->state()));
    timeout_ms = std::clamp<int64_t>(due - clock_->now(), 0, 60'000);
  }
  const std::array<Channel*, 2> channels{&agents_.channel(), &operators_.channel()};
  const std::array<int, 2> fds{signals.fd(), operators_.history_fd()};
  more_ = Channel::wait(channels, fds, timeout_ms);
  signals.read();
}

void Broker::read_operators() {
  operators_.send_history();
  for (int i = 0; i < kRequestsPerTurn; ++i) {
    const std::optional<Frame> frame = operators_.channel().receive();
    if (!frame) return;
    const std::optional<OperatorTask> task = operators_.handle(*frame, context());
    if (!task) continue;
    engine_->feed(task->event, now_);
    tickets_.push_back(task->ticket);
    // Committed at once: the next request must be checked against what this one changed, and an
    // answer means that the change is on disk.
    if (!commit_and_send()) return;
  }
}

void Broker::renew_windows() {
  const State& state = engine_->state();
  if (state.windows.until - now_ > kWindowsLeftMs) return;
  if (auto windows = parts_.resolve(state.config, now_)) {
    engine_->feed(WindowsResolved{std::move(*windows)}, now_);
  }
}

/// A reload is refused where it contradicts the hosts that are there. (A start is not: a site whose
/// host shrank must be able to run, and exports are clamped.)
Result<ConfigLoaded> Broker::read_configuration(const std::string& by) const {
  auto config = parts_.read_configuration(by, now_);
  if (!config) return config;
  const Status fits = parts_.check_inventory(config->config, engine_->state());
  if (!fits) return tl::unexpected(fits.error());
  return config;
}

void Broker::feed(const Event& event) {
  engine_->feed(event, now_);
  if (!std::holds_alternative<InventoryReported>(event)) return;
  const Status fits = parts_.check_inventory(engine_->state().config, engine_->state());
  if (!fits) {
    log_warn("inventory", {{"reason", token(Reason::host_too_small)},
                           {"why", describe(fits.error())},
                           {"exported", "as many slots as there are"}});
  }
}

void Broker::reload(const std::string& by) {
  auto config = read_configuration(by);
  if (!config) {
    log_error("reload-refused", {{"why", describe(config.error())}, {"in_force", "unchanged"}});
    return;
  }
  engine_->feed(*config, now_);
  log_info("reloaded", {{"by", by}});
}

void Broker::turn() {
  now_ = next_instant();
  const AgentPort::Sink sink = [this](const Event& event) { feed(event); };
  agents_.read(engine_->state(), now_, kMessagesPerTurn, sink);
  agents_.find_lost(engine_->state(), now_, sink);
  renew_windows();
  read_operators();
  if (engine_ == nullptr) return;
  if (next_deadline(engine_->state()) <= now_) {
    engine_->tick(now_);
    ticked_ = now_;
  }
}

void Broker::finish_tasks(const Status& outcome) {
  for (uint64_t ticket : tickets_) operators_.finish(ticket, outcome, context());
  tickets_.clear();
}

bool Broker::commit_and_send() {
  const auto& records = engine_->effects().records;
  parts_.pause.reached("before-commit", records);
  const Status committed = engine_->commit();
  finish_tasks(committed);
  if (!committed) {
    log_error("commit-failed", {{"why", describe(committed.error())},
                                {"orders", "held back until the database takes them"}});
    engine_.reset();
    return false;
  }
  parts_.pause.reached("after-commit", records);
  agents_.send(engine_->state(), now_, engine_->effects());
  parts_.pause.reached("after-send", records);
  engine_->clear_effects();
  return true;
}

/// Invariant 4: memory is discarded, state is rebuilt from the database; until then no order
/// leaves.
bool Broker::reopen(Signals& signals) {
  while (!signals.stop()) {
    const Status opened = open();
    if (opened) {
      log_info("database-reopened");
      return true;
    }
    log_error("database-unavailable", {{"why", describe(opened.error())}});
    engine_.reset();
    const std::array<int, 1> fds{signals.fd()};
    Channel::wait({}, fds, kRetryMs);
    signals.read();
  }
  return false;
}

void Broker::run(Signals& signals) {
  while (!signals.stop()) {
    wait(signals);
    if (signals.stop()) break;
    turn();
    if (engine_ != nullptr && signals.take_reload()) {
      now_ = next_instant();
      reload("SIGHUP");
    }
    const bool good = engine_ != nullptr && commit_and_send();
    if (!good && !reopen(signals)) return;
  }
  if (engine_ != nullptr) commit_and_send();
}

}  // namespace leasehold
