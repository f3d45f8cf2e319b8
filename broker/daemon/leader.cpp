#include "broker/daemon/leader.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/model/turn/deadlines.hpp"
#include "broker/daemon/record_log.hpp"
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

/// Logs what came into force. Contract: it is committed; else each attempt would be logged.
void log_in_force(const ConfigRead& config) {
  log_warnings(config.warnings);
  if (config.loaded.changes.empty()) return;
  log_warn("configuration-changed",
           {{"why", "this broker took over, and its own file is in force now"},
            {"changes", config.loaded.changes},
            {"do", "if not meant: correct the file, then leasectl reload"}});
}

}  // namespace

/// Time goes on where the database ends, or, if an operator says so, at what the clock shows.
Leader::Leader(Equipment& own, BrokerParts::Opened& opened)
    : own_(own),
      clock_(opened.clock_set_by.empty() ? opened.state.now : Instant{}, *own.parts.time),
      ticked_(opened.clock_set_by.empty() ? opened.state.now : Instant{INT64_MIN}),
      engine_(std::move(opened.store), std::move(opened.state), own.figures),
      config_(own, engine_) {
  own_.agents.go_by([clock = clock_] { return clock.now(); });
  if (opened.clock_set_by.empty()) return;
  log_warn("clock-set", {{"why", "the last events were dated by a wrong clock"},
                         {"then", "history goes on from now"},
                         {"from", format_utc(state().now)},
                         {"to", format_utc(clock_.now())},
                         {"by", opened.clock_set_by}});
}

Result<std::unique_ptr<Leader>> Leader::open(Equipment& own, ConfigRead config) {
  auto opened = own.parts.open_store();
  if (!opened) return tl::unexpected(opened.error());
  std::unique_ptr<Leader> leader(new Leader(own, *opened));
  const Status begun = leader->begin(std::move(config), *opened);
  if (!begun) return tl::unexpected(begun.error());
  return leader;
}

Status Leader::begin(ConfigRead config, const BrokerParts::Opened& opened) {
  if (!opened.clock_set_by.empty()) engine_.feed(ClockSet{opened.clock_set_by}, clock_.now());
  own_.now = next_instant();
  if (Status known = config_.check_clusters(config.loaded.config); !known) return known;
  if (own_.parts.resolve) {  // the log's time may be ahead of the clock by which it was read
    if (auto windows = own_.parts.resolve(config.loaded.config, own_.now)) {
      config.loaded.windows = *std::move(windows);
    }
  }
  config_.note_changes(config);
  const uint64_t drawn = engine_.store().leads().incarnation;
  engine_.feed(BrokerStarted{drawn != 0 ? drawn : random_u64(), opened.database_older, opened.warm},
               own_.now);
  config_.feed(config.loaded, config.access);
  if (opened.database_older) log_older(opened.older_because);
  if (Status committed = engine_.commit(); !committed) return committed;
  log_in_force(config);
  own_.standby.answered(engine_.store().last_event());
  own_.wake_log_followers();
  log_records(state(), own_.now, engine_.effects().records, engine_.caused());
  engine_.clear_effects();  // no agent is connected yet
  own_.agents.forget_sessions();
  own_.parts.adopt = false;
  begin_to_lead(opened.warm);
  config_.put_in_force();
  publish_turn();
  return {};
}

/// Contract: the take-over is committed.
void Leader::begin_to_lead(bool warm) {
  const Leads leads = engine_.store().leads();
  own_.standby.leads(leads);
  if (leads.epoch == 0) return;
  own_.readings.begin_to_lead();
  if (own_.parts.own_file) own_.parts.own_file(std::nullopt);
  own_.agents.lead({static_cast<uint64_t>(leads.epoch), leads.incarnation, leads.ttl_ms}, [this] {
    const int64_t late_ms = LEASEHOLD_CANARY(asks_the_turns_clock) ? clock_.now() - own_.now : 0;
    return own_.boottime_ms() - late_ms < engine_.store().leads_until_ms();
  });
  own_.agents.set_epoch_limit(own_.standby.epoch_believed(leads.epoch));
  own_.troubles.of_database("");
  own_.troubles.of_take_over("");
  own_.others.leads();
  *own_.parts.accept_clock = false;
  ++own_.figures.take_overs;
  own_.figures.take_overs_warm += warm ? 1 : 0;
  log_info("leadership-acquired",
           {{"epoch", leads.epoch}, {"warm", warm}, {"last_event", engine_.store().last_event()}});
  own_.agents.greet_redirected(state(), own_.boottime_ms());
}

