#include "agent/io/agent/agent.hpp"

#include <algorithm>

#include "agent/core/bounds.hpp"
#include "common/canary.hpp"
#include "common/clock.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

namespace {

/// Pauses between looks that the workload manager asks for itself, and after a failed look.
constexpr int64_t kLookGapMs = 50;
constexpr int64_t kRetryMs = 1'000;

}  // namespace

Agent::Agent(AgentSettings settings, Workload& workload, StateFile state, SavedState saved,
             Reached reached, Send send)
    : settings_(std::move(settings)),
      workload_(workload),
      state_(std::move(state)),
      reached_(std::move(reached)),
      send_(std::move(send)),
      session_(settings_.session, saved.seen),
      reports_(settings_.report_interval_ms),
      failures_(settings_.degraded_after),
      book_(settings_.names),
      saved_(std::move(saved)),
      state_id_(saved_.state_id),
      lost_(saved_.lost),
      host_waker_(workload_),
      fates_(workload_, state_, *settings_.clocks, settings_.tell_users),
      work_sessions_(settings_.scheduling),
      reclaims_({workload_, state_, failures_, endings_, fates_}, settings_.interrupt_signal,
                [this] { return late_ms(); }),
      preemptions_(settings_.scheduling, state_, fates_) {}

/// Returns how long ago the turn began.
int64_t Agent::late_ms() const {
  return std::max<int64_t>(0, settings_.clocks->boottime_ms() - turn_began_ms_);
}

void Agent::on_message(const wire::Message& message, int64_t now_ms) {
  now_ms_ = now_ms;
  turn_began_ms_ = settings_.clocks->boottime_ms();
  if (!started_) return;  // the broker says it again when it is greeted
  mind_lease(now_ms);     // before it can open anything: this process may have stood still
  if (const auto* welcome = std::get_if<wire::Welcome>(&message))
    on_welcome(*welcome, now_ms);
  else if (const auto* configuration = std::get_if<wire::Configuration>(&message))
    on_configuration(*configuration, now_ms);
  else if (const auto* order = std::get_if<wire::Order>(&message))
    on_order(*order, now_ms);
  else if (const auto* answer = std::get_if<wire::HeartbeatAnswer>(&message))
    on_heartbeat_answer(*answer, now_ms);
  else if (const auto* refusal = std::get_if<wire::Refusal>(&message))
    on_refusal(*refusal, now_ms);
  else
    log_warn("unexpected-message", {{"kind", message.index()}});
}

void Agent::on_configuration(const wire::Configuration& configuration, int64_t now_ms) {
  if (!session_.is_current(configuration.session)) return;
  if (!other_leaders_.check(session_, "configuration", configuration.epoch,
                            configuration.incarnation))
    return;
  if (const Status good = check_numbers(configuration); !good) {
    log_error("configuration-refused", {{"why", describe(good.error())}});
    return;
  }
  const wire::Configuration& known = book_.configuration();
  if (known.session == configuration.session && configuration.number <= known.number) {
    // It comes late, or again: what it leaves out must not be opened by it.
    return send_report(now_ms);
  }
  const Book before = book_;
  const bool unknown_limits = lost_ && !configuration.observe;
  const Book::Adoption adoption = book_.adopt(configuration, unknown_limits, view_.hosts);
  std::vector<GroupLimits> changed;
  for (const uint64_t generation : adoption.changed)
    changed.push_back(book_.find(generation)->limits);
  if (const Status saved = state_.save(configuration, changed, adoption.dropped); !saved) {
    book_ = before;
    log_error("state-not-written", {{"error", describe(saved.error())}});
    return;
  }
  for (const std::string& problem : adoption.problems)
    log_error("host-name-taken", {{"problem", problem}});
  for (const uint64_t generation : adoption.dropped) pending_.erase(generation);
  if (!session_.open())
    log_info("connected",
             {{"session", session_.session()}, {"incarnation", session_.incarnation()}});
  session_.on_configuration(configuration.session);
  session_.set_leader_ttl(configuration.leader_ttl_ms.value_or(0));
  other_leaders_.on_connected();
  lost_ = false;
  confirmed_ = true;
  drop_outdated_orders();
  mind_sets();
  lease_.set_ttl(configuration.lease_ttl_ms);
  lease_.answered(0);
  mind_lease(now_ms);
  renew_workload(now_ms);
  resources_due_ = !configuration.resources.empty() || !before.configuration().resources.empty();
  poll(now_ms);
  send_report(now_ms);
}

