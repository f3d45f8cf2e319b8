#include "broker/daemon/leadership/troubles.hpp"

#include <utility>

#include "common/log.hpp"

namespace leasehold {

void Troubles::of_database(const std::string& trouble) {
  if (bulletin_ && !trouble.empty()) bulletin_->trouble({trouble, ""});
  if (trouble == database_ && !alone_) return;
  database_ = trouble;
  if (trouble.empty()) return log_info("database-recovered");
  log_error("database-unavailable", {{"why", trouble},
                                     {"then", "no slots move; running jobs go on"},
                                     {"do", "repair the database or the network to it"}});
}

void Troubles::of_take_over(const std::string& why) {
  if (bulletin_ && alone_ && !why.empty()) bulletin_->trouble({"", why});
  if (why == take_over_) return;
  take_over_ = why;
  if (why.empty()) return;
  if (!alone_) {
    return log_warn("take-over-failed",
                    {{"why", why},
                     {"then", "it is tried again"},
                     {"do", "correct that; 'another broker took over first' needs nothing"}});
  }
  log_error("configuration-refused", {{"why", why},
                                      {"then", "this broker does not lead, and no order leaves"},
                                      {"do", "correct the file; it is read again by itself"}});
}

void Troubles::of_candidacy(const std::string& why) {
  if (why == candidacy_) return;
  candidacy_ = why;
  if (why.empty()) return log_info("standby-ready");
  log_warn("standby-not-ready", {{"why", why},
                                 {"then", "if the leader failed now, this standby could not lead"},
                                 {"do", "correct that before the leader is gone"}});
}

void Troubles::of_others(const std::string& trouble) {
  const std::string before = std::exchange(others_, trouble);
  if (trouble.empty() == before.empty()) return;
  if (trouble.empty()) return log_info("other-brokers-known-again");
  log_warn("other-brokers-not-known",
           {{"why", trouble},
            {"then", "a leader that loses its agents keeps the lead meanwhile"},
            {"do", "repair the database or the network to it"}});
}

void Troubles::of_compaction(const std::string& error) {
  if (error == compaction_) return;
  compaction_ = error;
  if (error.empty()) return log_info("compaction-recovered");
  log_warn("compaction-failed",
           {{"why", error},
            {"then", "the database grows past [retention] until a later commit succeeds with it"},
            {"do", "correct that; it is tried with each commit"}});
}

}  // namespace leasehold
