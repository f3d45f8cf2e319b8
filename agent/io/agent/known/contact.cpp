#include "agent/io/agent/known/contact.hpp"

#include "common/canary.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

void Contact::confirm(const wire::Configuration& configuration) {
  if (!session_.open()) {
    log_info("connected",
             {{"session", session_.session()}, {"incarnation", session_.incarnation()}});
  }
  session_.on_configuration(configuration.session);
  session_.set_leader_ttl(configuration.leader_ttl_ms.value_or(0));
  other_leaders_.on_connected();
  confirmed_ = true;
}

bool Contact::may_raise(int64_t now_ms, int64_t agent_timeout_ms) const {
  if (LEASEHOLD_CANARY(raises_while_silent)) return confirmed_;
  return confirmed_ && session_.open() && lease_.certainly_in_contact(now_ms, agent_timeout_ms);
}

void Contact::note_sent(std::optional<int64_t> sent_ms, int64_t now_ms) {
  broker_sent_.reset();
  if (sent_ms) broker_sent_ = wire::ClockReading{0, 0, *sent_ms, now_ms};
}

std::optional<wire::ClockReading> Contact::reading_of(
    const std::optional<wire::ClockReading>& sent) const {
  const std::optional<BothClocks> both = sent ? read_both(clocks_) : std::nullopt;
  if (!both) return std::nullopt;
  wire::ClockReading said = *sent;
  said.wall_ms = both->wall.ms;
  said.boottime_ms = both->boottime_ms;
  return said;
}

}  // namespace leasehold::agent
