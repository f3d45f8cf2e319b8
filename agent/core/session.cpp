#include "agent/core/session.hpp"

#include <algorithm>

namespace leasehold::agent {

namespace {

constexpr int kDoublingsMost = 10;

}  // namespace

Outgoing Session::on_welcome(uint64_t incarnation, int64_t now_ms) {
  if (stage_ == Stage::waiting && now_ms < due_ms_) return Outgoing::nothing;
  // Answers to messages that left before the hello: the hello itself answers them all.
  if (stage_ == Stage::greeting && incarnation == incarnation_ && now_ms < due_ms_)
    return Outgoing::nothing;
  if (incarnation != incarnation_) unanswered_ = 0;
  incarnation_ = incarnation;
  return Outgoing::hello;
}

void Session::greeted(uint64_t session, int64_t now_ms) {
  session_ = session;
  heartbeat_ = 0;
  stage_ = Stage::greeting;
  // A broker that many agents greet at once answers them one by one: who greets it again before its
  // answer is there has made that one worthless, and adds to what the others wait for.
  due_ms_ = now_ms + std::min(times_.patience_ms << unanswered_,
                              std::max(times_.patience_ms, times_.wait_longest_ms));
  unanswered_ = std::min(unanswered_ + 1, kDoublingsMost);
}

bool Session::on_configuration(uint64_t session) {
  if (!is_current(session)) return false;
  unanswered_ = 0;
  if (stage_ != Stage::open) {
    heartbeat_due_ms_ = INT64_MIN;
    wait_ms_ = 0;
  }
  stage_ = Stage::open;
  return true;
}

void Session::on_refusal(Reason reason, int64_t now_ms) {
  // Any other reason is about one message, not about the session.
  const bool of_the_session = reason == Reason::second_agent || reason == Reason::unknown_cluster ||
                              reason == Reason::wire_version || reason == Reason::wrong_key ||
                              reason == Reason::database_older || reason == Reason::copied_state ||
                              reason == Reason::stale_incarnation;
  if (!of_the_session) return;
  if (reason == Reason::stale_incarnation) {
    stage_ = Stage::knocking;
    due_ms_ = now_ms;
    return;
  }
  unanswered_ = 0;
  wait_ms_ = wait_ms_ == 0 ? times_.wait_first_ms : std::min(2 * wait_ms_, times_.wait_longest_ms);
  stage_ = Stage::waiting;
  session_ = 0;
  due_ms_ = now_ms + wait_ms_;
}

Outgoing Session::on_time(int64_t now_ms) {
  if (stage_ == Stage::open) {
    if (now_ms < heartbeat_due_ms_) return Outgoing::nothing;
    heartbeat_due_ms_ = now_ms + times_.heartbeat_ms;
    return Outgoing::heartbeat;
  }
  if (now_ms < due_ms_) return Outgoing::nothing;
  stage_ = Stage::knocking;
  due_ms_ = now_ms + times_.knock_ms;
  return Outgoing::knock;
}

int64_t Session::next_ms() const {
  return stage_ == Stage::open ? heartbeat_due_ms_ : due_ms_;
}

}  // namespace leasehold::agent
