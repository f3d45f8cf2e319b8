// explain of a host: says which of its slots are exported, who has them, and what keeps the rest.
#include <algorithm>

#include "broker/views/explain/others.hpp"
#include "broker/views/leases/horizons.hpp"
#include "broker/views/leases/not_up.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold::explanation {

namespace {

using rows::count_of;

struct Exported {
  int64_t slots = 0;
  int64_t wanted = 0;  // slots that policies want exported
  int64_t lent = 0;
  int64_t in_transfer = 0;
  int64_t unallocated = 0;
};

template <class See>
void each_row(const State& state, uint32_t cluster, uint32_t host, const See& see) {
  for (const uint32_t g : state.clusters[cluster].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.members[kProvider].cluster != cluster) continue;
    for (size_t row = 0; row < group.hosts.size(); ++row) {
      if (group.hosts[row].host == host) see(g, row);
    }
  }
}

Exported exported_of(const State& state, uint32_t cluster, uint32_t host) {
  Exported sums;
  each_row(state, cluster, host, [&](uint32_t g, size_t row) {
    const SlotGroup& group = state.slot_groups[g];
    sums.slots += group.hosts[row].exported;
    sums.wanted += group.hosts[row].target;
    sums.in_transfer += group.hosts[row].in_transfer;
    sums.unallocated += group.hosts[row].unallocated;
    for (size_t m = kProvider + 1; m < group.members.size(); ++m) {
      sums.lent += group.at(row, m).held;
    }
  });
  return sums;
}

std::string how_it_is(const State& state, const Cluster& cluster, const Host& host,
                      const Exported& sums) {
  std::string text = host.facts.name + "@" + cluster.name + " has " +
                     count_of(host.facts.slots, "slot") + ", of which " +
                     std::to_string(sums.slots) + " are exported; others have " +
                     std::to_string(sums.lent);
  if (!host.present) text += "; its agent no longer reports it";
  if (host.present && !host.facts.up) text += "; " + not_up_words(state, host, cluster.name);
  if (host.present && host.facts.horizon) {
    text += "; it is " + horizon_words(state, cluster, host);
    const Instant ends = work_ends_from(state, cluster, host);
    if (ends != kNever) text += "; others' work there is asked to end from " + format_utc(ends);
  }
  if (host.closed) text += "; an operator closed it";
  return text;
}

void add_ways(Json& answer, const Cluster& cluster, const Host& host, const Exported& sums) {
  const auto add = [&answer](const std::string& line) { answer["would_change"].push_back(line); };
  const std::string name = host.facts.name + "@" + cluster.name;
  if (sums.wanted == 0 && sums.slots == 0) {
    add("an export policy of " + cluster.name + " that names " + host.facts.name +
        ", or selects it, exports its slots");
  }
  if (host.closed) add("leasectl open " + name + " lets new leased work start there again");
  for (const std::string& consumer : host.closed_for) {
    add("leasectl open " + name + " --for " + consumer + " lets work of " + consumer +
        " start there again");
  }
  if (host.present && !host.facts.up) add(up_again_words(host, cluster.name));
  if (sums.slots < sums.wanted) {
    add(count_of(sums.wanted - sums.slots, "slot") +
        " more are to be exported, as soon as another export lets them go");
  }
}

}  // namespace

Json explain_host(const State& state, uint32_t cluster, uint32_t index, const Liveness& liveness) {
  const Cluster& of = state.clusters[cluster];
  const Host& host = of.hosts[index];
  const Exported sums = exported_of(state, cluster, index);
  const std::string name = host.facts.name + "@" + of.name;
  Json answer = empty_answer(name, "host", how_it_is(state, of, host, sums));
  answer["numbers"] = {{"slots", host.facts.slots},       {"exported", sums.slots},
                       {"to_be_exported", sums.wanted},   {"lent", sums.lent},
                       {"in_transfer", sums.in_transfer}, {"unallocated", sums.unallocated}};
  add_needs(answer, state, liveness, name);
  add_ways(answer, of, host, sums);
  each_row(state, cluster, index, [&](uint32_t g, size_t row) {
    const SlotGroup& group = state.slot_groups[g];
    for (const LeaseRef& lease : leases_of(state, g)) {
      add_lease(answer, state, lease, "consumer", liveness);
      if (answer["leases"].size() > kLeasesMost || answer["leases_left"] != 0) continue;
      Json& listed = answer["leases"].back();
      listed["slots"] = group.at(row, lease.member).held;
      listed["used"] = std::min(group.at(row, lease.member).used, group.at(row, lease.member).held);
    }
  });
  return answer;
}

}  // namespace leasehold::explanation
