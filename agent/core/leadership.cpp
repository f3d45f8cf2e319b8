#include "agent/core/leadership.hpp"

#include "common/canary.hpp"

namespace leasehold::agent {

Leadership leadership_of(std::optional<uint64_t> epoch, std::optional<uint64_t> incarnation) {
  return {epoch.value_or(0), incarnation.value_or(0)};
}

bool may_follow(const Leadership& seen, const Leadership& claimed) {
  if (seen.epoch == 0) return true;
  if (claimed.epoch > seen.epoch) return true;
  // Rule 12: a leader that was overtaken may still believe that it leads.
  if (claimed.epoch < seen.epoch) return LEASEHOLD_CANARY(keeps_no_epoch);
  // Rule 12: two leaderships with one epoch come from two database servers that both commit.
  // Neither knows which slots the other has granted.
  return claimed.incarnation == seen.incarnation || LEASEHOLD_CANARY(ignores_incarnation);
}

Leadership highest(const Leadership& seen, const Leadership& followed) {
  return followed.epoch > seen.epoch ? followed : seen;
}

bool is_of(const Leadership& followed, std::optional<uint64_t> epoch,
           std::optional<uint64_t> incarnation) {
  if (followed.epoch == 0) return !epoch;
  const bool same = leadership_of(epoch, incarnation) == followed;
  return same || (LEASEHOLD_CANARY(ignores_incarnation) && epoch == followed.epoch);
}

}  // namespace leasehold::agent
