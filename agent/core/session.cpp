#include "agent/core/session.hpp"

#include <algorithm>

namespace leasehold::agent {

namespace {

constexpr int kDoublingsMost = 10;
/// Heartbeats in a leader's ttl: one may be late without the leader counting as silent.
constexpr int64_t kBeatsInTtl = 3;

}  // namespace

Outgoing Session::on_welcome(Leadership claimed, int64_t now_ms) {
  if (stage_ == Stage::waiting && now_ms < next_ms_) return Outgoing::nothing;
  // Rule 18 of broker/store/postgres/README.md: a welcome that answers a message sent before the
  // hello, or that comes twice, is answered by the hello itself.
  const bool expected = claimed == leadership_ || refuses(claimed);
  if (stage_ == Stage::greeting && expected && now_ms < next_ms_) return Outgoing::nothing;
  if (refuses(claimed)) return refuse(now_ms);
  if (claimed != leadership_) unanswered_ = 0;
  leadership_ = claimed;
  return Outgoing::hello;
}

/// Rule 12 (leadership.hpp): a broker that was overtaken gets one message that says so
/// (Outgoing::knock), and is left. In the stage `knocking` it has got that message already.
Outgoing Session::refuse(int64_t now_ms) {
  leaves_ = true;
  session_ = 0;
  if (stage_ == Stage::knocking) return Outgoing::nothing;
  stage_ = Stage::knocking;
  next_ms_ = now_ms + times_.knock_ms;
  return Outgoing::knock;
}

void Session::greeted(uint64_t session, int64_t now_ms) {
  session_ = session;
  seen_ = to_keep();
  heartbeat_ = statement_ = 0;
  stage_ = Stage::greeting;
  // A broker that many agents greet at once answers them one by one: an agent that greets again
  // before its answer is there makes that answer worthless, and adds to what the others wait for.
  next_ms_ = now_ms + std::min(times_.patience_ms << unanswered_,
                               std::max(times_.patience_ms, times_.wait_longest_ms));
  unanswered_ = std::min(unanswered_ + 1, kDoublingsMost);
}

bool Session::on_configuration(uint64_t session) {
  if (!is_current(session)) return false;
  unanswered_ = 0;
  if (stage_ != Stage::open) {
    heartbeat_at_ms_ = INT64_MIN;
    wait_ms_ = 0;
  }
  stage_ = Stage::open;
  return true;
}

bool refuses_session(Reason reason) {
  return reason == Reason::second_agent || reason == Reason::unknown_cluster ||
         reason == Reason::wire_version || reason == Reason::wrong_key ||
         reason == Reason::database_older || reason == Reason::copied_state ||
         reason == Reason::stale_incarnation;
}

void Session::on_refusal(Reason reason, int64_t now_ms) {
  if (reason == Reason::elsewhere) {
    if (stage_ == Stage::waiting) return;
    leaves_ = true;
    session_ = 0;
    stage_ = Stage::knocking;
    next_ms_ = now_ms + times_.knock_ms;
    return;
  }
  if (!refuses_session(reason)) return;
  if (reason == Reason::stale_incarnation) {
    stage_ = Stage::knocking;
    next_ms_ = now_ms;
    return;
  }
  unanswered_ = 0;
  wait_ms_ = wait_ms_ == 0 ? times_.wait_first_ms : std::min(2 * wait_ms_, times_.wait_longest_ms);
  stage_ = Stage::waiting;
  session_ = 0;
  next_ms_ = now_ms + wait_ms_;
}

/// An open session goes on if the broker still knows it; another broker answers the heartbeat with
/// a welcome. A hello that was not answered went to the broker of the earlier connection.
void Session::on_connecting(int64_t now_ms) {
  leaves_ = false;
  if (stage_ == Stage::waiting) return;
  if (stage_ == Stage::open) {
    heartbeat_at_ms_ = now_ms;
    return;
  }
  stage_ = Stage::knocking;
  session_ = 0;
  next_ms_ = now_ms;
}

void Session::set_leader_ttl(int64_t leader_ttl_ms) {
  if (leader_ttl_ms == leader_ttl_ms_) return;
  leader_ttl_ms_ = leader_ttl_ms;
  if (beat_ms_ != INT64_MIN) {
    heartbeat_at_ms_ = std::min(heartbeat_at_ms_, beat_ms_ + heartbeat_ms());
  }
}

int64_t Session::heartbeat_ms() const {
  if (leader_ttl_ms_ == 0) return times_.heartbeat_ms;
  return std::min(times_.heartbeat_ms, std::max<int64_t>(1, leader_ttl_ms_ / kBeatsInTtl));
}

int64_t Session::patient_until_ms() const {
  return stage_ == Stage::greeting || stage_ == Stage::waiting ? next_ms_ : INT64_MIN;
}

Outgoing Session::on_time(int64_t now_ms) {
  if (stage_ == Stage::open) {
    if (now_ms < heartbeat_at_ms_) return Outgoing::nothing;
    beat_ms_ = now_ms;
    heartbeat_at_ms_ = now_ms + heartbeat_ms();
    return Outgoing::heartbeat;
  }
  if (now_ms < next_ms_) return Outgoing::nothing;
  stage_ = Stage::knocking;
  next_ms_ = now_ms + times_.knock_ms;
  return Outgoing::knock;
}

int64_t Session::next_ms() const {
  return stage_ == Stage::open ? heartbeat_at_ms_ : next_ms_;
}

}  // namespace leasehold::agent
