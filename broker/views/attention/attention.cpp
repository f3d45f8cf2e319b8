#include "broker/views/attention/attention.hpp"

#include <algorithm>

#include "broker/views/attention/needs.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

namespace {

using attention::Found;
using attention::Need;

constexpr Field<Need> kNeedFields[] = {
    {{"since"}, [](auto& n) { return rows::time(n.since); }},
    {{"kind"}, [](auto& n) { return token(n.kind); }},
    {{"subject"}, [](auto& n) { return rows::text_or_null(n.subject); }},
    {{"reason"}, [](auto& n) { return n.reason == Reason::none ? Json() : Json(token(n.reason)); }},
    {{"detail"}, [](auto& n) { return n.detail; }},
    {{"then"}, [](auto& n) { return rows::text_or_null(n.then); }},
    {{"at"}, [](auto& n) { return rows::time(n.at); }},
    {{"command"}, [](auto& n) { return rows::text_or_null(n.command); }},
};

}  // namespace

std::span<const columns::Column> attention_fields() {
  return shown_of<kNeedFields>();
}

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
  attention::find_in_policies(found);
  attention::find_in_orders(found);
  attention::find_in_leadership(found);
  // Needs without a known beginning come last: kNever is the latest of all instants.
  std::stable_sort(found.needs.begin(), found.needs.end(), [](const Need& a, const Need& b) {
    return a.since != b.since ? a.since < b.since : a.kind < b.kind;
  });
  Json list = Json::array();
  for (const Need& need : found.needs) list.push_back(row_json(kNeedFields, need));
  return list;
}

}  // namespace leasehold