void Agent::on_heartbeat_answer(const wire::HeartbeatAnswer& answer, int64_t now_ms) {
  if (!session_.is_current(answer.session) || !session_.open()) return;
  if (!other_leaders_.check(session_, "renewal", answer.epoch, answer.incarnation)) return;
  fates_.on_answer(answer.ended);
  host_waker_.hosts().heard(answer);
  note_contact(answer.sent_ms, now_ms);
  if (answer.number != 0 && lease_.answered(answer.number)) {
    mind_lease(now_ms);
    renew_workload(now_ms);
  }
  if (!answer.resync) return;
  log_debug("resync", {{"report", reports_.number()}});
  reports_.resync();
  send_report(now_ms);
}

void Agent::on_time(int64_t now_ms) {
  now_ms_ = now_ms;
  turn_began_ms_ = settings_.clocks->boottime_ms();
  mind_lease(now_ms);
  const bool report_due = session_.open() && now_ms >= reports_.due_ms();
  if (report_due || now_ms >= poll_due_ms_ || now_ms >= reclaims_.due_ms() ||
      (waits_for_use() && now_ms >= workload_due_ms_))
    poll(now_ms);
  if (!started_) return;
  advance_orders(now_ms);
  if (report_due) send_report(now_ms);
  if (may_speak_ms() > now_ms) return;
  switch (session_.on_time(now_ms)) {
    case Outgoing::knock:
      send_knock();
      break;
    case Outgoing::heartbeat:
      send_heartbeat(now_ms);
      break;
    case Outgoing::hello:
    case Outgoing::nothing:
      break;
  }
}

void Agent::beat(int64_t now_ms) {
  if (!started_ || !session_.open() || session_.next_ms() > now_ms || may_speak_ms() > now_ms)
    return;
  if (session_.on_time(now_ms) == Outgoing::heartbeat) send_heartbeat(now_ms);
}

int64_t Agent::next_ms() const {
  int64_t next = std::min(poll_due_ms_, reclaims_.due_ms());
  if (!started_) return next;
  next = std::min(
      {next, std::max(session_.next_ms(), may_speak_ms()), lease_end_.next_ms(lease_.ends_ms())});
  if (session_.open()) next = std::min(next, reports_.due_ms());
  if (waits_for_use()) next = std::min(next, workload_due_ms_);
  for (const auto& [generation, pending] : pending_) next = std::min(next, pending.ready_ms);
  return next;
}

/// A start may find slots open by a state that is older than what is in force. They stay open until
/// the fences of the first enforcement take effect; limits stated sooner would give those slots to
/// others while work may start there. Only the first enforcement sets this deadline: an agent that
/// can close nothing must still be able to say so.
int64_t Agent::may_speak_ms() const {
  return confirmed_ ? INT64_MIN : may_speak_ms_.value_or(INT64_MIN);
}

/// True while slots are coming free, or a first job on a leased slot is awaited: both are reported
/// at once.
bool Agent::waits_for_use() const {
  for (const LeasedGroup& group : book_.groups()) {
    const bool offered = group.limits.role == wire::Role::consumer && !group.limits.ever_used;
    for (const HostLimit& host : group.limits.hosts)
      if (host.lowering || host.withheld > 0 || (offered && host.limit > 0)) return true;
  }
  return false;
}

void Agent::fence_resources() {
  if (!resources_due_) return;
  if (const Status done = workload_.fence_resources(book_.configuration().resources); !done)
    return failures_.count("resources", done.error());
  resources_due_ = false;
}

