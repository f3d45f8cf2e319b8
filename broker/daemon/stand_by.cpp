// How a broker begins and ceases to lead where several may, and what it does while another does.
// The rules: broker/store/postgres/README.md.
#include <algorithm>

#include "broker/daemon/broker.hpp"
#include "broker/daemon/own_file.hpp"
#include "broker/daemon/record_log.hpp"
#include "common/canary.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

constexpr int kKnocksPerTurn = 1024;
constexpr int kQuestionsPerTurn = 64;
constexpr int64_t kWaitLongestMs = 1'000;
/// After a step-down agents wait so long for a new leader, and are then redirected all the same.
constexpr int64_t kPartsMs = 5'000;

/// A standby has no state of its own: questions are answered from the log that Present follows.
const State& no_state() {
  static const State state;
  return state;
}

}  // namespace

/// Stands by, or leads at once if nobody does.
Status Broker::begin() {
  if (Status asked = standby_.look(); !asked) return asked;
  if (const std::string& why = standby_.cannot_lead(); !why.empty()) {
    return fail(ErrorCode::usage, why);
  }
  publish_role(false);  // before anybody is let in
  now_ = parts_.time->wall_time();
  auto config = parts_.read_configuration("start", now_);
  if (!config) return tl::unexpected(config.error());
  if (standby_.may_lead() && check_own_clock()) {
    const Status led = open(*config);
    if (led) return led;
    const ErrorCode code = led.error().code;
    if (code == ErrorCode::usage || code == ErrorCode::corrupt || code == ErrorCode::version)
      return led;
    // Brokers that start at once: another was first, which is no reason to end.
    engine_.reset();
    standby_.lost();
    if (!standby_.look() || standby_.may_lead()) return led;
  }
  now_ = parts_.time->wall_time();
  publish_role(false);
  learn(std::move(config));
  log_info("standby", {{"why", standby_.elsewhere().message}});
  return {};
}

/// Notes for the history what changes because this broker's own file comes into force.
void Broker::note_changes(ConfigRead& config) const {
  if (standby_.is_alone() || engine_->store().last_event() == 0) return;
  config.loaded.changes = changes_by(config, engine_->state());
}

/// Logs what came into force. Contract: it is committed; else each attempt would be logged.
void Broker::log_in_force(const ConfigRead& config) const {
  log_warnings(config.warnings);
  if (config.loaded.changes.empty()) return;
  log_warn("configuration-changed",
           {{"why", "this broker took over, and its own file is in force now"},
            {"changes", config.loaded.changes}});
}

/// Contract: the take-over is committed.
void Broker::begin_to_lead(bool warm) {
  const Leads leads = engine_->store().leads();
  standby_.leads(leads);
  if (leads.epoch == 0) return;
  readings_.begin_to_lead();
  if (parts_.own_file) parts_.own_file(std::nullopt);
  agents_.lead({static_cast<uint64_t>(leads.epoch), leads.incarnation, leads.ttl_ms}, [this] {
    const int64_t late_ms = LEASEHOLD_CANARY(asks_the_turns_clock) ? clock_->now() - now_ : 0;
    return engine_ != nullptr &&
           parts_.time->boottime_ms() - late_ms < engine_->store().leads_until_ms();
  });
  agents_.set_epoch_limit(standby_.epoch_believed(leads.epoch));
  log_trouble("");
  log_not_taken("");
  cut_off_.leads(parts_.time->boottime_ms());
  *parts_.accept_clock = false;
  ++figures_.take_overs;
  figures_.take_overs_warm += warm ? 1 : 0;
  log_info("leadership-acquired",
           {{"epoch", leads.epoch}, {"warm", warm}, {"last_event", engine_->store().last_event()}});
  agents_.greet_redirected(engine_->state(), parts_.time->boottime_ms());
}

/// The fate of orders after a failed commit, for the log. A broker that was deposed does not wait
/// for the database: another leads, or is about to.
const char* Broker::orders_after(const Error& why) const {
  const bool deposed =
      why.code == ErrorCode::elsewhere || (!standby_.is_alone() && why.code == ErrorCode::refused);
  return deposed ? "no order leaves until this broker leads again"
                 : "orders wait until the database takes commits";
}

/// Drops the state in memory, of which nothing leaves (rule 4).
void Broker::give_up(const Error& why) {
  if (parts_.bulletin && standby_.is_alone()) parts_.bulletin->trouble({describe(why), ""});
  log_error("commit-failed", {{"why", describe(why)}, {"then", orders_after(why)}});
  standby_.lost(why);
  publish_role(false);  // first: the answers below then say that nobody leads
  finish_tasks(tl::unexpected(why));
  engine_.reset();
  logged_.compaction.clear();  // the store that is opened next knows nothing of it
  if (standby_.is_alone()) return;
  ++figures_.leaderships_lost;
  fall_silent();
}

