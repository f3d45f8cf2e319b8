// VirtualBroker, reports: gives the core what the agents report, from the clusters' job models.
#include <algorithm>
#include <variant>

#include "broker/core/admission.hpp"
#include "broker/simulate/broker.hpp"
#include "broker/simulate/work.hpp"
#include "common/bounds.hpp"
#include "common/check.hpp"

namespace leasehold {

wire::StateBlock& VirtualBroker::fresh_block(uint32_t cluster, Instant now) {
  auto& report = std::get<StateReported>(agents_[cluster].report);
  const std::vector<Claimed> claimed = claimed_by(scenario_, cluster, now);
  report.pending =
      std::min<int64_t>(kSlotsMax, models_[cluster].pending_slots() + agent::slots_wanted(claimed));
  report.state.clear();
  const bool by_demand = rule_.by_demand();
  const Limits limits = by_demand ? Limits::told : Limits::not_told;
  if (tells_work()) tell_work(models_[cluster], core_ahead_ms_, limits, claimed, report);
  if (by_demand) {
    tell_ending(models_[cluster], agents_[cluster].endings, now, report);
    tell_elsewhere(models_[cluster], scenario_.clusters[cluster].hosts, report);
  }
  if (watcher_ != nullptr) watcher_->tell(cluster, models_[cluster], now, report);
  agents_[cluster].pending_known = models_[cluster].pending_slots();
  return report.state;
}

void VirtualBroker::state_side(uint32_t index, wire::StateBlock& block) {
  Side& side = sides_[index];
  const JobModel& model = models_[side.cluster];
  const auto first = static_cast<uint32_t>(block.hosts.size());
  for (uint32_t row = 0; row < side.hosts.size(); ++row) {
    SideHost& host = side.hosts[row];
    host.limit_reported = host.planned ? host.planned->limit_stated() : model.cap(host.host);
    host.used_reported = std::min(host.limit_reported, model.used(host.host));
    side.ever_used = side.ever_used || host.used_reported > 0;
    block.hosts.push_back({row, host.limit_reported, host.used_reported, true});
  }
  wire::GroupState group;
  group.generation = side.generation;
  group.seq = side.seq;
  group.ever_used = side.ever_used;
  group.first = first;
  group.count = static_cast<uint32_t>(side.hosts.size());
  block.groups.push_back(group);
}

void VirtualBroker::answer(uint32_t side, Instant now) {
  const uint32_t cluster = sides_[side].cluster;
  state_side(side, fresh_block(cluster, now));
  feed_report(cluster, now);
}

/// Reports take the same way as in the daemon: checked, reduced to what is new, given to the core.
void VirtualBroker::feed_report(uint32_t cluster, Instant now) {
  auto& report = std::get<StateReported>(agents_[cluster].report);
  const std::optional<Refused> refused = check_state(state_, cluster, report.state);
  LEASEHOLD_CHECK(!refused, refused->message.c_str());
  if (drop_known(state_, report)) feed(agents_[cluster].report, now);
}

bool VirtualBroker::has_news(const Side& side) const {
  if (side.answer_at != kNever) return false;
  const JobModel& model = models_[side.cluster];
  return std::any_of(side.hosts.begin(), side.hosts.end(), [&](const SideHost& host) {
    if (model.used(host.host) != host.used_reported) return true;
    return host.planned && host.planned->limit_stated() != host.limit_reported;
  });
}

bool VirtualBroker::report(Instant now) {
  for (uint32_t i = 0; i < agents_.size(); ++i) {
    Agent& agent = agents_[i];
    const JobModel& model = models_[i];
    bool news = watcher_ != nullptr || tells_work() || model.pending_slots() != agent.pending_known;
    for (const uint32_t index : agent.sides) news = news || has_news(sides_[index]);
    if (!news) continue;
    wire::StateBlock& block = fresh_block(i, now);
    for (const uint32_t index : agent.sides) {
      if (sides_[index].answer_at == kNever) state_side(index, block);
    }
    feed_report(i, now);
  }
  return carry_out_orders(now);
}

}  // namespace leasehold
