// What AgentPort takes from whom: rates, keys against clusters, and by whose clock.
#include <algorithm>
#include <cstdlib>

#include "broker/core/agents/takeover.hpp"
#include "broker/ports/agents/port.hpp"
#include "common/key.hpp"
#include "common/log.hpp"

namespace leasehold {

void AgentPort::limit_rate(int64_t per_second) {
  if (rates_.per_second() != per_second) rates_ = PeerRates(per_second);
}

/// By key, where there is one: who opens ten connections sends no more for it.
const std::string& AgentPort::peer_name(const Frame& frame) {
  return frame.key.empty() ? frame.peer : frame.key;
}

const std::string& AgentPort::peer_name(const Peer& peer) {
  return peer.key.empty() ? peer.route : peer.key;
}

bool AgentPort::too_many(const Message& in) {
  const PeerRates::Verdict verdict =
      rates_.take(peer_name(in.frame), in.frame.bytes.size(), in.now.ms);
  if (verdict == PeerRates::Verdict::taken) return false;
  const auto known = cluster_of_.find(in.frame.peer);
  const std::string cluster = known == cluster_of_.end() ? "" : known->second;
  if (!cluster.empty()) ++liveness_.clusters[cluster].dropped;
  if (verdict == PeerRates::Verdict::dropped) return true;
  const std::string message = "more than " + std::to_string(rates_.per_second()) +
                              " messages a second: what is above it is dropped";
  if (cluster.empty() && may_log()) {
    log_warn("refused",
             {{"key", in.frame.key}, {"reason", token(Reason::over_rate)}, {"why", message}});
  }
  refuse(in, cluster, Reason::over_rate, message);
  return true;
}

bool AgentPort::may_log() {
  return log_rate_.take("", 0, now_.ms) == PeerRates::Verdict::taken;
}

/// A plain endpoint is this machine's own: its file system or its users are trusted.
bool AgentPort::speaks_for(const State& state, const std::string& cluster, const std::string& key) {
  if (key.empty()) return true;
  const auto& clusters = state.config.clusters;
  return std::any_of(clusters.begin(), clusters.end(), [&](const ClusterConfig& each) {
    return each.name == cluster && holds_key(each.public_key, key);
  });
}

void AgentPort::refuse_key(const Message& in, const std::string& cluster) {
  refuse(in, cluster, Reason::wrong_key,
         "key " + in.frame.key + " is not that of cluster '" + cluster +
             "': an agent speaks for its own cluster only");
}

/// An alarm in the history, once for each place that a copy is used in.
void AgentPort::note_copy(const Message& in, const wire::Hello& hello, const Refused& refused) {
  if (refused.reason != Reason::copied_state) return;
  const CopyRefused event{hello.cluster, hello.identity};
  if (is_news(in.state, event)) step_if_left(hello.cluster, event, in.sink);
}

/// Histories are read beside each other: one clock that is wrong confuses people, and it may be
/// this one. Told once, until it is right again.
void AgentPort::mind_clock(const std::string& cluster, Peer& peer) {
  const std::optional<ClockDifference>& off = peer.clock.told();
  liveness_.clusters[cluster].clock_off = off;
  mind_ages(peer);
  const int64_t surely_ms = off ? own_difference(*off, liveness_.standing).surely_ms() : 0;
  if (!off || off->most_ms() < kClockDiffersMs) peer.clock_warned = false;
  if (std::abs(surely_ms) < kClockDiffersMs || peer.clock_warned || !may_log()) return;
  peer.clock_warned = true;
  const Instant now = time();
  log_warn("clock-differs", {{"cluster", cluster},
                             {"agent", format_utc(now + off->middle_ms())},
                             {"broker", format_utc(now)},
                             {"error_ms", off->error_ms()},
                             {"why",
                              "one of the two machines' clocks is wrong: let both follow a "
                              "time server"}});
}

/// What ages of work are corrected by: one number for as long as it may be right, so that equal
/// statements stay equal. By another one all is to be said again.
void AgentPort::mind_ages(Peer& peer) {
  const std::optional<ClockDifference>& off = peer.clock.told();
  if (!off) return;
  const int64_t known_ms = peer.ages_off_ms;
  const ClockDifference wrong{off->low_ms - known_ms, off->high_ms - known_ms};
  if (std::abs(wrong.surely_ms()) < wire::kOldestStepMs) return;
  peer.ages_off_ms = off->middle_ms();
  if (peer.report_known) ask_for_all(peer);
}

void AgentPort::check_keys(const State& state) {
  know_clusters(state.config.clusters);
  for (auto& [cluster, peer] : peers_) {
    if (peer.session == 0 || speaks_for(state, cluster, peer.key)) continue;
    log_warn("key-removed", {{"cluster", cluster}, {"key", peer.key}});
    peer.session = 0;
    peer.pending = false;
    peer.heard = Instant{};  // lost, now
    watch(find_cluster(state, cluster), Instant{});
  }
}

}  // namespace leasehold
