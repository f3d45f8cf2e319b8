#include "broker/ports/agents/loss_watch.hpp"

#include <algorithm>
#include <unordered_map>

#include "common/canary.hpp"

namespace leasehold {

namespace {

/// Orders the heap: soonest on top; equal ones by cluster.
bool later(const std::pair<Instant, uint32_t>& a, const std::pair<Instant, uint32_t>& b) {
  return a.first != b.first ? a.first > b.first : a.second > b.second;
}

}  // namespace

uint64_t& lost_session(const std::string& route) {
  static std::unordered_map<std::string, uint64_t> sessions;
  return sessions[route];
}

void LossWatch::begin_turn(Instant now) {
  for (const std::string& cluster : answered_) {
    Peer* peer = sessions_.find(cluster);
    if (peer != nullptr && std::exchange(peer->contact.answered, false)) {
      peer->contact.renewed = now;
    }
  }
  answered_.clear();
}

void LossWatch::renew(Peer& peer) {
  if (!std::exchange(peer.contact.answered, true)) answered_.push_back(peer.cluster);
}

/// An entry that is as soon serves as well: agents that say hello again and again add nothing.
void LossWatch::watch(uint32_t cluster, Instant at) {
  if (cluster >= watched_.size()) watched_.resize(cluster + size_t{1}, kNever);
  if (watched_[cluster] <= at) return;
  watched_[cluster] = at;
  looks_.emplace_back(at, cluster);
  std::push_heap(looks_.begin(), looks_.end(), later);
}

/// Watches all clusters, after a start of the core or if agent_timeout has changed.
void LossWatch::watch_all(const State& state) {
  looks_.clear();
  watched_.clear();
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    if (state.clusters[c].contact == Contact::ok) watch(c, Instant{INT64_MIN});
  }
  watched_timeout_ms_ = state.config.agent_timeout_ms;
}

Instant LossWatch::lost_at(const State& state, uint32_t cluster) const {
  if (state.clusters[cluster].contact != Contact::ok) return kNever;
  const Peer* peer = sessions_.find(state.clusters[cluster].name);
  if (peer == nullptr) return state.started + state.config.agent_timeout_ms;
  if (peer->contact.stopping) return Instant{INT64_MIN};
  return peer->contact.last_report + state.config.agent_timeout_ms;
}

/// Takes the entries whose deadline has passed off the heap; a cluster whose agent has sent
/// something since is watched again.
std::vector<uint32_t> LossWatch::take_lost(const State& state, Instant now) {
  std::vector<uint32_t> lost;
  while (!looks_.empty() && looks_.front().first <= now) {
    const auto [deadline, cluster] = looks_.front();
    std::pop_heap(looks_.begin(), looks_.end(), later);
    looks_.pop_back();
    if (watched_[cluster] != deadline) continue;  // a sooner one took its place
    watched_[cluster] = kNever;
    const Instant at = lost_at(state, cluster);
    if (at <= now) {
      lost.push_back(cluster);
    } else if (at != kNever) {
      watch(cluster, at);
    }
  }
  std::sort(lost.begin(), lost.end());
  return lost;
}

void LossWatch::find_lost(const State& state, Instant now, const EventSink& sink) {
  if (watched_timeout_ms_ != state.config.agent_timeout_ms) watch_all(state);
  for (const uint32_t index : take_lost(state, now)) {
    const Cluster& cluster = state.clusters[index];
    Peer* peer = sessions_.find(cluster.name);
    if (peer != nullptr && peer->contact.answered) {  // in this turn: the next one knows by when
      watch(index, now);
      continue;
    }
    AgentLost event{cluster.name, cluster.session, now, false};
    if (peer != nullptr) {
      if (LEASEHOLD_CANARY(renews_the_lost)) lost_session(peer->route) = cluster.session;
      peer->session = 0;
      event = {cluster.name, cluster.session, peer->contact.renewed, peer->contact.stopping};
    }
    record_.step(cluster.name, event, sink);
  }
}

Instant LossWatch::next() const {
  return looks_.empty() ? kNever : looks_.front().first;
}

void LossWatch::clear() {
  answered_.clear();
  watched_timeout_ms_ = -1;
}

}  // namespace leasehold
