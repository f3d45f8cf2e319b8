#include "agent/io/agent/agent.hpp"

#include <algorithm>

#include "agent/core/bounds.hpp"
#include "common/canary.hpp"
#include "common/log.hpp"
#include "common/random.hpp"
#include "common/time/clock.hpp"
#include "common/version.hpp"
#include "common/wire/codec.hpp"

namespace leasehold::agent {

Agent::Agent(AgentSettings settings, Workload& workload, StateFile state, SavedState saved,
             Reached reached, Send send)
    : settings_(std::move(settings)),
      workload_(workload),
      state_(std::move(state)),
      saved_(std::move(saved)),
      failures_(settings_.degraded_after),
      contact_(settings_.session, saved_->seen, *settings_.clocks),
      limits_(settings_.names, state_, *saved_),
      enforcement_(workload_, limits_, contact_, failures_, settings_.divide),
      workload_lease_(workload_, limits_, contact_, enforcement_),
      host_waker_(workload_, state_),
      of_work_(workload_, state_, *settings_.clocks, settings_.reported_names()),
      statements_({contact_, limits_, enforcement_, of_work_, failures_, host_waker_},
                  settings_.cluster, settings_.report_interval_ms,
                  Cautions(workload_, settings_.cautions, settings_.needs_host_names),
                  std::move(send)),
      orders_({workload_, contact_, limits_, enforcement_, statements_, of_work_.fates},
              std::move(reached)),
      work_ends_({workload_, state_, failures_, limits_, enforcement_, of_work_, orders_},
                 settings_.scheduling, settings_.interrupt_signal, *settings_.clocks) {}

void Agent::on_message(const wire::Message& message, int64_t now_ms) {
  work_ends_.begin_turn();
  if (!started()) return;  // the broker sends it again when it is greeted
  end_leases(now_ms);      // first, as this process may have been stopped past the end of leases
  if (const auto* welcome = std::get_if<wire::Welcome>(&message)) {
    on_welcome(*welcome, now_ms);
  } else if (const auto* configuration = std::get_if<wire::Configuration>(&message)) {
    on_configuration(*configuration, now_ms);
  } else if (const auto* order = std::get_if<wire::Order>(&message)) {
    orders_.on_order(*order, now_ms);
  } else if (const auto* answer = std::get_if<wire::HeartbeatAnswer>(&message)) {
    on_heartbeat_answer(*answer, now_ms);
  } else if (const auto* refusal = std::get_if<wire::Refusal>(&message)) {
    on_refusal(*refusal, now_ms);
  } else {
    log_warn("unexpected-message", {{"type", wire::token(wire::type_of(message))},
                                    {"why", "the broker sent a message that only agents send"},
                                    {"then", "it is left out"},
                                    {"do", kCompareReleases}});
  }
}

void Agent::on_welcome(const wire::Welcome& welcome, int64_t now_ms) {
  Session& session = contact_.session();
  const Leadership claimed = leadership_of(welcome.epoch, welcome.incarnation);
  if (session.refuses(claimed)) contact_.other_leaders().note_refused(claimed, session.seen());
  switch (session.on_welcome(claimed, now_ms)) {
    case Outgoing::hello:
      contact_.note_sent(welcome.sent_ms, now_ms);
      return greet(now_ms);
    case Outgoing::knock:
      return statements_.knock();
    case Outgoing::heartbeat:
    case Outgoing::nothing:
      return;
  }
}

void Agent::on_refusal(const wire::Refusal& refusal, int64_t now_ms) {
  contact_.other_leaders().note_refusal(refusal);
  Session& session = contact_.session();
  const bool left = session.leaves();
  session.on_refusal(refusal.reason, now_ms);
  if (refusal.sent_ms && session.leaves() && !left) statements_.last_word(*refusal.sent_ms, now_ms);
}

/// The new boot number is on disk before the hello leaves, and (rule 12, agent/core/leadership.hpp)
/// the leadership that it greets: whoever reads the hello may count on a lower one being refused,
/// also after a restart.
void Agent::greet(int64_t now_ms) {
  Session& session = contact_.session();
  const bool late = LEASEHOLD_CANARY(keeps_epoch_late);
  const Result<uint64_t> boot = state_.next_boot(late ? session.seen() : session.to_keep());
  if (!boot) {
    log_not_written(boot.error(), "the agent does not connect until the state can be written");
    return;
  }
  orders_.drop_all();  // the broker answers with new orders; fences stay until then
  const WorkloadTraits traits = workload_.traits();
  wire::Hello hello;
  hello.state_id = limits_.state_id();
  hello.boot = *boot;
  hello.session = random_u64();
  hello.has_state = !limits_.lost();
  hello.program_version = kVersion;
  hello.workload = traits.manager;
  hello.self_expiring = traits.self_expiring;
  hello.fences = traits.fences;
  hello.settle_ms = traits.settle_ms;
  hello.lease_ms = workload_lease_.left_at_hello_ms(now_ms);
  hello.identity = settings_.identity;
  hello.chooses = selective(settings_.scheduling);
  hello.scheduling = scheduling_facts(settings_.scheduling);
  hello.cautions = statements_.cautions().take_for_hello(now_ms);
  // Slots that another agent may have closed meanwhile stay closed until the broker's orders come.
  const int64_t before_ms = settings_.clocks->boottime_ms();
  const bool seen = enforcement_.look(now_ms);
  const int64_t look_took_ms = settings_.clocks->boottime_ms() - before_ms;
  const std::set<std::string> closing = enforcement_.fences().closing(now_ms);
  const bool kept = limits_.adopt_fences(enforcement_.view(), closing);
  freeze_differing(limits_.book(), enforcement_.view(), !seen);
  enforcement_.count_use();
  if (!kept) return;
  session.greeted(hello.session, now_ms + look_took_ms);
  // With a slow manager the next look waits until the broker can have answered.
  if (look_took_ms > settings_.report_interval_ms) {
    orders_.next_look().poll_ms = now_ms + look_took_ms + settings_.report_interval_ms;
  }
  of_work_.begin_session();
  contact_.lease().begin_session(now_ms + look_took_ms);
  statements_.hello(std::move(hello), *settings_.clocks);
}

void Agent::on_configuration(const wire::Configuration& configuration, int64_t now_ms) {
  if (!contact_.is_from_broker(configuration, "configuration")) return;
  if (const Status good = check_numbers(configuration); !good) {
    log_error("configuration-refused", {{"why", describe(good.error())},
                                        {"then", "limits and fences stay, nothing new is opened"},
                                        {"do", kCompareReleases}});
    return;
  }
  const wire::Configuration& known = limits_.book().configuration();
  if (known.session == configuration.session && configuration.number <= known.number) {
    // It comes late, or a second time: slots that it leaves out must not be opened by it.
    return report(now_ms);
  }
  const bool resources = !configuration.resources.empty() || !known.resources.empty();
  if (!apply(configuration)) return;
  contact_.lease().set_ttl(configuration.lease_ttl_ms);
  contact_.lease().answered(0);
  end_leases(now_ms);
  workload_lease_.renew(now_ms);
  enforcement_.set_resources_unfenced(resources);
  poll(now_ms);
  report(now_ms);
}

/// Returns false if the configuration cannot be written: the one before stays.
bool Agent::apply(const wire::Configuration& configuration) {
  const std::optional<Book::Adoption> adoption =
      limits_.adopt(configuration, enforcement_.view().hosts);
  if (!adoption) return false;
  for (const std::string& problem : adoption->problems) {
    log_error("host-name-taken", {{"why", problem},
                                  {"then", "slots of that host are not used here"},
                                  {"do", "correct [hosts] rule or map"}});
  }
  enforcement_.count_use();  // an order is answered with it even if the next look fails
  orders_.drop(adoption->dropped);
  contact_.confirm(configuration);
  orders_.drop_outdated();
  orders_.drop_ended_sets();
  return true;
}

void Agent::on_heartbeat_answer(const wire::HeartbeatAnswer& answer, int64_t now_ms) {
  if (!contact_.session().open() || !contact_.is_from_broker(answer, "renewal")) return;
  of_work_.on_answer(answer, now_ms);
  host_waker_.hosts().take_answer(answer);
  contact_.note_sent(answer.sent_ms, now_ms);
  if (answer.number != 0 && contact_.lease().answered(answer.number)) {
    end_leases(now_ms);
    workload_lease_.renew(now_ms);
  }
  if (!answer.resync) return;
  log_debug("resync", {{"report", statements_.reports().number()}});
  statements_.reports().resync();
  report(now_ms);
}

void Agent::on_time(int64_t now_ms) {
  work_ends_.begin_turn();
  end_leases(now_ms);
  const NextLook& next = orders_.next_look();
  const bool reports_now = contact_.session().open() && now_ms >= statements_.reports().next_ms();
  if (reports_now || now_ms >= next.poll_ms || now_ms >= work_ends_.next_look_ms() ||
      (awaits_use(limits_.book()) && now_ms >= next.change_ms)) {
    poll(now_ms);
  }
  if (!started()) return;
  orders_.advance(now_ms);
  if (reports_now) report(now_ms);
  if (enforcement_.may_speak_ms() > now_ms) return;
  switch (contact_.session().on_time(now_ms)) {
    case Outgoing::knock:
      statements_.knock();
      break;
    case Outgoing::heartbeat:
      statements_.heartbeat(now_ms);
      break;
    case Outgoing::hello:
    case Outgoing::nothing:
      break;
  }
}

void Agent::beat(int64_t now_ms) {
  Session& session = contact_.session();
  if (!started() || !session.open() || session.next_ms() > now_ms ||
      enforcement_.may_speak_ms() > now_ms) {
    return;
  }
  if (session.on_time(now_ms) == Outgoing::heartbeat) statements_.heartbeat(now_ms);
}

int64_t Agent::next_ms() const {
  int64_t next = std::min(orders_.next_look().poll_ms, work_ends_.next_look_ms());
  if (!started()) return next;
  const Session& session = contact_.session();
  next = std::min({next, std::max(session.next_ms(), enforcement_.may_speak_ms()),
                   lease_end_.next_ms(contact_.lease().ends_ms()), orders_.next_ms()});
  if (session.open()) next = std::min(next, statements_.reports().next_ms());
  if (awaits_use(limits_.book())) next = std::min(next, orders_.next_look().change_ms);
  return next;
}

/// Fences the slots of leases that have ended. Called first in each turn: nothing opens before it.
void Agent::end_leases(int64_t now_ms) {
  if (!started()) return;
  const LeaseClock& lease = contact_.lease();
  if (lease_end_.begins(lease.ended(now_ms))) {
    log_warn("leases-ended", {{"cluster", settings_.cluster},
                              {"lease_ttl_ms", lease.ttl_ms()},
                              {"why", "no broker has answered for lease_ttl"},
                              {"then", "leased slots are closed, work there ends after its grace"},
                              {"do", "bring the broker or the network back"}});
    orders_.drop_of_consumers();
    if (limits_.book().close_leased()) lease_end_.closed();
  }
  if (lease_end_.try_fence(now_ms) && enforcement_.enforce(now_ms)) {
    lease_end_.fenced(now_ms, workload_.traits().settle_ms);
  }
  if (!lease_end_.try_give_up(now_ms) || !enforcement_.look(now_ms)) return;
  lease_end_.gave_up();
  orders_.lower_ended(now_ms);
}

/// "Agent start": it opens nothing. Nothing is sent until the workload manager has been seen.
void Agent::start(int64_t now_ms) {
  Result<View> view = workload_.read({});
  if (!view) return failures_.count("read", view.error());
  limits_.restore(*saved_, *view);
  orders_.drop_ended_sets();
  enforcement_.restore(std::move(*view));
  if (!enforcement_.look(now_ms)) return;
  const wire::Configuration& known = saved_->configuration;
  contact_.lease().set_ttl(saved_->lost ? 0 : known.lease_ttl_ms);
  contact_.lease().resume(enforcement_.view().leases_until_ms);
  contact_.session().set_leader_ttl(known.leader_ttl_ms.value_or(0));
  const int frozen = freeze_differing(limits_.book(), enforcement_.view(), saved_->lost);
  work_ends_.restore(*saved_, now_ms);
  host_waker_.hosts().restore(saved_->wakes, saved_->wakes_boot == machine_time().boot_id(),
                              now_ms);
  of_work_.restore(*saved_, now_ms);
  log_info("started", {{"cluster", settings_.cluster},
                       {"has_state", !saved_->lost},
                       {"groups", limits_.book().groups().size()},
                       {"hosts_frozen", frozen}});
  saved_.reset();
}

void Agent::poll(int64_t now_ms) {
  NextLook& next = orders_.next_look();
  const int failures_before = failures_.in_a_row();
  next.poll_ms = now_ms + settings_.report_interval_ms;
  work_ends_.begin_look();
  if (!started()) {
    start(now_ms);
    end_leases(now_ms);  // they may have ended while no agent ran
  }
  const int64_t before_ms = settings_.clocks->boottime_ms();
  const bool seen = started() && enforcement_.look(now_ms);
  const int64_t pause_ms = kPauseOfLooks * (settings_.clocks->boottime_ms() - before_ms);
  if (seen) {
    act_on_look(now_ms);
  } else {
    next.poll_ms = now_ms + std::min(kRetryMs, settings_.report_interval_ms);
  }
  if (failures_.in_a_row() == failures_before) failures_.end_row();
  // A next change that lies in the past was seen by the look just taken.
  const int64_t change = workload_.next_change_in_ms();
  next.change_ms = change == INT64_MAX ? change : now_ms + std::max({change, kLookGapMs, pause_ms});
}

void Agent::act_on_look(int64_t now_ms) {
  note_use();
  orders_.lower_open(now_ms);
  workload_lease_.renew(now_ms);
  enforcement_.enforce(now_ms);
  enforcement_.fence_resources();
  work_ends_.advance(now_ms);
  const View& view = enforcement_.view();
  statements_.cautions().look(view, now_ms);
  if (!contact_.session().open()) return;
  if (view.hosts != statements_.reports().inventory()) statements_.inventory();
  host_waker_.mind(limits_.book(), view, now_ms);
  if (statements_.cautions().need_hello(now_ms) && orders_.size() == 0) greet(now_ms);
}

void Agent::note_use() {
  for (const uint64_t generation : limits_.book().note_use(enforcement_.use())) {
    LeasedGroup& group = *limits_.book().find(generation);
    group.limits.ever_used = limits_.persist(group);  // else it is found again at the next look
    if (group.limits.ever_used) statements_.state(generation);
  }
}

AgentFigures Agent::figures(int64_t now_ms) const {
  AgentFigures figures;
  figures.cluster = settings_.cluster;
  figures.connected = contact_.session().open();
  figures.started = started();
  figures.workload_up = enforcement_.seen();
  figures.failures = failures_.in_a_row();
  figures.epoch = contact_.session().seen().epoch;
  figures.of_others = contact_.other_leaders().messages();
  if (const auto looked_ms = enforcement_.looked_ms()) figures.look_age_ms = now_ms - *looked_ms;
  figures.pending = enforcement_.view().pending;
  figures.running = enforcement_.view().running;
  figures.orders = orders_.size();
  figures.reclaims = work_ends_.reclaims(now_ms);
  const std::vector<GroupUse>& use = enforcement_.use();
  const std::vector<LeasedGroup>& groups = limits_.book().groups();
  for (size_t i = 0; i < groups.size() && i < use.size(); ++i) {
    const LeasedGroup& group = groups[i];
    LeasedSlots& slots = figures.leased[{group.configured.peer, group.limits.role}];
    for (const HostLimit& host : group.limits.hosts) slots.limit += host.limit;
    for (const int32_t used : use[i].used) slots.used += used;
    figures.breach += use[i].breach;
  }
  return figures;
}

}  // namespace leasehold::agent