/// If the look fails, the last good one stays.
bool Agent::look() {
  // To end hold jobs is to raise a cap: what the broker said before counts no more.
  if (!may_raise()) workload_.nobody_else_uses({});
  Result<View> view = workload_.read(book_.imported_hosts());
  seen_ = view.has_value();
  if (!view) {
    failures_.count("read", view.error());
    return false;
  }
  looked_ms_ = now_ms_;
  view_ = std::move(*view);
  fences_.seen(view_.caps, now_ms_, workload_.traits().settle_ms);
  divide_by(settings_.divide, view_);
  use_ = book_.use(view_);
  if (view_.shapes) {
    expected_ends_ = endings_.look(view_.shapes->running, view_.shapes->now);
    expected_ends_->longest_limit_ms = longest_limit_ms(*view_.shapes);
  }
  return true;
}

/// "Agent start": it opens nothing. Nothing is said until the workload manager has been seen.
void Agent::start() {
  Result<View> view = workload_.read({});
  if (!view) return failures_.count("read", view.error());
  if (!saved_.lost) book_.restore(saved_.configuration, saved_.limits, view->hosts);
  book_.adopt_fences(view->caps);
  sets_.restore(saved_.sets);
  mind_sets();
  view_ = std::move(*view);
  if (!look()) return;
  lease_.set_ttl(saved_.lost ? 0 : saved_.configuration.lease_ttl_ms);
  lease_.resume(view_.leases_until_ms);
  session_.set_leader_ttl(saved_.configuration.leader_ttl_ms.value_or(0));
  const int frozen = book_.freeze_differing(view_, saved_.lost);
  const bool same_boot = saved_.reclaims_boot == machine_time().boot_id();
  reclaims_.restore(saved_.reclaims, same_boot, now_ms_);
  preemptions_.restore(saved_.served, saved_.served_boot == machine_time().boot_id(), now_ms_);
  fates_.restore(std::move(saved_.fates));
  log_info("started", {{"cluster", settings_.cluster},
                       {"has_state", !saved_.lost},
                       {"groups", book_.groups().size()},
                       {"hosts_frozen", frozen}});
  started_ = true;
  saved_ = {};
}

void Agent::poll(int64_t now_ms) {
  const int failures_before = failures_.in_a_row();
  poll_due_ms_ = now_ms + settings_.report_interval_ms;
  reclaims_.begin_look();
  if (!started_) {
    start();
    mind_lease(now_ms);  // it may have ended while no agent ran
  }
  const bool good = started_ && look();
  if (!good) poll_due_ms_ = now_ms + std::min(kRetryMs, settings_.report_interval_ms);
  if (good) {
    note_use();
    lower_open();
    renew_workload(now_ms);
    enforce_wanted();
    fence_resources();
    await_set_fences(now_ms);
    reclaim(now_ms);
    if (view_.hosts != reports_.inventory() && session_.open()) send_inventory();
    if (session_.open()) host_waker_.mind(book_, view_, now_ms);
  }
  if (failures_.in_a_row() == failures_before) failures_.end_row();
  // The next change may be known to lie in the past; then the look just taken has seen it.
  const int64_t change = workload_.next_change_in_ms();
  workload_due_ms_ = change == INT64_MAX ? INT64_MAX : now_ms + std::max(change, kLookGapMs);
}

void Agent::note_use() {
  for (const uint64_t generation : book_.note_use(use_)) {
    LeasedGroup& group = *book_.find(generation);
    group.limits.ever_used = persist(group);  // else it is found again at the next look
    if (group.limits.ever_used) send_state(generation);
  }
}

bool Agent::persist(const LeasedGroup& group) {
  if (LEASEHOLD_CANARY(forgets_limits)) return true;
  const Status saved = state_.save(group.limits);
  if (!saved) log_error("state-not-written", {{"error", describe(saved.error())}});
  return saved.has_value();
}

}  // namespace leasehold::agent
