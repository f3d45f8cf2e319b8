#include "broker/ports/agents/sessions.hpp"

#include <algorithm>

#include "common/key.hpp"
#include "common/log.hpp"

namespace leasehold {

bool speaks_for(const State& state, const std::string& cluster, const std::string& key) {
  if (key.empty()) return true;
  const auto& clusters = state.config.clusters;
  return std::any_of(clusters.begin(), clusters.end(), [&](const ClusterConfig& each) {
    return each.name == cluster && holds_key(each.public_key, key);
  });
}

Peer* Sessions::find(const std::string& cluster) {
  const auto peer = peers_.find(cluster);
  return peer == peers_.end() ? nullptr : &peer->second;
}

const Peer* Sessions::find(const std::string& cluster) const {
  const auto peer = peers_.find(cluster);
  return peer == peers_.end() ? nullptr : &peer->second;
}

std::string Sessions::cluster_of(const std::string& route) const {
  const auto known = cluster_of_.find(route);
  return known == cluster_of_.end() ? "" : known->second;
}

Peer* Sessions::speaker(const Incoming& in, uint64_t session) {
  const auto known = cluster_of_.find(in.frame.peer);
  if (known != cluster_of_.end()) {
    Peer* peer = find(known->second);
    if (peer != nullptr && peer->session == session && session != 0) {
      if (peer->key == in.frame.key) return peer;
      replies_.refuse_key(in, peer->cluster);
      return nullptr;
    }
  }
  replies_.welcome(in.state, in.frame.peer);
  return nullptr;
}

Peer& Sessions::open(const Incoming& in, const wire::Hello& hello) {
  Peer& peer = peers_[hello.cluster];
  cluster_of_.erase(peer.route);
  cluster_of_[in.frame.peer] = hello.cluster;
  peer = Peer{};
  peer.cluster = hello.cluster;
  peer.route = in.frame.peer;
  peer.key = in.frame.key;
  peer.session = hello.session;
  peer.state_id = hello.state_id;
  peer.contact.last_report = in.now;
  return peer;
}

std::vector<std::string> Sessions::end_removed_keys(const State& state) {
  std::vector<std::string> ended;
  for (auto& [cluster, peer] : peers_) {
    if (peer.session == 0 || speaks_for(state, cluster, peer.key)) continue;
    log_warn("key-removed", {{"cluster", cluster},
                             {"key", peer.key},
                             {"why", "a reload took the key away"},
                             {"then", "nothing moves to or from the cluster"},
                             {"do", "give its agent one of the keys of the broker's file"}});
    peer.session = 0;
    peer.statement.drop();
    peer.contact.last_report = Instant{};  // lost, now
    ended.push_back(cluster);
  }
  return ended;
}

std::vector<std::string> Sessions::routes() const {
  std::vector<std::string> routes;
  for (const auto& [cluster, peer] : peers_) {
    if (peer.session != 0) routes.push_back(peer.route);
  }
  return routes;
}

void Sessions::clear() {
  peers_.clear();
  cluster_of_.clear();
}

}  // namespace leasehold