/// Forgets all agents that came to this broker as the leader: they now belong to another one.
void Broker::fall_silent() {
  agents_.forget_sessions();
  forget_contacts(agents_.liveness());
  agents_.lead({}, {});
  readings_.drop_all(now_);
  publish_role(false);
}

/// Rule 13: gives up the lead if an agent has seen an epoch that is not below ours. False: it did.
bool Broker::may_go_on() {
  const Leading& by = agents_.outranked_by();
  const auto epoch = static_cast<int64_t>(by.epoch);
  if (!standby_.is_outranked(epoch, by.incarnation, engine_->store().leads())) return true;
  give_up({ErrorCode::refused,
           "an agent has seen a leadership of epoch " + std::to_string(epoch) +
               ": this broker takes over again with a higher one",
           {},
           0,
           0});
  return false;
}

/// Renews the lead if no commit has done so for long enough. False: it leads no more.
bool Broker::renew() {
  if (engine_->store().renewal_due_ms() > parts_.time->boottime_ms()) return true;
  const Status done = engine_->store().renew();
  if (!done) {
    give_up(done.error());
    return false;
  }
  standby_.answered(engine_->store().last_event());
  publish_turn();
  return true;
}

/// Rule 10: it falls silent first; all that it has sent before is in the log.
void Broker::step_down(const std::string& successor) {
  agents_.release_sessions(parts_.time->boottime_ms() + kPartsMs);
  fall_silent();
  const Status done = engine_->store().step_down(successor);
  finish_tasks(done);
  steps_down_ = false;
  engine_.reset();
  standby_.stepped_down();
  if (!done)
    return log_warn("step-down-failed", {{"why", describe(done.error())},
                                         {"then", "another leads after leader_ttl only"}});
  log_info("stepped-down", {{"successor", successor.empty() ? "any" : successor}});
}

void Broker::retire() {
  step_down("");
  agents_.redirect_all("this broker is being stopped");
}

void Broker::publish_role(bool leads) {
  LeaderView& leader_view = agents_.liveness().leader_view;
  leader_view.name = parts_.self.name;
  leader_view.endpoint = parts_.self.endpoint;
  standby_.tell(leader_view, leads ? engine_->store().leads() : Leads{},
                leads ? engine_->store().last_event() : 0);
  leader_view.leads_until_ms = leads ? engine_->store().leads_until_ms() : INT64_MAX;
  leader_view.configuration_stuck = readings_.is_stuck();
  if (parts_.tables) leader_view.tables = parts_.tables();
  add_clock(leader_view);
  if (parts_.nobody_leads) parts_.nobody_leads(leader_view.nobody);
  if (parts_.bulletin) parts_.bulletin->stands(leader_view);
}

/// Wakes the threads that follow the log.
void Broker::wake_log_followers() {
  if (parts_.nobody_leads) parts_.nobody_leads(standby_.nobody());  // before its readers wake
  operators_.committed();
}

/// Puts operators, keys and limits of its own file in force on a standby: the leader's file should
/// have the same ones.
void Broker::learn(Result<ConfigRead> config) {
  take_own_file(config);
  if (!config) {
    return log_error("reload-refused", {{"why", describe(config.error())},
                                        {"then", "the configuration in force stays"}});
  }
  const BrokerConfig& core = config->loaded.config;
  agents_.know_clusters(core.clusters);
  const std::shared_ptr<const Access> access = config->access;
  if (access == nullptr) return;
  agents_.limit_rate(access->limits.rate_per_peer);
  operators_.know(access);
  if (parts_.bulletin) {
    parts_.bulletin->in_force(
        std::make_shared<const InForce>(InForce{core.name, core.mode, access}));
  }
  if (parts_.set_admitted) parts_.set_admitted(core, *access);
}

/// Logs each new reason once, before a take-over is needed.
void Broker::log_cannot_lead() {
  if (standby_.cannot_lead() == logged_.cannot_lead) return;
  logged_.cannot_lead = standby_.cannot_lead();
  if (logged_.cannot_lead.empty()) return log_info("standby-ready");
  log_warn("standby-not-ready", {{"why", logged_.cannot_lead},
                                 {"then", "this broker could not take over"},
                                 {"do", "correct that before the leader is gone"}});
}

