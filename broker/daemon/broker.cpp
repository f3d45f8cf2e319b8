#include "broker/daemon/broker.hpp"

#include <algorithm>

#include "broker/config/windows.hpp"
#include "broker/core/model/deadlines.hpp"
#include "broker/metrics/count_records.hpp"
#include "common/canary.hpp"
#include "common/log.hpp"
#include "common/random.hpp"

namespace leasehold {

namespace {

/// Messages read in a turn: enough to fill a batch, few enough to answer operators in between.
constexpr int kMessagesPerTurn = 1024;
constexpr int kRequestsPerTurn = 64;
/// Requests may take long: after so long the loop reads agents' messages again.
constexpr int64_t kRequestsMs = 20;
constexpr int64_t kWaitLongestMs = 60'000;

void log_older(const std::string& because) {
  log_error("database-older",
            {{"why", because.empty() ? "the database is an older copy" : because},
             {"then",
              "each lease waits until the agents of both its sides have stated what they hold; no "
              "slot is given twice; what happened since the copy is missing from the history"},
             {"do",
              "nothing, or stop the broker and put the newest copy in its place (a file: leasectl "
              "restore)"}});
}

}  // namespace

Broker::Broker(BrokerParts parts, AgentPort agents, OperatorPort operators)
    : parts_(std::move(parts)),
      agents_(std::move(agents)),
      operators_(std::move(operators)),
      standby_(parts_.candidate, *parts_.time),
      readings_(parts_.read_configuration, parts_.reads, *parts_.time) {
  agents_.measure_by(parts_.work_us);
  if (!parts_.candidate) return;
  parts_.candidate->meanwhile([this](const Error& silent) { wait_out(silent); });
}

Result<std::unique_ptr<Broker>> Broker::start(BrokerParts parts, AgentPort agents,
                                              OperatorPort operators) {
  std::unique_ptr<Broker> broker(
      new Broker(std::move(parts), std::move(agents), std::move(operators)));
  if (broker->standby_.is_alone()) {
    const Instant now = broker->parts_.time->wall_time();
    auto config = broker->parts_.read_configuration("start", now);
    if (!config) return tl::unexpected(config.error());
    if (Status opened = broker->open(*std::move(config)); !opened)
      return tl::unexpected(opened.error());
  } else if (Status begun = broker->begin(); !begun) {
    return tl::unexpected(begun.error());
  }
  broker->begun_ = true;
  return broker;
}

/// Opens the store, steps the start and the configuration, commits both.
Status Broker::open(ConfigRead config) {
  engine_.reset();  // the lock of the old store goes first
  auto opened = parts_.open_store();
  if (!opened) return tl::unexpected(opened.error());
  begin_clock(*opened);
  engine_ = std::make_unique<Engine>(std::move(opened->store), std::move(opened->state), figures_);
  if (!opened->clock_set_by.empty()) engine_->feed(ClockSet{opened->clock_set_by}, clock_->now());
  now_ = next_instant();
  if (Status known = check_clusters(config.loaded.config); !known) return known;
  if (parts_.resolve) {  // the log's time may be ahead of the clock by which it was read
    if (auto windows = parts_.resolve(config.loaded.config, now_))
      config.loaded.windows = *std::move(windows);
  }
  note_changes(config);
  fed_.reset();
  const uint64_t drawn = engine_->store().leads().incarnation;
  engine_->feed(
      BrokerStarted{drawn != 0 ? drawn : random_u64(), opened->database_older, opened->warm}, now_);
  feed_configuration(config.loaded, config.access);
  if (opened->database_older) log_older(opened->older_because);
  if (Status committed = engine_->commit(); !committed) return committed;
  log_in_force(config);
  standby_.answered(engine_->store().last_event());
  wake_log_followers();
  log_records(engine_->state(), now_, engine_->effects().records, engine_->caused());
  engine_->clear_effects();  // no agent is connected yet
  agents_.forget_sessions();
  parts_.adopt = false;
  begin_to_lead(opened->warm);
  put_in_force();
  publish_turn();
  return {};
}

/// Time goes on where the database ends, or, if an operator says so, at what the clock shows.
void Broker::begin_clock(const BrokerParts::Opened& opened) {
  const bool set = !opened.clock_set_by.empty();
  clock_.emplace(set ? Instant{} : opened.state.now, *parts_.time);
  ticked_ = set ? Instant{INT64_MIN} : opened.state.now;
  agents_.go_by([this] { return clock_->now(); });
  if (!set) return;
  log_warn("clock-set", {{"from", format_utc(opened.state.now)},
                         {"to", format_utc(clock_->now())},
                         {"by", opened.clock_set_by}});
}

Instant Broker::next_instant() {
  // After a tick the next event is later: see Engine::tick.
  const Instant now = clock_->now();
  return std::max(now, std::max(engine_->state().now, ticked_ + 1));
}

OperatorContext Broker::context() {
  return OperatorContext{engine_->state(), agents_.liveness(), now_, engine_->store().last_event(),
                         [this](uint64_t& reading, const std::string& by) {
                           Readings::Found found = readings_.read_for(reading, by, now_);
                           if (found) found = checked(*std::move(found));
                           return found;
                         }};
}

Instant Broker::next_turn() {
  const Instant due = std::min(next_deadline(engine_->state()), agents_.next_late(now_));
  const int64_t renewal_ms = engine_->store().renewal_due_ms();
  const Instant renewal =
      renewal_ms == INT64_MAX ? kNever : clock_->now() + (renewal_ms - parts_.time->boottime_ms());
  const int64_t late_ms = readings_.next_late_ms();
  const Instant late =
      late_ms == INT64_MAX ? kNever : clock_->now() + (late_ms - parts_.time->boottime_ms());
  const Instant others =
      parts_.roll ? clock_->now() + (others_due_ms_ - parts_.time->boottime_ms()) : kNever;
  return std::min({due, agents_.next_loss(), renewal, others, late});
}

std::vector<int> Broker::wakers() const {
  const auto [past, present] = operators_.answer_fds();
  std::vector<int> fds{past, present, readings_.fd()};
  if (parts_.bulletin) fds.push_back(parts_.bulletin->asked_fd());
  return fds;
}

void Broker::wait(Signals& signals, std::span<Channel* const> channels) {
  const int64_t timeout_ms = std::clamp<int64_t>(next_turn() - clock_->now(), 0,
                                                 watchdog_.longest_wait_ms(kWaitLongestMs));
  std::vector<int> fds = wakers();
  fds.push_back(signals.fd());
  Channel::wait(channels, fds, timeout_ms);
  watchdog_.alive(parts_.time->boottime_ms());
  signals.read();
}

/// Commits at once: the next request must be checked against what this one changed, and an answer
/// means that the change is on disk. False: nothing more is to be done for operators in this turn.
bool Broker::carry_out(OperatorTask task) {
  if (std::holds_alternative<ConfigLoaded>(task.event)) {
    feed_configuration(task.event, task.access);
  } else {
    engine_->feed(task.event, now_);
  }
  tickets_.push_back(task.ticket);
  const auto* command = std::get_if<OperatorCommand>(&task.event);
  steps_down_ = command != nullptr && command->command == Command::step_down;
  if (!commit_and_send()) return false;
  if (steps_down_) step_down(command->successor);
  return engine_ != nullptr;
}

void Broker::read_operators() {
  operators_.send_answers();
  for (size_t left = operators_.waiting_for_file(); left > 0; --left) {
    std::optional<OperatorTask> task = operators_.handle_waiting(context());
    if (task && !carry_out(*std::move(task))) return;
  }
  const int64_t until_ms = parts_.time->boottime_ms() + kRequestsMs;
  for (int i = 0; i < kRequestsPerTurn; ++i) {
    if (!operators_.receive_into(frame_)) return;
    std::optional<OperatorTask> task = operators_.handle(frame_, context());
    if (task && !carry_out(*std::move(task))) return;
    if (!task && parts_.time->boottime_ms() > until_ms) return;
  }
}

void Broker::renew_windows() {
  const State& state = engine_->state();
  if (!are_windows_due(state.config, state.windows.until, now_)) return;
  if (auto windows = parts_.resolve(state.config, now_)) {
    engine_->feed(WindowsResolved{std::move(*windows)}, now_);
  }
}

void Broker::feed_configuration(const Event& event, std::shared_ptr<const Access> access) {
  engine_->feed(event, now_);
  fed_ = std::move(access);
}

/// Contract: the configuration is committed. Keys and rights change together with it.
void Broker::put_in_force() {
  if (!fed_) return;
  const std::shared_ptr<const Access> access = *std::exchange(fed_, std::nullopt);
  const State& state = engine_->state();
  agents_.check_keys(state);
  if (access == nullptr) return;
  agents_.limit_rate(access->limits.rate_per_peer);
  agents_.limit_record(access->limits.record_mb_per_hour << 20U);
  operators_.know(access);
  if (parts_.bulletin) {
    parts_.bulletin->in_force(
        std::make_shared<const InForce>(InForce{state.config.name, state.config.mode, access}));
  }
  if (parts_.set_admitted) parts_.set_admitted(state.config, *access);
}

int64_t Broker::feed(const Event& event) {
  const int64_t bytes = engine_->feed(event, now_);
  if (!std::holds_alternative<InventoryReported>(event) &&
      !std::holds_alternative<InventoryChanged>(event)) {
    return bytes;
  }
  const InventoryFindings found = parts_.check_inventory(engine_->state().config, engine_->state());
  if (!found.errors.empty()) {
    log_warn("inventory", {{"reason", token(Reason::host_too_small)},
                           {"why", describe(joined(found.errors))},
                           {"then", "as many slots are exported as there are"}});
  }
  return bytes;
}

void Broker::turn() {
  now_ = next_instant();
  const AgentPort::Sink sink = [this](const Event& event) { return feed(event); };
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

void Broker::reached(const char* place) const {
  if (parts_.reached) parts_.reached(place, engine_->effects().records);
}

/// Logs once that compaction fails, and once that it works again; the broker goes on meanwhile.
void Broker::log_compaction() {
  const std::string& error = engine_->store().compaction_error();
  if (error == logged_.compaction) return;
  logged_.compaction = error;
  if (error.empty()) return log_info("compaction-recovered");
  log_warn("compaction-failed",
           {{"why", error},
            {"then", "the database grows past [retention] until a later commit succeeds with it"}});
}

bool Broker::commit_and_send() {
  if (LEASEHOLD_CANARY(sends_before_commit)) {
    agents_.send(engine_->state(), now_, engine_->effects());
  }
  reached("before-commit");
  const int64_t events = engine_->store().coming_bytes();
  const Status committed = engine_->commit();
  if (committed) agents_.recorded(events, events > 0 ? engine_->store().row_bytes() : 0);
  if (!committed && !LEASEHOLD_CANARY(keeps_memory_after_failed_commit)) {
    give_up(committed.error());
    return false;
  }
  if (!committed) finish_tasks(committed);
  standby_.answered(engine_->store().last_event());
  reached("after-commit");  // rule 3: nothing leaves before it
  wake_log_followers();
  log_compaction();
  count_records(engine_->state(), engine_->effects().records, figures_);
  log_records(engine_->state(), now_, engine_->effects().records, engine_->caused());
  put_in_force();  // before sending: a removed key is sent nothing more
  // Answered after put_in_force(): whoever reads that a token changed may use it on HTTP's thread.
  if (committed && !steps_down_) finish_tasks(committed);
  agents_.send(engine_->state(), now_, engine_->effects());
  reached("after-send");
  engine_->clear_effects();
  publish_turn();
  return true;
}

/// Publishes the end of the turn to HTTP.
void Broker::publish_turn() {
  publish_role(true);
  if (!parts_.bulletin) return;
  if (parts_.bulletin->is_asked()) {
    count_waiting(engine_->state(), figures_);
    agents_.count(figures_);
  }
  parts_.bulletin->turn_over(now_, engine_->store().last_event(), agents_.liveness(), figures_);
}

bool Broker::take_turn(bool reload_asked) {
  readings_.begin_turn();
  if (reload_asked) readings_.ask_by_signal(now());
  turn();
  if (engine_ != nullptr) reload_by_signal();
  return engine_ != nullptr && may_go_on() && commit_and_send() && renew() && keep_to_agents();
}

void Broker::run(Signals& signals, std::span<Channel* const> channels) {
  while (!signals.stop()) {
    if (engine_ == nullptr) {
      const bool led =
          standby_.is_alone() ? reopen_until_good(signals) : stand_by(signals, channels);
      if (!led) break;
    }
    wait(signals, channels);
    if (!signals.stop()) take_turn(signals.take_reload());
  }
  if (engine_ != nullptr && commit_and_send() && !standby_.is_alone()) retire();
  operators_.end();
}

}  // namespace leasehold