Instant Leader::next_instant() const {
  // After a tick the next event is later: see Engine::tick.
  return std::max(clock_.now(), std::max(state().now, ticked_ + 1));
}

OperatorContext Leader::context() {
  return OperatorContext{state(), own_.agents.liveness(), own_.now, engine_.store().last_event(),
                         [this](uint64_t& reading, const std::string& by) {
                           Readings::Found found = own_.readings.read_for(reading, by, own_.now);
                           if (found) found = config_.checked(*std::move(found));
                           return found;
                         }};
}

Instant Leader::next_turn() {
  const auto at = [this](int64_t deadline_ms) {
    return deadline_ms == INT64_MAX ? kNever : clock_.now() + (deadline_ms - own_.boottime_ms());
  };
  return std::min({next_deadline(state()), own_.agents.next_late(own_.now), own_.agents.next_loss(),
                   at(engine_.store().next_renewal_ms()), at(own_.readings.next_late_ms()),
                   at(own_.others.next_exchange_ms())});
}

/// Commits at once: the next request must be checked against what this one changed, and an answer
/// means that the change is on disk.
Leader::Ends Leader::carry_out(OperatorTask task) {
  if (std::holds_alternative<ConfigLoaded>(task.event)) {
    config_.feed(task.event, task.access);
  } else {
    engine_.feed(task.event, own_.now);
  }
  tickets_.push_back(task.ticket);
  const auto* command = std::get_if<OperatorCommand>(&task.event);
  steps_down_ = command != nullptr && command->command == Command::step_down;
  if (Status done = commit_and_send(); !done) return tl::unexpected(done.error());
  return steps_down_ ? std::optional(command->successor) : std::nullopt;
}

Leader::Ends Leader::read_operators() {
  own_.operators.send_answers();
  for (size_t left = own_.operators.waiting_for_file(); left > 0; --left) {
    std::optional<OperatorTask> task = own_.operators.handle_waiting(context());
    if (!task) continue;
    if (Ends ends = carry_out(*std::move(task)); !ends || *ends) return ends;
  }
  const int64_t until_ms = own_.boottime_ms() + kRequestsMs;
  for (int i = 0; i < kRequestsPerTurn; ++i) {
    if (!own_.operators.receive_into(own_.frame)) break;
    std::optional<OperatorTask> task = own_.operators.handle(own_.frame, context());
    if (!task && own_.boottime_ms() > until_ms) break;
    if (!task) continue;
    if (Ends ends = carry_out(*std::move(task)); !ends || *ends) return ends;
  }
  return std::nullopt;
}

int64_t Leader::feed(const Event& event) {
  const int64_t bytes = engine_.feed(event, own_.now);
  const bool of_hosts = std::holds_alternative<InventoryReported>(event) ||
                        std::holds_alternative<InventoryChanged>(event);
  if (of_hosts) config_.log_contradictions();
  return bytes;
}

Leader::Ends Leader::turn() {
  own_.now = next_instant();
  const AgentPort::Sink sink = [this](const Event& event) { return feed(event); };
  own_.agents.read(state(), own_.now, kMessagesPerTurn, sink);
  own_.agents.find_lost(state(), own_.now, sink);
  config_.renew_windows();
  Ends ends = read_operators();
  if (!ends || *ends) return ends;
  if (next_deadline(state()) <= own_.now) {
    engine_.tick(own_.now);
    ticked_ = own_.now;
  }
  return ends;
}

