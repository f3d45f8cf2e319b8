#include "broker/daemon/leadership/other_brokers.hpp"

#include <utility>

#include "broker/views/clusters/whose_clock.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

constexpr int64_t kOthersMs = 1'000;

tl::unexpected<Error> wrong_clock(bool agents_too) {
  return fail(
      ErrorCode::usage,
      std::string("this machine's clock is more than two minutes ahead of the database "
                  "server's") +
          (agents_too ? " and of the agents'" : "") +
          ", so this broker does not lead. Let the machine follow a time server; where the clock "
          "is right and the others are wrong, start once with --accept-clock");
}

}  // namespace

Status OtherBrokers::check_clock() const {
  if (standby_.is_alone() || *parts_.accept_clock) return {};
  const auto knocks = agents_.contacts().clocks(parts_.time->boottime_ms());
  BrokerClock ahead{standby_.ahead_of_server(), std::nullopt};
  if (knocks) ahead.of_agents = knocks->reversed();
  return may_date_events(ahead) ? Status{} : wrong_clock(knocks.has_value());
}

RollRow OtherBrokers::own_row(const ConnectedClusters& connected_clusters) const {
  RollRow mine;
  mine.name = parts_.self.name;
  mine.endpoint = parts_.self.endpoint;
  mine.leads = connected_clusters.has_value();
  mine.may_lead = mine.leads || (troubles_.of_leading().of_take_over.empty() &&
                                 standby_.cannot_lead().empty() && check_clock().has_value());
  const int64_t now_ms = parts_.time->boottime_ms();
  mine.clusters = connected_clusters ? *connected_clusters : agents_.contacts().clusters(now_ms);
  mine.agents = connected_clusters ? static_cast<int64_t>(connected_clusters->size())
                                   : agents_.contacts().count(now_ms);
  return mine;
}

/// The rows of the brokers that wrote theirs lately.
std::vector<RollRow> OtherBrokers::rows() const {
  std::vector<RollRow> rows;
  const std::shared_ptr<const RollSeen> all = seen();
  if (!all) return rows;
  for (const RollSeen::Other& other : all->others) {
    if (parts_.time->boottime_ms() - other.changed_ms <= Roll::kCountsMs) rows.push_back(other.row);
  }
  return rows;
}

void OtherBrokers::exchange(const ConnectedClusters& connected_clusters) {
  next_exchange_ms_ = parts_.time->boottime_ms() + kOthersMs;
  const RollRow mine = own_row(connected_clusters);
  parts_.roll->tell(mine);
  const std::shared_ptr<const RollSeen> all = seen();
  troubles_.of_others(all ? all->trouble : "");
  LeaderView& leader_view = agents_.liveness().leader_view;
  auto known = std::make_shared<std::vector<KnownBroker>>();
  for (const RollRow& row : rows()) known->push_back({row.name, row.agents, row.clusters});
  leader_view.others = std::move(known);
  leader_view.agents = mine.agents;
}

std::string OtherBrokers::gives_to(bool hears, int64_t agent_timeout_ms) {
  std::vector<ComeTo> standbys;
  for (const RollRow& row : rows()) {
    if (!row.leads) standbys.push_back({row.name, row.agents, row.may_lead});
  }
  const int64_t now_ms = parts_.time->boottime_ms();
  std::string to = cut_off_.gives_to(now_ms, hears, agent_timeout_ms, standbys);
  if (to.empty()) return to;
  log_warn("broker-isolated", {{"for", format_duration(cut_off_.silent_ms(now_ms))},
                               {"agents_come_to", to},
                               {"why", "no agent reaches this broker"},
                               {"then", "it steps down for that broker"},
                               {"do", "look at the network of this machine"}});
  cut_off_.gave();
  return to;
}

void OtherBrokers::add_clock(LeaderView& leader_view, int64_t dates_ahead_ms) const {
  if (standby_.is_alone()) return;
  leader_view.dates_ahead_ms = dates_ahead_ms;
  leader_view.ahead_of_server = standby_.ahead_of_server();
  const std::shared_ptr<const RollSeen> all = seen();
  if (all && all->ahead_of_server) leader_view.ahead_of_server = all->ahead_of_server;
  const auto knocks = agents_.contacts().clocks(parts_.time->boottime_ms());
  leader_view.ahead_of_visiting_agents.reset();
  if (knocks) leader_view.ahead_of_visiting_agents = knocks->reversed();
}

}  // namespace leasehold
