// Finds what keeps the asked broker from taking over, from reading its configuration, or from
// making its readable tables.
#include "broker/views/attention/needs.hpp"

namespace leasehold::attention {

namespace {

void tables(Found& found, const TablesStatus& of) {
  if (of.failing.empty()) return;
  Need need{
      Kind::tables_not_made, of.file,
      "the readable tables cannot be made, no lease depends on them: " + of.failing,
      "df and ls -ld on that folder; the broker tries again every " + format_duration(of.every_ms)};
  need.since = of.failing_since;
  found.needs.push_back(std::move(need));
}

}  // namespace

void find_in_leadership(Found& found) {
  const LeaderView& leader_view = found.liveness.leader_view;
  if (leader_view.tables) tables(found, *leader_view.tables);
  if (leader_view.configuration_stuck) {
    const bool leads = leader_view.role != BrokerRole::standby && !leader_view.nobody;
    found.needs.push_back(
        {Kind::configuration_not_read, leader_view.name,
         std::string("the file system of its configuration, or of a file that this names, does not "
                     "answer; ") +
             (leads ? "what is in force stays, and reloads are refused until it answers"
                    : "this broker cannot lead until it answers"),
         "findmnt -t nfs,nfs4 and dmesg on the broker's machine (df would hang, too)"});
  }
  if (leader_view.cannot_lead.empty()) return;
  found.needs.push_back({Kind::cannot_lead, leader_view.name,
                         "it is a standby, and could not take over: " + leader_view.cannot_lead,
                         "leasectl doctor"});
}

}  // namespace leasehold::attention
