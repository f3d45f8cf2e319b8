#include "broker/views/leases/not_up.hpp"

#include <algorithm>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/views/leases/horizons.hpp"
#include "broker/views/rows.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

std::string not_up_words(const State& state, const Host& host, const std::string& owner) {
  switch (host.facts.not_up) {
    case wire::NotUp::asleep:
      return "power saving of " + owner + " has switched it off";
    case wire::NotUp::waking:
      return owner + " is switching it on";
    case wire::NotUp::not_now:
      return "it restarts, powers down or is blocked at " + owner + ", and comes back by itself";
    case wire::NotUp::unsaid:
      break;
  }
  if (has_begun(state, host)) {
    return "reservation " + host.facts.horizon->name + " of " + owner + " has it until " +
           format_utc(Instant{host.facts.horizon->until_ms});
  }
  return owner + " calls it down or drains it";
}

std::string up_again_words(const Host& host, const std::string& owner) {
  if (host.facts.not_up == wire::NotUp::asleep) {
    return "it is lent again once it is on. A job of " + owner +
           " switches it on, an administrator there (scontrol update nodename=" + host.facts.name +
           " state=power_up), or, for waiting work of another cluster, the agent of " + owner +
           " where it may";
  }
  return "when " + owner + " calls it up again its slots count again";
}

std::string asleep_words(const State& state, const SlotGroup& lease) {
  const Cluster& consumer = state.clusters[lease.members[kConsumer].cluster];
  int64_t slots = 0;
  for (uint32_t row = 0; row < lease.hosts.size(); ++row) {
    const Host& host = host_of(state, lease, row);
    const bool asleep = host.facts.not_up == wire::NotUp::asleep && !host.facts.up;
    if (host.present && asleep) {
      slots += std::max(0, consumer_cap(state, lease, row) - lease.at(row, kConsumer).held);
    }
  }
  if (slots == 0 || consumer.pending == 0) return "";
  const std::string& owner = state.clusters[lease.members[kProvider].cluster].name;
  return "work waits at " + consumer.name + ", and power saving of " + owner +
         " has switched off hosts with " + rows::count_of(slots, "slot") +
         " that it could have. The agent of " + owner +
         " has them switched on if other idle slots are not enough; if it may not, an "
         "administrator there has to (scontrol update nodename=… state=power_up)";
}

}  // namespace leasehold
