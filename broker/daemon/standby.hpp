// Standby: a broker's place among several of one database (broker/store/candidate.hpp): when to
// look who leads, whose turn it is, and what is told to who comes while another leads. Where a
// broker has its database to itself it is alone, and all that this knows is whether that takes
// commits. It takes over nothing itself: Broker does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "broker/store/candidate.hpp"
#include "broker/views/standing.hpp"
#include "common/clock.hpp"
#include "common/result.hpp"

namespace leasehold {

class Standby {
 public:
  /// `candidate`: nullptr: alone. `time` outlives it.
  Standby(std::shared_ptr<Candidate> candidate, const TimeSource& time)
      : candidate_(std::move(candidate)), time_(time) {}

  bool is_alone() const { return candidate_ == nullptr; }
  /// Asks the database who leads. Error: it cannot be asked.
  Status look();
  /// The last look said so.
  bool may_lead() const { return last_.may_lead; }
  /// Another does, as far as the last look knew.
  bool is_led() const { return last_.is_led; }
  /// The highest epoch that an agent is believed to have seen. `own`: of this broker's leadership,
  /// which may be far above the last look's: it is above what agents told of before.
  uint64_t epoch_believed(int64_t own) const;
  /// When the next look is due, by CLOCK_BOOTTIME.
  int64_t next_look_ms() const { return next_look_ms_; }
  int64_t log_end() const { return last_.last_event; }
  /// Why this broker could not lead if it were its turn, as the last look knew; "": nothing is.
  const std::string& cannot_lead() const { return last_.cannot_lead; }
  /// Candidacy::ahead_of_server of the last look.
  const std::optional<ClockDifference>& ahead_of_server() const { return last_.ahead_of_server; }
  /// There is more in the log than at the look before, or it is another one (a copy that was
  /// restored may be as long), or another broker leads.
  bool is_changed() const { return changed_; }

  /// This broker leads from now on.
  void leads(const Leads& mine);
  /// It leads no more: by an order, or because it may not. Where the database is why, nobody does.
  void stepped_down();
  void lost();
  void lost(const Error& why);
  /// A take-over failed: tried again no sooner than a look is due, for as long as it fails.
  void not_taken(const Error& why);
  /// What this broker asked of the database, as a leader or to become one, is not answered; it is
  /// after all. In between it is as if nobody led: nothing that changes anything is carried out.
  void waits(const Error& silent);
  void answered(int64_t last_event);
  /// That nobody leads, since when and why; nullopt: somebody does, as far as is known. From then
  /// on the name of a leader is believed no more, only its sign of life.
  const std::optional<NobodyLeads>& nobody() const { return nobody_; }

  /// Agents have seen this epoch. True: the leadership `mine` must give way to a higher one of its
  /// own (rule 13). Any agent can say so again and again: at once the first time, half a minute
  /// after that the second, then after twice as long as the time before, up to an hour, until a day
  /// has passed without it.
  bool is_outranked(int64_t seen, uint64_t seen_incarnation, const Leads& mine);
  /// To a standby: a leadership of ours is to be above it.
  void saw_epoch(int64_t epoch, uint64_t incarnation);

  /// To who comes with a change, and to agents: who leads, or (refused) that nobody does.
  Error elsewhere() const;
  /// Fills in who leads, or that nobody does, and how far the log is; `leads`: this broker does, by
  /// that.
  void tell(BrokerStanding& standing, const Leads& leads, int64_t last_event) const;

 private:
  void judge(bool another_epoch);
  void nobody_leads(NobodyLeads nobody);

  std::shared_ptr<Candidate> candidate_;
  const TimeSource& time_;
  Candidacy last_;
  Instant looked_;
  std::optional<NobodyLeads> nobody_;
  bool failed_ = false;  // a take-over did, which is why nobody leads
  bool waits_ = false;   // for an answer to what it asked last, but for looks
  bool silent_ = false;  // and it is the database that owes it
  bool changed_ = false;
  int64_t next_look_ms_ = INT64_MIN;
  int64_t looks_often_until_ms_ = INT64_MIN;
  int64_t outranked_ms_ = INT64_MIN / 2;
  int64_t outranked_gap_ms_ = 0;
};

}  // namespace leasehold
