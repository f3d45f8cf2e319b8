// The part of Agent that keeps to the broker that leads (schema/wire/PROTOCOL.md, "Handshake").
#include "agent/io/agent/agent.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

void Agent::on_welcome(const wire::Welcome& welcome, int64_t now_ms) {
  const Leadership claimed = leadership_of(welcome.epoch, welcome.incarnation);
  if (session_.refuses(claimed)) note_refused(claimed);
  switch (session_.on_welcome(claimed, now_ms)) {
    case Outgoing::hello:
      note_heard(welcome.sent_ms, now_ms);
      return send_hello(now_ms);
    case Outgoing::knock:
      return send_knock();
    case Outgoing::heartbeat:
    case Outgoing::nothing:
      return;
  }
}

/// Rule 12: what a broker says holds under the leadership that was greeted alone.
bool Agent::is_of_leader(const char* what, std::optional<uint64_t> epoch,
                         std::optional<uint64_t> incarnation) {
  if (is_of(session_.leadership(), epoch, incarnation)) return true;
  ++of_others_;
  log_debug("of-another-leader", {{"message", what},
                                  {"epoch", epoch.value_or(0)},
                                  {"incarnation", incarnation.value_or(0)},
                                  {"epoch_greeted", session_.leadership().epoch},
                                  {"incarnation_greeted", session_.leadership().incarnation}});
  return false;
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

void Agent::note_refused(const Leadership& claimed) {
  if (refused_said_ == claimed) return;
  refused_said_ = claimed;
  const Leadership& seen = session_.seen();
  const char* why = "a broker with a higher epoch has led since";
  if (claimed.epoch == 0)
    why =
        "it says no epoch, and brokers on a shared database have led; if the site has gone back to "
        "one broker with a database of its own, start this agent once with --forget-epoch";
  else if (claimed.epoch == seen.epoch)
    why = "another broker has led with the same epoch: two servers of its database have committed";
  log_warn("leader-refused", {{"epoch", claimed.epoch},
                              {"incarnation", claimed.incarnation},
                              {"epoch_seen", seen.epoch},
                              {"incarnation_seen", seen.incarnation},
                              {"why", why}});
}

void Agent::on_refusal(const wire::Refusal& refusal, int64_t now_ms) {
  if (refusal.reason != Reason::elsewhere) {
    log_warn("refused", {{"reason", token(refusal.reason)},
                         {"message", refusal.message},
                         {"version_theirs", refusal.version},
                         {"version_ours", wire::kVersion}});
  } else if (!std::exchange(elsewhere_said_, true)) {
    log_info("elsewhere", {{"message", refusal.message}});
  }
  const bool left = session_.leaves();
  session_.on_refusal(refusal.reason, now_ms);
  if (refusal.sent_ms && session_.leaves() && !left) send_last_word(*refusal.sent_ms, now_ms);
}

}  // namespace leasehold::agent