Leader::Ends Leader::take_turn() {
  Ends ends = turn();
  if (!ends || *ends) return ends;
  if (Readings::Found read = own_.readings.by_signal(own_.now)) {
    own_.now = next_instant();
    config_.feed_by_signal(*std::move(read));
  }
  Status goes_on = check_not_outranked();
  if (goes_on) goes_on = commit_and_send();
  if (goes_on) goes_on = renew();
  if (!goes_on) return tl::unexpected(goes_on.error());
  return mind_others();
}

void Leader::finish_tasks(const Status& outcome) {
  for (uint64_t ticket : tickets_) own_.operators.finish(ticket, outcome, context());
  tickets_.clear();
}

void Leader::reached(const char* place) const {
  if (own_.parts.reached) own_.parts.reached(place, engine_.effects().records);
}

Status Leader::commit_and_send() {
  if (LEASEHOLD_CANARY(sends_before_commit)) {
    own_.agents.send(state(), own_.now, engine_.effects());
  }
  reached("before-commit");
  const int64_t events = engine_.store().coming_bytes();
  const Status committed = engine_.commit();
  if (committed) own_.agents.recorded(events, events > 0 ? engine_.store().row_bytes() : 0);
  if (!committed && !LEASEHOLD_CANARY(keeps_memory_after_failed_commit)) return committed;
  if (!committed) finish_tasks(committed);
  own_.standby.answered(engine_.store().last_event());
  reached("after-commit");  // rule 3: nothing leaves before it
  own_.wake_log_followers();
  own_.troubles.of_compaction(engine_.store().compaction_error());
  count_records(state(), engine_.effects().records, own_.figures);
  log_records(state(), own_.now, engine_.effects().records, engine_.caused());
  config_.put_in_force();  // before sending: a removed key is sent nothing more
  // Answered after put_in_force(): whoever reads that a token changed may use it on HTTP's thread.
  if (committed && !steps_down_) finish_tasks(committed);
  own_.agents.send(state(), own_.now, engine_.effects());
  reached("after-send");
  engine_.clear_effects();
  publish_turn();
  return {};
}

LeadNow Leader::lead_now() const {
  const Store& store = engine_.store();
  return {store.leads(), store.last_event(), store.leads_until_ms(), dates_ahead_ms()};
}

void Leader::publish_turn() {
  own_.publish_role(lead_now());
  if (own_.parts.bulletin && own_.parts.bulletin->is_asked()) {
    count_waiting(state(), own_.figures);
    own_.agents.count(own_.figures);
  }
  own_.publish_turn(engine_.store().last_event());
}

/// Rule 13: refused if an agent has seen an epoch that is not below ours.
Status Leader::check_not_outranked() {
  const Leading& by = own_.agents.outranked_by();
  const auto epoch = static_cast<int64_t>(by.epoch);
  if (!own_.standby.is_outranked(epoch, by.incarnation, engine_.store().leads())) return {};
  return fail(ErrorCode::refused, "agents have followed a broker with epoch " +
                                      std::to_string(epoch) + ", this one has " +
                                      std::to_string(engine_.store().leads().epoch) +
                                      "; it takes over again above " + std::to_string(epoch));
}

/// Renews the lead if no commit has done so for long enough.
Status Leader::renew() {
  if (engine_.store().next_renewal_ms() > own_.boottime_ms()) return {};
  Status done = engine_.store().renew();
  if (!done) return done;
  own_.standby.answered(engine_.store().last_event());
  publish_turn();
  return done;
}

/// Exchanges rows with the other brokers in time; one of them may have to lead instead.
Leader::Ends Leader::mind_others() {
  if (!own_.others.must_exchange()) return std::nullopt;
  const std::vector<std::string> connected_clusters = own_.agents.in_contact(state(), clock_.now());
  own_.others.exchange(connected_clusters);
  const std::string to =
      own_.others.gives_to(!connected_clusters.empty(), state().config.agent_timeout_ms);
  return to.empty() ? std::nullopt : std::optional(to);
}

Status Leader::step_down(const std::string& successor) {
  Status done = engine_.store().step_down(successor);
  finish_tasks(done);
  return done;
}

}  // namespace leasehold
