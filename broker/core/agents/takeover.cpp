#include "broker/core/agents/takeover.hpp"

#include <algorithm>

#include "common/canary.hpp"

namespace leasehold {

namespace {

bool is_known(const wire::Identity& identity) {
  return !identity.machine.empty();
}

bool same_place(const wire::Identity& a, const wire::Identity& b) {
  return a.machine == b.machine && a.file == b.file;
}

/// True if another agent has taken over from this process already, or from this boot of the
/// machine: neither comes back. Copies of a whole machine are found by that, too.
bool was_replaced(const Cluster& cluster, const wire::Identity& identity) {
  return std::any_of(
      cluster.replaced.begin(), cluster.replaced.end(), [&](const wire::Identity& earlier) {
        if (earlier.process == identity.process) return true;
        return earlier.boot == identity.boot && identity.boot != cluster.identity.boot &&
               same_place(earlier, identity);
      });
}

std::string place_of(const wire::Identity& identity) {
  return "machine " + identity.machine + " (a hash of its id), inode " +
         std::to_string(identity.file) + " (ls -i)";
}

/// `forget` is not advised: the first agent may be alive, and after a start no agent may be
/// connected.
std::string copied(const State& state, const Cluster& cluster, const wire::Identity& identity) {
  const char* other = cluster.contact == Contact::lost ? "was connected last" : "is connected";
  return "this agent's state file is a copy: the agent that " + std::string(other) +
         " for cluster '" + cluster.name + "' keeps it on " + place_of(cluster.identity) +
         ", this one on " + place_of(identity) +
         ". Stop one of the two. This one may take over when that one has been silent for " +
         format_duration(state.config.agent_timeout_ms) +
         "; an agent of another cluster needs a state file of its own";
}

std::string other_state(const State& state, const Cluster& cluster) {
  return "the broker has just started, and an agent with another state file was connected last for "
         "cluster '" +
         cluster.name + "'; this one may take over when that one has been silent for " +
         format_duration(state.config.agent_timeout_ms);
}

std::string unnamed(const State& state) {
  return "this agent is of an older release that does not say where it runs, and the connected "
         "agent does; it may take over when that one has been silent for " +
         format_duration(state.config.agent_timeout_ms);
}

}  // namespace

std::optional<Refused> check_takeover(const State& state, const Cluster& cluster,
                                      const wire::Hello& hello, Instant now) {
  const wire::Identity& known = cluster.identity;
  // After a start of the broker, unless it said that it is being stopped.
  const bool starts = now - state.started < state.config.agent_timeout_ms;
  const bool may_return = starts && !cluster.stopped;
  const bool other = hello.state_id != cluster.state_id && cluster.state_id != 0;
  if (other && may_return && !LEASEHOLD_CANARY(trusts_other_state)) {
    return Refused{Reason::second_agent, other_state(state, cluster)};
  }
  if (hello.state_id != cluster.state_id || !is_known(known)) return std::nullopt;
  if (cluster.contact == Contact::lost && !may_return) return std::nullopt;
  if (!is_known(hello.identity)) return Refused{Reason::second_agent, unnamed(state)};
  if (LEASEHOLD_CANARY(trusts_copied_state)) return std::nullopt;
  if (same_place(known, hello.identity) && !was_replaced(cluster, hello.identity)) {
    return std::nullopt;
  }
  return Refused{Reason::copied_state, copied(state, cluster, hello.identity)};
}

void note_identity(Cluster& cluster, const AgentHello& event) {
  std::vector<wire::Identity>& replaced = cluster.replaced;
  if (cluster.state_id != event.state_id) replaced.clear();
  const bool other = cluster.identity.process != event.identity.process;
  if (cluster.state_id == event.state_id && is_known(cluster.identity) && other) {
    replaced.push_back(cluster.identity);
    if (replaced.size() > kReplacedMost) replaced.erase(replaced.begin());
  }
  cluster.identity = event.identity;
  cluster.copy = {};
}

void forget_identity(Turn& turn, uint32_t cluster) {
  Cluster& of = turn.state.clusters[cluster];
  of.identity = {};
  of.replaced.clear();
  of.copy = {};
  touch_cluster(turn, cluster);
}

bool is_news(const State& state, const CopyRefused& event) {
  const uint32_t cluster = find_cluster(state, event.cluster);
  return cluster != kNoIndex && !same_place(state.clusters[cluster].copy, event.identity);
}

void copy_refused(Turn& turn, const CopyRefused& event) {
  if (!is_news(turn.state, event)) return;
  const uint32_t cluster = find_cluster(turn.state, event.cluster);
  turn.state.clusters[cluster].copy = event.identity;
  record_cluster(turn, RecordKind::alarm, cluster, Reason::copied_state);
}

}  // namespace leasehold
