#include "broker/ports/agents/epochs.hpp"

#include <algorithm>

namespace leasehold {

void Epochs::lead(const Leading& own) {
  own_ = own;
  outranked_by_ = {};
}

bool Epochs::believes(uint64_t epoch) const {
  return epoch <= std::max(limit_, own_.epoch);
}

void Epochs::note_seen(std::optional<uint64_t> epoch, std::optional<uint64_t> incarnation) {
  const Leading seen{epoch.value_or(0), incarnation.value_or(0)};
  const bool own = seen.epoch == own_.epoch && seen.incarnation == own_.incarnation;
  if (seen.epoch == 0 || own || seen.epoch < own_.epoch) return;
  if (!believes(seen.epoch)) return;
  const bool several =
      seen.epoch == outranked_by_.epoch && seen.incarnation != outranked_by_.incarnation;
  if (seen.epoch > outranked_by_.epoch) outranked_by_ = seen;
  if (several) outranked_by_.incarnation = 0;
}

std::optional<std::string> Epochs::refusal_of(std::optional<uint64_t> seen_epoch) const {
  if (own_.epoch == 0) return std::nullopt;
  if (!believes(seen_epoch.value_or(0))) {
    return "the agent says that it has seen a leadership of epoch " + std::to_string(*seen_epoch) +
           ", which is too far above this broker's, " + std::to_string(own_.epoch) +
           ", to be true; if it is of a database that is gone: lease-agent --forget-epoch";
  }
  if (outranked_by_.epoch == 0 || outranked_by_.epoch != seen_epoch) return std::nullopt;
  return "agents have followed a broker with epoch " + std::to_string(outranked_by_.epoch) +
         ", this one has " + std::to_string(own_.epoch) +
         "; it takes over again above that: at once, or within an hour if it did so in the last "
         "day";
}

}  // namespace leasehold
