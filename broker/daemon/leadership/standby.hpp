// Standby is a broker's place among several of one database (broker/store/candidate.hpp). It knows
// when to look who leads, whether this broker may take over, and what to answer while another
// leads. A broker that has its database to itself is alone: then it knows only whether the database
// takes commits. Broker takes over, not this class.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "broker/store/candidate.hpp"
#include "broker/views/clusters/leader_view.hpp"
#include "common/result.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

class Standby {
 public:
  /// `candidate` is nullptr for a broker that is alone. Contract: `time` outlives this object.
  Standby(std::shared_ptr<Candidate> candidate, const TimeSource& time)
      : candidate_(std::move(candidate)), time_(time) {}

  bool is_alone() const { return candidate_ == nullptr; }
  /// Asks the database who leads. Error: it cannot be asked. Contract: not alone.
  Status look();
  /// True if the last look said that this broker may take over.
  bool may_lead() const { return last_.may_lead; }
  /// True if the last look was not answered in time, and says nothing new.
  bool is_late() const { return is_late_; }
  /// True if another broker leads, as far as the last look knew.
  bool is_led() const { return last_.is_led; }
  /// Returns the highest epoch that an agent is believed to have seen. `own` is the epoch of this
  /// broker's leadership, 0 for none: it may be far above the last look's, above epochs that agents
  /// named.
  uint64_t epoch_believed(int64_t own) const;
  /// Returns when the next look is taken, by CLOCK_BOOTTIME.
  int64_t next_look_ms() const { return next_look_ms_; }
  int64_t log_end() const { return last_.last_event; }
  /// Returns why this broker could not take over, as the last look knew; "": it could.
  const std::string& cannot_lead() const { return last_.cannot_lead; }
  /// Returns Candidacy::ahead_of_server of the last look.
  const std::optional<ClockDifference>& ahead_of_server() const { return last_.ahead_of_server; }
  /// True if there is more in the log than at the look before, or it is another log (a copy that
  /// was restored may be as long), or another broker leads.
  bool is_changed() const { return changed_; }

  /// This broker leads from now on.
  void leads(const Leads& mine);
  /// This broker leads no more: by an order, or because it may not. If `why` is an error of the
  /// database, nobody leads.
  void stepped_down();
  void lost();
  void lost(const Error& why);
  /// A take-over failed. It is tried again at the next look, and so on while it fails.
  void not_taken(const Error& why);
  /// waits(): the database does not answer a call of this broker, as a leader or to become one.
  /// answered(): it has answered after all. In between nobody leads, and no change is carried out.
  void waits(const Error& silent);
  void answered(int64_t last_event);
  /// Set if nobody leads: since when and why; nullopt: somebody does, as far as is known. While it
  /// is set a leader's name alone is not believed, only its sign of life.
  const std::optional<NobodyLeads>& nobody() const { return nobody_; }

  /// Judges an epoch that agents have seen. True: `mine` must give way to a higher leadership of
  /// this broker (rule 13). Any agent can claim an epoch again and again, so it is believed at once
  /// the first time, half a minute later the second, then after twice the pause before, up to an
  /// hour, until a day has passed without it.
  bool is_outranked(int64_t seen, uint64_t seen_incarnation, const Leads& mine);
  /// A later leadership of this broker is to be above that epoch.
  void saw_epoch(int64_t epoch, uint64_t incarnation);

  /// Returns the answer to changes and to agents: who leads (elsewhere), or that nobody does
  /// (refused).
  Error elsewhere() const;
  /// Fills in who leads, or that nobody does, and how far the log is. `leads` with an epoch says
  /// that this broker leads.
  void tell(LeaderView& leader_view, const Leads& leads, int64_t last_event) const;

 private:
  void judge(bool another_epoch);
  void nobody_leads(NobodyLeads nobody);

  std::shared_ptr<Candidate> candidate_;
  const TimeSource& time_;
  Candidacy last_;
  Instant looked_;
  std::optional<NobodyLeads> nobody_;
  bool failed_ = false;  // a take-over failed, which is why nobody leads
  bool waits_ = false;   // between waits() and answered(), or the next look
  bool silent_ = false;  // waits_, and the database is the silent part
  bool changed_ = false;
  bool is_late_ = false;
  int64_t next_look_ms_ = INT64_MIN;
  int64_t looks_often_until_ms_ = INT64_MIN;
  int64_t outranked_ms_ = INT64_MIN / 2;
  int64_t outranked_gap_ms_ = 0;
};

}  // namespace leasehold
