#include "broker/daemon/leadership/standby.hpp"

#include <algorithm>
#include <utility>

#include "broker/daemon/leadership/nobody.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

constexpr int64_t kPollMs = 500;
/// After a step-down it looks often, so that its agents soon learn the next leader.
constexpr int64_t kOftenMs = 20;
constexpr int64_t kOftenForMs = 5'000;
constexpr int64_t kOutrankedMs = 30'000;
constexpr int64_t kOutrankedMostMs = 3'600'000;
constexpr int64_t kForgivenMs = 86'400'000;
/// An agent cannot have seen more take-overs than that since the database's last.
constexpr int64_t kEpochsAhead = 1'000'000;

bool is_of_the_database(const Error& error) {
  return error.code == ErrorCode::io || error.code == ErrorCode::corrupt ||
         error.code == ErrorCode::version;
}

}  // namespace

Status Standby::look() {
  const Result<Candidacy> seen = candidate_->look();
  const int64_t now_ms = time_.boottime_ms();
  const int64_t pause_ms = now_ms < looks_often_until_ms_ ? kOftenMs : kPollMs;
  next_look_ms_ = now_ms + pause_ms;
  last_.may_lead = false;
  is_late_ = seen && seen->is_old;
  if (is_late_) {
    changed_ = false;
    return {};
  }
  if (!seen) {
    last_.is_led = false;
    failed_ = false;
    nobody_leads(nobody_because(seen.error(), false));
    nobody_->unread = seen.error().code == ErrorCode::io;
    return tl::unexpected(seen.error());
  }
  waits_ = silent_ = false;
  next_look_ms_ = now_ms + std::clamp(seen->wait_ms, kOftenMs, pause_ms);
  changed_ = seen->last_event != last_.last_event || seen->log_hash != last_.log_hash ||
             seen->epoch != last_.epoch;
  const bool another_epoch = last_.epoch != 0 && seen->epoch != last_.epoch;
  last_ = *seen;
  judge(another_epoch);
  if (last_.is_led) looks_often_until_ms_ = INT64_MIN;
  looked_ = time_.wall_time();
  return {};
}

/// A leader's row outlives the leader: once nobody led, only a sign of life, or another epoch, says
/// that somebody does.
void Standby::judge(bool another_epoch) {
  if (last_.evidence == LeaderEvidence::alive || another_epoch) {
    nobody_.reset();
    failed_ = false;
  }
  if (failed_ || last_.evidence == LeaderEvidence::alive) return;
  const bool read_again = nobody_ && nobody_->unread;
  if (last_.evidence == LeaderEvidence::named && !read_again) return;
  const bool turn_known = last_.wait_ms != INT64_MAX;
  nobody_leads(nobody_because(last_, turn_known ? time_.wall_time() + last_.wait_ms : kNever));
}

/// Keeps the time since when nobody leads, also if the reason changes.
void Standby::nobody_leads(NobodyLeads nobody) {
  nobody.since = nobody_ ? nobody_->since : time_.wall_time();
  nobody.unread = nobody.unread || silent_;
  nobody_ = std::move(nobody);
}

void Standby::leads(const Leads& mine) {
  nobody_.reset();
  failed_ = waits_ = silent_ = false;
  last_.epoch = mine.epoch;
}

void Standby::waits(const Error& silent) {
  waits_ = true;
  silent_ = silent.code == ErrorCode::io;
  nobody_leads(nobody_because(silent, is_alone()));
}

void Standby::answered(int64_t last_event) {
  if (!is_alone()) {
    last_.last_event = last_event;
    looked_ = time_.wall_time();
  }
  if (std::exchange(waits_, false)) nobody_.reset();
  silent_ = false;
}

void Standby::stepped_down() {
  candidate_->stepped_down();
  lost();
  looks_often_until_ms_ = time_.boottime_ms() + kOftenForMs;
}

/// Names no leader until the next look: the one from before this broker led is out of date.
void Standby::lost() {
  last_.leader.clear();
  last_.may_lead = last_.is_led = false;
  next_look_ms_ = INT64_MIN;
}

void Standby::lost(const Error& why) {
  if (is_alone() || is_of_the_database(why)) nobody_leads(nobody_because(why, is_alone()));
  lost();
}

/// With ErrorCode::elsewhere another broker was faster, and leads.
void Standby::not_taken(const Error& why) {
  last_.may_lead = false;
  next_look_ms_ = time_.boottime_ms() + kPollMs;
  failed_ = why.code != ErrorCode::elsewhere;
  if (failed_) nobody_leads(nobody_because(why, is_alone()));
}

bool Standby::is_outranked(int64_t seen, uint64_t seen_incarnation, const Leads& mine) {
  const bool outranked =
      seen > mine.epoch || (seen == mine.epoch && seen_incarnation != mine.incarnation);
  if (is_alone() || seen == 0 || !outranked || LEASEHOLD_CANARY(goes_not_above)) return false;
  const int64_t passed_ms = time_.boottime_ms() - outranked_ms_;
  if (passed_ms < outranked_gap_ms_) return false;
  outranked_ms_ = time_.boottime_ms();
  outranked_gap_ms_ =
      passed_ms >= kForgivenMs ? kOutrankedMs : std::min(2 * outranked_gap_ms_, kOutrankedMostMs);
  saw_epoch(seen, seen_incarnation);
  return true;
}

uint64_t Standby::epoch_believed(int64_t own) const {
  return static_cast<uint64_t>(std::max(last_.epoch, own) + kEpochsAhead);
}

void Standby::saw_epoch(int64_t epoch, uint64_t incarnation) {
  if (candidate_ && !LEASEHOLD_CANARY(goes_not_above)) candidate_->saw_epoch(epoch, incarnation);
}

Error Standby::elsewhere() const {
  if (nobody_) return {ErrorCode::refused, describe(*nobody_), {}, 0, 0};
  return {ErrorCode::elsewhere,
          "this broker is a standby: " + who_leads(last_.leader, last_.endpoints),
          {},
          0,
          0};
}

void Standby::tell(LeaderView& leader_view, const Leads& leads, int64_t last_event) const {
  leader_view.nobody = nobody_;
  if (is_alone()) return;
  const bool mine = leads.epoch != 0;
  leader_view.role = mine ? BrokerRole::leader : BrokerRole::standby;
  leader_view.cannot_lead = mine ? "" : last_.cannot_lead;
  leader_view.epoch = mine ? leads.epoch : last_.epoch;
  leader_view.leader = mine ? leader_view.name : last_.leader;
  leader_view.leader_endpoint = mine ? leader_view.endpoint : last_.endpoints;
  leader_view.log_end = mine ? last_event : last_.last_event;
  leader_view.looked = mine ? time_.wall_time() : looked_;
}

}  // namespace leasehold
