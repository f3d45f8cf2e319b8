#include "broker/daemon/broker.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "common/log.hpp"

namespace leasehold {

namespace {

constexpr int kKnocksPerTurn = 1024;
constexpr int kQuestionsPerTurn = 64;
constexpr int64_t kWaitLongestMs = 60'000;
constexpr int64_t kStandsByLongestMs = 1'000;
constexpr int64_t kRetryMs = 1000;
constexpr int64_t kAnswerMs = 50;
/// After a step-down agents wait so long for a new leader, and are then redirected all the same.
constexpr int64_t kPartsMs = 5'000;

/// A standby has no state of its own: questions are answered from the log that Present follows.
const State& no_state() {
  static const State state;
  return state;
}

bool is_of_database(const Error& error) {
  return error.code == ErrorCode::io || error.code == ErrorCode::corrupt;
}

/// A broker that was deposed does not wait for the database: another leads, or is about to.
void log_failed_commit(const Error& why, bool alone) {
  const bool deposed =
      why.code == ErrorCode::elsewhere || (!alone && why.code == ErrorCode::refused);
  log_error("commit-failed",
            {{"why", describe(why)},
             {"then", deposed ? "no order leaves until this broker leads again"
                              : "orders wait until the database takes commits"},
             {"do", deposed ? "nothing" : "repair the database's server, disk or rights"}});
}

}  // namespace

Broker::Broker(BrokerParts parts, AgentPort agents, OperatorPort operators)
    : own_(std::move(parts), std::move(agents), std::move(operators)) {
  if (own_.standby.is_alone()) return;
  own_.parts.candidate->meanwhile([this](const Error& silent) { wait_out(silent); });
}

Result<std::unique_ptr<Broker>> Broker::start(BrokerParts parts, AgentPort agents,
                                              OperatorPort operators) {
  std::unique_ptr<Broker> broker(
      new Broker(std::move(parts), std::move(agents), std::move(operators)));
  if (Status begun = broker->begin(); !begun) return tl::unexpected(begun.error());
  broker->begun_ = true;
  return broker;
}

/// Leads at once if nobody does, or stands by.
Status Broker::begin() {
  Standby& standby = own_.standby;
  if (!standby.is_alone()) {
    if (Status asked = standby.look(); !asked) return asked;
    const std::string& why = standby.cannot_lead();
    if (!why.empty()) return fail(ErrorCode::usage, why);
    publish_no_lead();  // before anybody is let in
  }
  own_.now = own_.parts.time->wall_time();
  auto config = own_.parts.read_configuration("start", own_.now);
  if (!config) return tl::unexpected(config.error());
  if (standby.is_alone()) return lead(*std::move(config));
  if (standby.may_lead() && own_.others.check_clock()) {
    const Status led = lead(*config);
    if (led) return led;
    const ErrorCode code = led.error().code;
    if (code == ErrorCode::usage || code == ErrorCode::corrupt || code == ErrorCode::version) {
      return led;
    }
    // Brokers that start at once: another was first, which is no reason to end.
    standby.lost();
    if (!standby.look() || standby.may_lead()) return led;
  }
  own_.now = own_.parts.time->wall_time();
  publish_no_lead();
  learn(std::move(config));
  log_info("standby", {{"why", standby.elsewhere().message}});
  return {};
}

Status Broker::lead(ConfigRead config) {
  leader_.reset();  // the lock of the old store goes first
  auto leader = Leader::open(own_, std::move(config));
  if (!leader) return tl::unexpected(leader.error());
  leader_ = *std::move(leader);
  return {};
}

Status Broker::reopen() {
  return reopen(own_.parts.read_configuration("start", own_.parts.time->wall_time()));
}

/// A file that cannot be read is no fault of the database. If several brokers share that, it keeps
/// this one from taking the leader's row, and so leaves the row to others that could lead.
Status Broker::reopen(Result<ConfigRead> file) {
  const bool alone = own_.standby.is_alone();
  const bool has_file = file.has_value();
  Status opened = has_file ? Status{} : tl::unexpected(file.error());
  if (!opened) {
    opened.error().code = ErrorCode::usage;
    opened.error().message =
        "this broker's configuration cannot be put in force: " + opened.error().message;
  }
  if (opened) opened = own_.others.check_clock();
  if (opened) opened = lead(*std::move(file));
  if (opened) {
    own_.troubles.of_take_over("");
    if (alone) {
      own_.readings.not_by_signal();
      log_info("database-reopened");
    }
    return opened;
  }
  leader_.reset();
  own_.standby.not_taken(opened.error());
  const std::string why = describe(opened.error());
  const bool of_database = (alone && has_file) || is_of_database(opened.error());
  of_database ? own_.troubles.of_database(why) : own_.troubles.of_take_over(why);
  return opened;
}

/// Tries until the store is open again; no order leaves before. False: it is to end.
bool Broker::reopen_until_good(Signals& signals) {
  while (!signals.stop()) {
    refuse_reloads();
    own_.readings.begin_turn();
    Readings::Found file = own_.readings.to_lead(own_.parts.time->wall_time());
    const bool is_read = file.has_value();
    if (is_read && reopen(*std::move(file))) return true;
    hold_out(signals, is_read ? kRetryMs : kAnswerMs);
  }
  return false;
}

/// Waits until the next try. Questions are answered as of the last event meanwhile; changes are
/// refused with the reason why nothing is committed.
void Broker::hold_out(Signals& signals, int64_t most_ms) {
  publish_no_lead();
  for (int64_t waited_ms = 0; waited_ms < most_ms && !signals.stop(); waited_ms += kAnswerMs) {
    own_.now = own_.parts.time->wall_time();
    read_questions();
    const std::array<int, 1> fds{signals.fd()};
    Channel::wait({}, fds, kAnswerMs);
    watchdog_.alive(own_.boottime_ms());
    signals.read();
  }
}

/// Drops the leader and its state in memory, of which nothing leaves (rule 4).
void Broker::give_up(const Error& why) {
  const bool alone = own_.standby.is_alone();
  if (own_.parts.bulletin && alone) own_.parts.bulletin->trouble({describe(why), ""});
  log_failed_commit(why, alone);
  own_.standby.lost(why);
  publish_no_lead();  // first: the answers below then say that nobody leads
  leader_->finish_tasks(tl::unexpected(why));
  leader_.reset();
  own_.troubles.forget_compaction();
  if (alone) return;
  ++own_.figures.leaderships_lost;
  fall_silent();
}

/// Forgets all agents that came to this broker as the leader: they now belong to another one.
void Broker::fall_silent() {
  own_.agents.forget_sessions();
  forget_contacts(own_.agents.liveness());
  own_.agents.lead({}, {});
  own_.readings.drop_all(own_.now);
  publish_no_lead();
}

/// Rule 10: it falls silent first; all that it has sent before is in the log.
void Broker::step_down(const std::string& successor) {
  own_.agents.release_sessions(own_.boottime_ms() + kPartsMs);
  fall_silent();
  const Status done = leader_->step_down(successor);
  leader_.reset();
  own_.standby.stepped_down();
  if (!done) {
    return log_warn("step-down-failed", {{"why", describe(done.error())},
                                         {"then", "no broker leads until leader_ttl is over"},
                                         {"do", "nothing"}});
  }
  log_info("stepped-down", {{"successor", successor.empty() ? "any" : successor}});
}

void Broker::retire() {
  step_down("");
  own_.agents.redirect_all("this broker is being stopped");
}

void Broker::publish_no_lead() {
  LeadNow none;
  if (leader_) none.dates_ahead_ms = leader_->dates_ahead_ms();
  own_.publish_role(none);
}

/// Called while the loop waits for its own call to the database, also in the middle of a turn. The
/// state belongs to the store until then, and agents' messages are not read.
void Broker::wait_out(const Error& silent) {
  watchdog_.alive(own_.boottime_ms());
  if (!begun_) return;
  own_.standby.waits(silent);
  publish_no_lead();
  read_questions();
  const std::string why = describe(silent);
  const bool of_database = silent.code == ErrorCode::io;
  own_.publish_turn(own_.standby.log_end(), {of_database ? why : "", of_database ? "" : why});
}

/// Puts operators, keys and limits of its own file in force on a standby: the leader's file should
/// have the same ones.
void Broker::learn(Result<ConfigRead> config) {
  own_.compare_file(config);
  if (!config) {
    return log_error("reload-refused", {{"why", describe(config.error())},
                                        {"then", "the configuration in force stays"},
                                        {"do", "correct the file, then reload"}});
  }
  own_.agents.know_clusters(config->loaded.config.clusters);
  if (config->access != nullptr) own_.put_in_force(config->loaded.config, config->access);
}

/// Reads the file for comparison, and after SIGHUP to put its operators and keys in force. A
/// take-over reads it once more.
void Broker::read_own_file(bool reload_asked) {
  own_.readings.begin_turn();
  if (reload_asked) own_.readings.ask_by_signal(own_.now);
  if (Readings::Found read = own_.readings.by_signal(own_.now)) learn(*std::move(read));
  if (!own_.parts.own_file) return;
  if (Readings::Found read = own_.readings.own_file(own_.now)) own_.compare_file(*std::move(read));
}

void Broker::look() {
  Standby& standby = own_.standby;
  if (own_.boottime_ms() < standby.next_look_ms()) return;
  const Leading& seen = own_.agents.outranked_by();
  standby.saw_epoch(static_cast<int64_t>(seen.epoch), seen.incarnation);
  const Status asked = standby.look();
  if (!asked && asked.error().code == ErrorCode::refused) {  // this broker's own fault
    return own_.troubles.of_take_over(describe(asked.error()));
  }
  if (!asked) return own_.troubles.of_database(describe(asked.error()));
  if (standby.is_led()) own_.agents.redirect_all(standby.elsewhere().message);
  if (!standby.may_lead()) own_.troubles.of_database("");
  own_.troubles.of_candidacy(standby.cannot_lead());
  if (!standby.is_changed()) return;
  own_.troubles.of_take_over("");
  own_.wake_log_followers();
}

OperatorContext Broker::elsewhere(const Error& why) const {
  return {no_state(), own_.agents.liveness(), own_.now, own_.standby.log_end(), {}, &why};
}

/// A broker that leads no more carries out no reload that waits for its file.
void Broker::refuse_reloads() {
  const Error why = own_.standby.elsewhere();
  while (own_.operators.waiting_for_file() > 0) own_.operators.handle_waiting(elsewhere(why));
}

void Broker::read_questions() {
  own_.operators.send_answers();
  const Error why = own_.standby.elsewhere();
  for (int i = 0; i < kQuestionsPerTurn && own_.operators.receive_into(own_.frame); ++i) {
    own_.operators.handle(own_.frame, elsewhere(why));
  }
}

bool Broker::stand_by_turn(bool reload_asked) {
  own_.now = own_.parts.time->wall_time();
  refuse_reloads();
  read_own_file(reload_asked);
  look();
  if (own_.standby.may_lead()) {
    Readings::Found file = own_.readings.to_lead(own_.now);
    if (file && reopen(*std::move(file))) return true;
  } else if (!own_.standby.is_late()) {
    own_.readings.not_to_lead();
  }
  own_.agents.set_epoch_limit(own_.standby.epoch_believed(0));
  own_.agents.go_by([this] { return own_.parts.time->wall_time(); });
  own_.agents.redirect(own_.now, own_.boottime_ms(), own_.standby.elsewhere().message,
                       kKnocksPerTurn);
  if (own_.others.must_exchange()) own_.others.exchange(std::nullopt);
  publish_no_lead();
  read_questions();
  own_.publish_turn(own_.standby.log_end(), own_.troubles.of_leading());
  return false;
}

/// Stands by until this broker leads. False: it is to end.
bool Broker::stand_by(Signals& signals, std::span<Channel* const> channels) {
  while (!signals.stop()) {
    if (stand_by_turn(signals.take_reload())) return true;
    const int64_t wait_ms = own_.standby.next_look_ms() - own_.boottime_ms();
    wait(signals, channels, std::clamp<int64_t>(wait_ms, 0, kStandsByLongestMs));
  }
  return false;
}

bool Broker::take_turn(bool reload_asked) {
  own_.readings.begin_turn();
  if (reload_asked) own_.readings.ask_by_signal(now());
  const Leader::Ends ends = leader_->take_turn();
  if (ends && !*ends) return true;
  ends ? step_down(**ends) : give_up(ends.error());
  return false;
}

void Broker::wait(Signals& signals, std::span<Channel* const> channels, int64_t most_ms) {
  const auto [past, present] = own_.operators.answer_fds();
  std::vector<int> fds{past, present, own_.readings.fd(), signals.fd()};
  if (own_.parts.bulletin) fds.push_back(own_.parts.bulletin->asked_fd());
  Channel::wait(channels, fds, most_ms);
  watchdog_.alive(own_.boottime_ms());
  signals.read();
}

void Broker::run(Signals& signals, std::span<Channel* const> channels) {
  while (!signals.stop()) {
    if (!leads()) {
      const bool led =
          own_.standby.is_alone() ? reopen_until_good(signals) : stand_by(signals, channels);
      if (!led) break;
    }
    wait(signals, channels,
         std::clamp<int64_t>(next_turn() - now(), 0, watchdog_.longest_wait_ms(kWaitLongestMs)));
    if (!signals.stop()) take_turn(signals.take_reload());
  }
  if (leads()) {
    const Status done = leader_->commit_and_send();
    if (!done) give_up(done.error());
    if (done && !own_.standby.is_alone()) retire();
  }
  own_.operators.end();
}

}  // namespace leasehold
