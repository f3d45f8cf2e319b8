#include "agent/io/agent/known/other_leaders.hpp"

#include <utility>

#include "common/log.hpp"

namespace leasehold::agent {

bool OtherLeaders::check(const Session& session, const char* message, std::optional<uint64_t> epoch,
                         std::optional<uint64_t> incarnation) {
  if (is_of(session.leadership(), epoch, incarnation)) return true;
  ++messages_;
  log_debug("other-leader-message", {{"message", message},
                                     {"epoch", epoch.value_or(0)},
                                     {"incarnation", incarnation.value_or(0)},
                                     {"epoch_greeted", session.leadership().epoch},
                                     {"incarnation_greeted", session.leadership().incarnation}});
  return false;
}

void OtherLeaders::note_refused(const Leadership& claimed, const Leadership& seen) {
  if (refused_logged_ == claimed) return;
  refused_logged_ = claimed;
  const char* why =
      "a broker with a higher epoch has led since: this one is outdated, or its database is an "
      "older copy";
  const char* advice = "see that one database server takes commits";
  if (claimed.epoch == 0) {
    why = "this broker has no epoch, and brokers on a shared database have led";
    advice =
        "if the site has gone back to one broker with a database of its own, start this agent once "
        "with --forget-epoch";
  } else if (claimed.epoch == seen.epoch) {
    why = "another broker has led with the same epoch: two database servers took commits";
  }
  log_warn("leader-refused", {{"epoch", claimed.epoch},
                              {"incarnation", claimed.incarnation},
                              {"epoch_seen", seen.epoch},
                              {"incarnation_seen", seen.incarnation},
                              {"why", why},
                              {"then", "the agent takes no order of this broker"},
                              {"do", advice}});
}

void OtherLeaders::note_refusal(const wire::Refusal& refusal) {
  if (refusal.reason != Reason::elsewhere) {
    log_warn("refused", {{"reason", token(refusal.reason)},
                         {"why", refusal.message},
                         {"then", refuses_session(refusal.reason)
                                      ? "this agent takes no part until it is let in"
                                      : "this one message is left out"},
                         {"version_theirs", refusal.version},
                         {"version_ours", wire::kVersion}});
  } else if (!std::exchange(elsewhere_logged_, true)) {
    log_info("redirected", {{"why", refusal.message}});
  }
}

void OtherLeaders::on_connected() {
  refused_logged_.reset();
  elsewhere_logged_ = false;
}

}  // namespace leasehold::agent
