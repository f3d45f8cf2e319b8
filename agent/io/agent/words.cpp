// The part of Agent that says things to the broker, and takes its part in the handshake
// (schema/wire/PROTOCOL.md, "Handshake").
#include <algorithm>

#include "agent/io/agent/agent.hpp"
#include "common/canary.hpp"
#include "common/log.hpp"
#include "common/random.hpp"
#include "common/version.hpp"

namespace leasehold::agent {

namespace {

/// A broker takes no more for true; who wants that much is no better off with less.
constexpr int64_t kSlotsReported = 1'000'000'000;

}  // namespace

void Agent::note_contact(std::optional<int64_t> sent_ms, int64_t now_ms) {
  heard_.reset();
  if (sent_ms) heard_ = wire::ClockReading{0, 0, *sent_ms, now_ms};
}

/// Nothing where the broker could not bound by it how long what it said was under way.
std::optional<wire::ClockReading> Agent::clocks(
    const std::optional<wire::ClockReading>& heard) const {
  const std::optional<BothClocks> both = heard ? read_both(*settings_.clocks) : std::nullopt;
  if (!both) return std::nullopt;
  wire::ClockReading said = *heard;
  said.wall_ms = both->wall.ms;
  said.boottime_ms = both->boottime_ms;
  return said;
}

void Agent::on_welcome(const wire::Welcome& welcome, int64_t now_ms) {
  const Leadership claimed = leadership_of(welcome.epoch, welcome.incarnation);
  if (session_.refuses(claimed)) other_leaders_.note_refused(claimed, session_.seen());
  switch (session_.on_welcome(claimed, now_ms)) {
    case Outgoing::hello:
      note_contact(welcome.sent_ms, now_ms);
      return send_hello(now_ms);
    case Outgoing::knock:
      return send_knock();
    case Outgoing::heartbeat:
    case Outgoing::nothing:
      return;
  }
}

void Agent::on_refusal(const wire::Refusal& refusal, int64_t now_ms) {
  if (refusal.reason == Reason::elsewhere) {
    other_leaders_.note_elsewhere(refusal.message);
  } else {
    log_warn("refused", {{"reason", token(refusal.reason)},
                         {"message", refusal.message},
                         {"version_theirs", refusal.version},
                         {"version_ours", wire::kVersion}});
  }
  const bool left = session_.leaves();
  session_.on_refusal(refusal.reason, now_ms);
  if (refusal.sent_ms && session_.leaves() && !left) send_last_word(*refusal.sent_ms, now_ms);
}

/// Rule 12: it says what was seen, so that a leader that was overtaken learns of it.
void Agent::send_knock() {
  wire::Heartbeat knock;
  say_seen(knock);
  send_(knock);
}

/// To a broker that does not lead, before it is left: who is there, and by what clock. It tells
/// whether the leader alone hears nobody, and whose clock is wrong before it leads.
void Agent::send_last_word(int64_t sent_ms, int64_t now_ms) {
  wire::Heartbeat word;
  word.cluster = settings_.cluster;
  word.clock = clocks(wire::ClockReading{0, 0, sent_ms, now_ms});
  if (!word.clock) return;
  say_seen(word);
  send_(word);
}

/// The new boot number is on disk before the hello leaves, and (rule 12) the leadership that it
/// greets: whoever reads the hello may count on a lower one being refused, also after a restart.
void Agent::send_hello(int64_t now_ms) {
  const bool late = LEASEHOLD_CANARY(keeps_epoch_late);
  const Result<uint64_t> boot = state_.next_boot(late ? session_.seen() : session_.to_keep());
  if (!boot) {
    log_error("state-not-written", {{"error", describe(boot.error())}});
    return;
  }
  pending_.clear();  // the broker answers with new orders; fences stay until then
  mind_sets();
  const WorkloadTraits traits = workload_.traits();
  wire::Hello hello;
  hello.cluster = settings_.cluster;
  hello.incarnation = session_.incarnation();
  hello.state_id = state_id_;
  hello.boot = *boot;
  hello.session = random_u64();
  hello.has_state = !lost_;
  hello.program_version = kVersion;
  hello.workload = traits.manager;
  hello.self_expiring = traits.self_expiring;
  hello.fences = traits.fences;
  hello.settle_ms = traits.settle_ms;
  hello.lease_ms = lease_ms_at_hello(now_ms);
  hello.identity = settings_.identity;
  hello.chooses = selective(settings_.scheduling);
  hello.scheduling = scheduling_facts(settings_.scheduling);
  if (!settings_.cautions.empty()) hello.cautions = settings_.cautions;
  // Another agent may have served the cluster since the broker last received from this one: what
  // that agent closed stays closed until the broker's orders come.
  const int64_t before_ms = settings_.clocks->boottime_ms();
  const bool seen = look();
  const int64_t look_took_ms = settings_.clocks->boottime_ms() - before_ms;
  book_.adopt_fences(view_.caps);
  book_.freeze_differing(view_, !seen);
  use_ = book_.use(view_);
  for (size_t i = 0; i < book_.groups().size(); ++i) book_.state_of(i, use_[i], true, hello.state);
  session_.greeted(hello.session, now_ms + look_took_ms);
  // With a slow manager the next look waits until the broker can have answered: heartbeats leave
  // during a look, but only once the broker's configuration is there.
  if (look_took_ms > settings_.report_interval_ms)
    poll_due_ms_ = now_ms + look_took_ms + settings_.report_interval_ms;
  fates_.begin_session();
  say_seen(hello);
  lease_.begin_session(now_ms + look_took_ms);
  reports_.begin_session(hello.session);
  hello.wall_ms = settings_.clocks->wall_time().ms;  // last: that look may have taken long
  hello.clock = clocks(heard_);
  send_(hello);
  send_inventory();
}

void Agent::send_inventory() {
  host_waker_.hosts().sent_inventory(session_.last_heartbeat());
  send_(wire::Inventory{session_.session(), reports_.take_inventory(view_.hosts)});
}

void Agent::send_state(uint64_t generation) {
  if (!session_.open()) return;  // the hello says it
  wire::State state;
  state.session = session_.session();
  state.configuration = book_.configuration().number;
  state.number = session_.next_statement();
  for (size_t i = 0; i < book_.groups().size(); ++i)
    if (book_.groups()[i].limits.generation == generation)
      book_.state_of(i, use_[i], true, state.state);
  send_(state);
}

/// With the age of what it goes by: of a manager that does not answer it knows no more than before.
void Agent::send_heartbeat(int64_t now_ms) {
  const uint64_t number = session_.next_heartbeat();
  lease_.sent(number, now_ms);
  wire::Heartbeat heartbeat{session_.session(), number, reports_.number()};
  heartbeat.ended = fates_.untold();
  heartbeat.clock = clocks(heard_);
  if (looked_ms_) heartbeat.look_age_ms = std::max<int64_t>(0, now_ms - *looked_ms_);
  send_(heartbeat);
}

/// A heartbeat of another kind: a broker that does not know it takes it for the last one there was.
/// Nothing is renewed by it, because its answer reaches nobody.
void Agent::say_stopping() {
  if (!session_.open()) return;
  send_(wire::Heartbeat{session_.session(), session_.next_heartbeat(), reports_.number(), true});
}

Picture Agent::picture() const {
  Picture picture;
  picture.configuration = book_.configuration().number;
  picture.pending = std::min(view_.pending, kSlotsReported);
  picture.running = std::min(view_.running, kSlotsReported);
  picture.degraded = failures_.degraded();
  picture.lease_ms = lease_ms();
  if (view_.shapes) picture.demand = demand_of(view_.shapes->waiting);
  picture.ending = expected_ends_;
  for (size_t i = 0; i < book_.groups().size(); ++i)
    book_.state_of(i, use_[i], false, picture.state);
  picture.hosts = reports_.use_of(view_.loads);
  return picture;
}

void Agent::send_report(int64_t now_ms) {
  if (!reports_.begin(seen_, failures_.degraded(), now_ms)) return;
  use_ = book_.use(view_);
  if (const std::optional<wire::Report> report = reports_.make(picture())) send_(*report);
}

}  // namespace leasehold::agent
