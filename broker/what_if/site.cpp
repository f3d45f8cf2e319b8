// EstimatedSite: time, the core, orders and answers. The inputs of a history are in inputs.cpp.
#include "broker/what_if/site.hpp"

#include <algorithm>

#include "broker/config/windows.hpp"
#include "broker/core/admission.hpp"
#include "broker/core/model/deadlines.hpp"
#include "broker/core/model/hosts.hpp"
#include "broker/core/step.hpp"

namespace leasehold {

EstimatedCluster& EstimatedSite::cluster_at(uint32_t cluster) {
  if (clusters_.size() <= cluster) {
    clusters_.resize(cluster + 1);
    degraded_.resize(cluster + 1, false);
    ending_.resize(cluster + 1);
  }
  return clusters_[cluster];
}

void EstimatedSite::feed(const Event& event, Instant now) {
  now = std::max(now, state_.now);
  effects_.clear();
  step(state_, event, now, effects_);
  count(now);
  follow_groups();
  meter_.changed(state_, now);
  take_orders();
}

void EstimatedSite::count(Instant now) {
  std::vector<uint32_t> flipped;
  for (const Record& row : effects_.records) count_row(row, flipped, now);
}

void EstimatedSite::count_row(const Record& row, std::vector<uint32_t>& flipped, Instant now) {
  if (row.kind == RecordKind::consumer && row.slots != 0) {
    const bool known = std::find(flipped.begin(), flipped.end(), row.plan) != flipped.end();
    if (known || row.plan == kNoIndex) return;
    flipped.push_back(row.plan);
    return meter_.plan_flip(state_, row.plan, now);
  }
  if (row.group == kNoIndex) return;
  const bool planned = state_.slot_groups[row.group].resource_group != kNoIndex;
  if (row.kind == (planned ? RecordKind::transfer_granted : RecordKind::flip)) {
    meter_.moved(state_, row.group, row.slots, !planned, now);
  }
}

/// Follows the slot groups, members and hosts that the core has made since.
void EstimatedSite::follow_groups() {
  for (const uint32_t index : state_.dirty_groups) follow_group(index);
}

void EstimatedSite::follow_group(uint32_t index) {
  const SlotGroup& group = state_.slot_groups[index];
  if (sides_.size() <= index) sides_.resize(index + 1);
  std::vector<uint32_t>& places = sides_[index];
  for (size_t m = places.size(); m < group.members.size(); ++m) {
    const uint32_t cluster = group.members[m].cluster;
    told_.push_back(cluster);
    places.push_back(
        cluster_at(cluster).add(index, group.generation, m == kProvider, group.hosts.size()));
  }
  for (size_t m = 0; m < places.size(); ++m) {
    EstimatedCluster& cluster = clusters_[group.members[m].cluster];
    if (cluster.side(places[m]).group == kNoIndex) continue;
    if (group.phase == Phase::closed) {
      cluster.drop(places[m]);
    } else {
      cluster.widen(places[m], group.hosts.size());
      follow_kinds(index, static_cast<uint32_t>(m));
      if (m == kProvider) follow_exports(index, places[m]);
    }
  }
}

void EstimatedSite::follow_kinds(uint32_t index, uint32_t member) {
  const SlotGroup& group = state_.slot_groups[index];
  EstimatedCluster& cluster = clusters_[group.members[member].cluster];
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const wire::HostFacts& facts = host_of(state_, group, row).facts;
    const int32_t exported = group.hosts[row].exported;
    cluster.set_kind(sides_[index][member], row, facts.type,
                     exported >= facts.slots ? exported : 0);
  }
}

void EstimatedSite::follow_exports(uint32_t index, uint32_t place) {
  const SlotGroup& group = state_.slot_groups[index];
  EstimatedCluster& provider = clusters_[group.members[kProvider].cluster];
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    provider.exports(place, row, group.hosts[row].exported);
  }
}

uint32_t EstimatedSite::place_of(uint32_t cluster, uint64_t generation) const {
  const uint32_t index = find_slot_group(state_, generation);
  if (index == kNoIndex || index >= sides_.size()) return kNoIndex;
  const uint32_t member = member_of(state_.slot_groups[index], cluster);
  if (member == kNoIndex || member >= sides_[index].size()) return kNoIndex;
  const uint32_t place = sides_[index][member];
  return clusters_[cluster].side(place).group == kNoIndex ? kNoIndex : place;
}

int32_t EstimatedSite::limit(uint32_t group, uint32_t member, uint32_t row) const {
  const uint32_t cluster = state_.slot_groups[group].members[member].cluster;
  return clusters_[cluster].side(sides_[group][member]).rows[row].limit;
}

