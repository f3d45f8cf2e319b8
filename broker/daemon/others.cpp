// How brokers of one database exchange rows about themselves and act by them: a leader that no
// agent reaches gives its lead to a broker that agents come to, and a broker whose clock is far
// ahead does not lead. The rules: broker/store/postgres/README.md.
#include <algorithm>

#include "broker/daemon/broker.hpp"
#include "broker/views/whose_clock.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

constexpr int64_t kOthersMs = 1'000;

tl::unexpected<Error> wrong_clock(bool agents_too) {
  return fail(ErrorCode::usage,
              std::string("this machine's clock is more than two minutes ahead of the database "
                          "server's") +
                  (agents_too ? " and of the agents'" : "") +
                  ": it does not lead by it. Let the machine follow a time server; where the clock "
                  "is right and the others are wrong, start once with --accept-clock");
}

}  // namespace

/// Refuses to lead by a clock that is far ahead: a take-over dates events by the wall clock.
Status Broker::check_own_clock() const {
  if (standby_.is_alone() || *parts_.accept_clock) return {};
  const auto knocks = agents_.contacts().clocks(parts_.time->boottime_ms());
  BrokerClock ahead{standby_.ahead_of_server(), std::nullopt};
  if (knocks) ahead.of_agents = knocks->reversed();
  return may_date_events(ahead) ? Status{} : wrong_clock(knocks.has_value());
}

RollRow Broker::roll_row() const {
  RollRow mine;
  mine.name = parts_.self.name;
  mine.endpoint = parts_.self.endpoint;
  mine.leads = engine_ != nullptr;
  mine.may_lead = mine.leads || (logged_.not_taken.empty() && standby_.cannot_lead().empty() &&
                                 check_own_clock().has_value());
  const int64_t now_ms = parts_.time->boottime_ms();
  mine.clusters = engine_ ? agents_.in_contact(engine_->state(), clock_->now())
                          : agents_.contacts().clusters(now_ms);
  mine.agents =
      engine_ ? static_cast<int64_t>(mine.clusters.size()) : agents_.contacts().count(now_ms);
  return mine;
}

/// The rows of the brokers that wrote theirs lately.
std::vector<RollRow> Broker::others() const {
  std::vector<RollRow> rows;
  const std::shared_ptr<const RollSeen> seen = parts_.roll ? parts_.roll->seen() : nullptr;
  if (!seen) return rows;
  for (const RollSeen::Other& other : seen->others) {
    if (parts_.time->boottime_ms() - other.told_ms <= Roll::kCountsMs) rows.push_back(other.row);
  }
  return rows;
}

/// Exchanges rows if that is due. False: it is not due yet.
bool Broker::mind_others() {
  const int64_t now_ms = parts_.time->boottime_ms();
  if (!parts_.roll || now_ms < others_due_ms_) return false;
  others_due_ms_ = now_ms + kOthersMs;
  parts_.roll->tell(roll_row());
  const std::shared_ptr<const RollSeen> seen = parts_.roll->seen();
  const std::string trouble = seen ? seen->trouble : "";
  if (trouble.empty() != logged_.others.empty()) {
    if (trouble.empty()) log_info("other-brokers-known-again");
    if (!trouble.empty())
      log_warn("other-brokers-not-known",
               {{"why", trouble}, {"then", "a leader that no agent reaches does not step down"}});
  }
  logged_.others = trouble;
  share_leader_view();
  return true;
}

/// Steps down if another broker should lead. False: this broker leads no more.
bool Broker::keep_to_agents() {
  if (!mind_others()) return true;
  const State& state = engine_->state();
  std::vector<ComeTo> standbys;
  for (const RollRow& row : others()) {
    if (!row.leads) standbys.push_back({row.name, row.agents, row.may_lead});
  }
  const int64_t now_ms = parts_.time->boottime_ms();
  const bool hears = !agents_.in_contact(state, clock_->now()).empty();
  const std::string to = cut_off_.gives_to(now_ms, hears, state.config.agent_timeout_ms, standbys);
  if (to.empty()) return true;
  log_warn("broker-isolated", {{"for", format_duration(cut_off_.silent_ms(now_ms))},
                               {"agents_come_to", to},
                               {"why", "no agent reaches this broker"},
                               {"then", "it steps down for that broker"},
                               {"do", "look at the network of this machine"}});
  cut_off_.gave();
  step_down(to);
  return false;
}

/// Fills in the other brokers' rows, for answers to questions.
void Broker::share_leader_view() {
  LeaderView& leader_view = agents_.liveness().leader_view;
  auto known = std::make_shared<std::vector<KnownBroker>>();
  for (const RollRow& row : others()) known->push_back({row.name, row.agents, row.clusters});
  leader_view.others = std::move(known);
  leader_view.agents = roll_row().agents;
}

/// Fills in how far this broker's clock is from others'.
void Broker::add_clock(LeaderView& leader_view) const {
  if (standby_.is_alone()) return;
  leader_view.dates_ahead_ms = engine_ ? clock_->now() - parts_.time->wall_time() : 0;
  leader_view.ahead_of_server = standby_.ahead_of_server();
  const std::shared_ptr<const RollSeen> seen = parts_.roll ? parts_.roll->seen() : nullptr;
  if (seen && seen->ahead_of_server) leader_view.ahead_of_server = seen->ahead_of_server;
  const auto knocks = agents_.contacts().clocks(parts_.time->boottime_ms());
  leader_view.ahead_of_knocks.reset();
  if (knocks) leader_view.ahead_of_knocks = knocks->reversed();
}

}  // namespace leasehold