void Broker::look() {
  if (parts_.time->boottime_ms() < standby_.next_look_ms()) return;
  const Leading& seen = agents_.outranked_by();
  standby_.saw_epoch(static_cast<int64_t>(seen.epoch), seen.incarnation);
  const Status asked = standby_.look();
  if (!asked && asked.error().code == ErrorCode::refused) {  // this broker's own fault
    return log_not_taken(describe(asked.error()));
  }
  if (!asked) return log_trouble(describe(asked.error()));
  if (standby_.is_led()) agents_.redirect_all(standby_.elsewhere().message);
  if (!standby_.may_lead()) log_trouble("");
  log_cannot_lead();
  if (!standby_.is_changed()) return;
  log_not_taken("");
  wake_log_followers();
}

/// A broker that leads no more carries out no reload that waits for its file.
void Broker::refuse_reloads() {
  const Error elsewhere = standby_.elsewhere();
  const OperatorContext context{no_state(), agents_.liveness(), now_, standby_.log_end(),
                                {},         &elsewhere};
  while (operators_.waiting_for_file() > 0) operators_.handle_waiting(context);
}

void Broker::read_questions() {
  operators_.send_answers();
  const Error elsewhere = standby_.elsewhere();
  const OperatorContext context{no_state(), agents_.liveness(), now_, standby_.log_end(),
                                {},         &elsewhere};
  for (int i = 0; i < kQuestionsPerTurn && operators_.receive_into(frame_); ++i) {
    operators_.handle(frame_, context);
  }
}

/// Called while the loop waits for its own call to the database, also in the middle of a turn. The
/// state belongs to the store until then, and agents' messages are not read.
void Broker::wait_out(const Error& silent) {
  watchdog_.alive(parts_.time->boottime_ms());
  if (!begun_) return;
  standby_.waits(silent);
  publish_role(false);
  read_questions();
  if (!parts_.bulletin) return;
  const std::string why = describe(silent);
  const bool of_database = silent.code == ErrorCode::io;
  parts_.bulletin->turn_over(now_, standby_.log_end(), agents_.liveness(), figures_,
                             {of_database ? why : "", of_database ? "" : why});
}

/// Hands the file to the threads that follow the log: the log has the configuration to compare
/// with.
void Broker::take_own_file(Result<ConfigRead> read) {
  if (!parts_.own_file) return;
  parts_.own_file(std::move(read));
  if (!standby_.nobody()) wake_log_followers();  // its readers would wait for the database
}

/// Reads the file for comparison, and after SIGHUP to put its operators and keys in force. A
/// take-over reads it once more.
void Broker::read_own_file(bool reload_asked) {
  readings_.begin_turn();
  if (reload_asked) readings_.ask_by_signal(now_);
  if (Readings::Found read = readings_.by_signal(now_)) learn(*std::move(read));
  if (!parts_.own_file) return;
  if (Readings::Found read = readings_.own_file(now_)) take_own_file(*std::move(read));
}

bool Broker::stand_by_turn(bool reload_asked) {
  now_ = parts_.time->wall_time();
  refuse_reloads();
  read_own_file(reload_asked);
  look();
  if (standby_.may_lead()) {
    Readings::Found own = readings_.to_lead(now_);
    if (own && reopen(*std::move(own))) return true;
  } else if (!standby_.is_late()) {
    readings_.not_to_lead();
  }
  agents_.set_epoch_limit(standby_.epoch_believed(0));
  agents_.go_by([this] { return parts_.time->wall_time(); });
  agents_.redirect(now_, parts_.time->boottime_ms(), standby_.elsewhere().message, kKnocksPerTurn);
  mind_others();
  publish_role(false);
  read_questions();
  if (parts_.bulletin) {
    parts_.bulletin->turn_over(now_, standby_.log_end(), agents_.liveness(), figures_,
                               {logged_.database, logged_.not_taken});
  }
  return false;
}

/// Stands by until this broker leads. False: it is to end.
bool Broker::stand_by(Signals& signals, std::span<Channel* const> channels) {
  while (!signals.stop()) {
    if (stand_by_turn(signals.take_reload())) return true;
    std::vector<int> fds = wakers();
    fds.push_back(signals.fd());
    const int64_t wait_ms = standby_.next_look_ms() - parts_.time->boottime_ms();
    Channel::wait(channels, fds, std::clamp<int64_t>(wait_ms, 0, kWaitLongestMs));
    watchdog_.alive(parts_.time->boottime_ms());
    signals.read();
  }
  return false;
}

}  // namespace leasehold