void EstimatedSite::take_orders() {
  for (const SendOrder& order : effects_.orders) {
    if (order.generation == 0) continue;  // a later order of the same step replaced it
    const auto hosts = effects_.hosts_of(order);
    orders_.push_back(
        {order.cluster, order.generation, order.seq, order.grace_ms, {hosts.begin(), hosts.end()}});
    for (const SendPart& part : effects_.parts_of(order)) {
      if (part.generation == 0) continue;
      const auto more = effects_.hosts_of(part);
      orders_.push_back(
          {order.cluster, part.generation, order.seq, order.grace_ms, {more.begin(), more.end()}});
    }
  }
}

void EstimatedSite::carry_out(Instant now) {
  while (!orders_.empty() || !told_.empty()) {
    if (orders_.empty()) {
      const uint32_t cluster = told_.back();
      told_.pop_back();
      report(cluster, now);
      continue;
    }
    const Order order = std::move(orders_.front());
    orders_.pop_front();
    apply(order, now);
  }
}

void EstimatedSite::apply(const Order& order, Instant now) {
  const uint32_t place = place_of(order.cluster, order.generation);
  if (place == kNoIndex) return;
  EstimatedCluster& cluster = clusters_[order.cluster];
  if (order.seq <= cluster.side(place).seq) return;
  cluster.pass(now);
  cluster.take(place, order.hosts, order.seq, order.grace_ms, run_time_ms_, now);
  if (answer_ms_ > 0) cluster.answer_at(place, now + answer_ms_);
  set_timer(order.cluster, place);
  answer(order.cluster, now);
}

void EstimatedSite::set_timer(uint32_t cluster, uint32_t place) {
  const EstimatedCluster::Side& side = clusters_[cluster].side(place);
  const Instant at = std::min(side.answer_at, side.due);
  if (at != kNever) timers_.push({at, cluster, place});
}

void EstimatedSite::run_timer() {
  const Timer timer = timers_.top();
  timers_.pop();
  EstimatedCluster& cluster = clusters_[timer.cluster];
  const EstimatedCluster::Side& side = cluster.side(timer.place);
  if (side.group == kNoIndex || std::min(side.answer_at, side.due) > timer.at) return;
  cluster.pass(timer.at);
  if (side.due <= timer.at) cluster.end_work(timer.place, timer.at);
  if (side.answer_at <= timer.at) cluster.answer_at(timer.place, kNever);
  set_timer(timer.cluster, timer.place);
  answer(timer.cluster, timer.at);
  carry_out(timer.at);
}

void EstimatedSite::resolve_ahead(Instant now) {
  if (!are_windows_due(state_.config, state_.windows.until, now)) return;
  feed(WindowsResolved{resolve_windows(state_.config, now)}, now);
}

/// Everything due before T is done before an input at T; nothing is while no broker runs.
void EstimatedSite::advance(Instant until, bool broker_runs) {
  while (true) {
    const Instant tick = broker_runs && started_ ? next_deadline(state_) : kNever;
    const Instant timer = timers_.empty() ? kNever : timers_.top().at;
    if (std::min(tick, timer) >= until) return;
    if (timer <= tick) {
      run_timer();
      continue;
    }
    const Instant now = std::max(tick, state_.now);
    resolve_ahead(now);
    feed(Tick{}, now);
    carry_out(now);
  }
}

void EstimatedSite::state_sides(uint32_t cluster, wire::StateBlock& block, bool all) {
  EstimatedCluster& known = clusters_[cluster];
  for (uint32_t place = 0; place < known.sides(); ++place) {
    const EstimatedCluster::Side& side = known.side(place);
    if (side.group == kNoIndex) continue;
    if (all || (side.news && side.answer_at == kNever)) known.state(place, block);
  }
}

void EstimatedSite::answer(uint32_t cluster, Instant now) {
  report(cluster, now);
  clusters_[cluster].start_what_fits();
  report(cluster, now);
}

/// Reports take the same way as in the daemon: reduced to what is new, given to the core.
void EstimatedSite::report(uint32_t cluster, Instant now) {
  const Cluster& known = state_.clusters[cluster];
  if (cluster >= clusters_.size()) return;
  meter_.waits(state_, cluster, clusters_[cluster].pending(), now);
  if (known.contact != Contact::ok) return;
  report_.cluster = known.name;
  report_.session = known.session;
  report_.pending = clusters_[cluster].pending();
  report_.degraded = degraded_[cluster];
  report_.demand = clusters_[cluster].demand();
  report_.ending = ending_[cluster];
  report_.idle_elsewhere = clusters_[cluster].elsewhere();
  report_.state.clear();
  state_sides(cluster, report_.state, false);
  if (drop_known(state_, report_)) feed(report_, now);
}

SiteOutcome EstimatedSite::finish(Instant to) {
  advance(to, true);
  return meter_.outcome(state_);
}

}  // namespace leasehold
