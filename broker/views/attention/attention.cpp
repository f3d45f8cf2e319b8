#include "broker/views/attention/attention.hpp"

#include <algorithm>

#include "broker/views/attention/needs.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

namespace {

using attention::Found;
using attention::Need;

Json need_row(const Need& need) {
  return {{"since", rows::time(need.since)},
          {"kind", token(need.kind)},
          {"subject", rows::text_or_null(need.subject)},
          {"reason",
           need.reason == Reason::none ? Json(nullptr) : Json(std::string(token(need.reason)))},
          {"detail", need.detail},
          {"then", rows::text_or_null(need.then)},
          {"at", rows::time(need.at)},
          {"command", rows::text_or_null(need.command)}};
}

}  // namespace

void attention::find_in_brokers(Found& found) {
  const std::optional<NobodyLeads>& nobody = found.liveness.leader_view.nobody;
  if (!nobody) return;
  Need need{Kind::nobody_leads, "", "nobody leads, so nothing moves: " + nobody->why, nobody->help};
  need.since = nobody->since;
  found.needs.push_back(std::move(need));
}

Json view_attention(const State& state, const Liveness& liveness) {
  Found found{state, liveness, attention::now_of(state, liveness)};
  attention::find_in_brokers(found);
  attention::find_in_agents(found);
  attention::find_in_clocks(found);
  attention::find_in_leases(found);
  attention::find_in_hosts(found);
  attention::find_owner_work(found);
  attention::find_in_orders(found);
  attention::find_in_leadership(found);
  // Needs without a known beginning come last: kNever is the latest of all instants.
  std::stable_sort(found.needs.begin(), found.needs.end(), [](const Need& a, const Need& b) {
    return a.since != b.since ? a.since < b.since : a.kind < b.kind;
  });
  Json list = Json::array();
  for (const Need& need : found.needs) list.push_back(need_row(need));
  return list;
}

}  // namespace leasehold
