#include "broker/daemon/equipment.hpp"

#include <utility>

namespace leasehold {

Equipment::Equipment(BrokerParts given, AgentPort agents_port, OperatorPort operators_port)
    : parts(std::move(given)),
      agents(std::move(agents_port)),
      operators(std::move(operators_port)),
      standby(parts.candidate, *parts.time),
      readings(parts.read_configuration, parts.reads, *parts.time),
      troubles(parts.bulletin, standby.is_alone()),
      others(parts, agents, standby, troubles) {
  agents.measure_by(parts.work_us);
}

void Equipment::publish_role(const LeadNow& lead) {
  LeaderView& leader_view = agents.liveness().leader_view;
  leader_view.name = parts.self.name;
  leader_view.endpoint = parts.self.endpoint;
  standby.tell(leader_view, lead.leads, lead.last_event);
  leader_view.leads_until_ms = lead.until_ms;
  leader_view.configuration_stuck = readings.is_stuck();
  if (parts.tables) leader_view.tables = parts.tables();
  others.add_clock(leader_view, lead.dates_ahead_ms);
  if (parts.nobody_leads) parts.nobody_leads(leader_view.nobody);
  if (parts.bulletin) parts.bulletin->stands(leader_view);
}

void Equipment::put_in_force(const BrokerConfig& config,
                             const std::shared_ptr<const Access>& access) {
  agents.limit_rate(access->limits.rate_per_peer);
  operators.know(access);
  if (parts.bulletin) {
    parts.bulletin->in_force(
        std::make_shared<const InForce>(InForce{config.name, config.mode, access}));
  }
  if (parts.set_admitted) parts.set_admitted(config, *access);
}

void Equipment::compare_file(Result<ConfigRead> read) {
  if (!parts.own_file) return;
  parts.own_file(std::move(read));
  if (!standby.nobody()) wake_log_followers();  // its readers would wait for the database
}

void Equipment::publish_turn(int64_t event, const Bulletin::Troubles& open) {
  if (parts.bulletin) parts.bulletin->turn_over(now, event, agents.liveness(), figures, open);
}

void Equipment::wake_log_followers() {
  if (parts.nobody_leads) parts.nobody_leads(standby.nobody());  // before its readers wake
  operators.committed();
}

}  // namespace leasehold
