// Finds what needs a person in agents: those that are silent, refused, or without their workload
// manager.
#include <algorithm>
#include <cstdlib>

#include "broker/core/agents/lease_bounds.hpp"
#include "broker/views/attention/needs.hpp"
#include "broker/views/clusters/contact.hpp"
#include "broker/views/rows.hpp"

namespace leasehold::attention {

namespace {

using rows::count_of;

std::string holdings(const Leased& leased) {
  std::string text;
  if (leased.imported > 0) text = "it has " + count_of(leased.imported, "slot") + " of others";
  if (leased.exported > 0) {
    text += (text.empty() ? "" : "; ") + std::string("others have ") +
            count_of(leased.exported, "slot") + " of its hosts";
  }
  return text.empty() ? "nothing is leased to it or from it" : text;
}

void returns_by_itself(Need& need, const Cluster& cluster, const Leased& leased) {
  if (leased.imported == 0) return;
  need.at = cluster.expires_at;
  need.then = cluster.expires_at == kNever ? "nothing returns by itself"
                                           : "what it leases returns to its providers";
}

void lost(Found& found, const Cluster& cluster, const Leased& leased) {
  Need need{cluster.stopped ? Kind::agent_stopped : Kind::agent_lost, cluster.name, "", ""};
  const Instant contact_at = last_contact(found.liveness, cluster.name);
  // A database records which agent is lost, not since when.
  need.since =
      contact_at == kNever && found.liveness.agents_known ? found.state.started : contact_at;
  need.reason = cluster.stopped ? Reason::agent_stopped : Reason::report_missing;
  const std::string what = cluster.stopped ? " was stopped" : " is silent";
  need.detail = "the agent of " + cluster.name + what + "; " + holdings(leased);
  need.command = remedy_of_silence(found.state, found.liveness, cluster, leased.imported > 0);
  returns_by_itself(need, cluster, leased);
  found.needs.push_back(std::move(need));
}

struct Remedy {
  Reason refused;
  const char* before;  // the cluster's name follows it
  const char* after;
};
/// The operator's remedy for each reason of a refusal.
constexpr Remedy kRemedies[] = {
    {Reason::wrong_key, "compare public_key of [[cluster]] ",
     " with the line 'Its public key' of the file that secret_key_file in [security] of its "
     "agent's configuration names"},
    {Reason::second_agent, "stop one of the two agents of ", ""},
    {Reason::copied_state, "stop one of the two agents of ", ""},
    {Reason::wire_version, "bring the agent of ", " to the broker's release"},
    {Reason::unknown_cluster, "name ", " in the broker's configuration, then leasectl reload"},
    {Reason::database_older, "put the newest copy of the database back: the agent of ",
     " has carried out later orders"},
};

/// True if the agent's last message was refused: the agent runs, and is lost only for that reason.
bool kept_out(const Found& found, const Cluster& cluster) {
  const ClusterLiveness* known = known_of(found.liveness, cluster.name);
  if (cluster.stopped || !shows_refusal(known, found.now)) return false;
  const Instant contact_at = last_contact(found.liveness, cluster.name);
  return contact_at == kNever || known->refused->at > contact_at;
}

void refused(Found& found, const Cluster& cluster, const ClusterLiveness& known,
             const Leased& leased) {
  if (!shows_refusal(&known, found.now)) return;
  Need need{Kind::agent_refused, cluster.name, known.refused->message,
            remedy_of_refusal(known.refused->reason, cluster.name)};
  need.since = known.refused->at;
  need.reason = known.refused->reason;
  if (cluster.contact == Contact::lost && kept_out(found, cluster)) {
    need.detail += "; " + holdings(leased);
    returns_by_itself(need, cluster, leased);
  }
  found.needs.push_back(std::move(need));
}

void degraded(Found& found, const Cluster& cluster) {
  Need need{Kind::degraded, cluster.name,
            "the workload manager of " + cluster.name +
                " does not answer its agent: nothing moves to or from it",
            "look at the workload manager of " + cluster.name + "; lease-agent --probe there"};
  need.reason = Reason::degraded;
  found.needs.push_back(std::move(need));
}

void clock(Found& found, const Cluster& cluster, const ClusterLiveness& known) {
  if (!known.clock_off) return;
  const ClockDifference off = own_difference(*known.clock_off, found.liveness.leader_view);
  if (std::abs(off.surely_ms()) < kClockDiffersMs) return;
  found.needs.push_back({Kind::clock_differs, cluster.name,
                         "the clock of its agent's machine is " + surely_off(off) +
                             ": times in the two logs cannot be compared",
                         "let both machines follow a time server"});
}

/// This need is independent of the one for late recording: either may be there without the other.
void loop_time(Found& found, const Cluster& cluster, const ClusterLiveness& known) {
  if (!known.waits_since) return;
  Need need{Kind::over_rate, cluster.name,
            "what its agent sends takes more of the broker's time than one agent may have: its "
            "messages are read late",
            "see why the agent of " + cluster.name +
                " sends so much: its log, and whether another agent of it runs elsewhere"};
  if (known.waiting_dropped > 0) {
    need.detail += ", and " + count_of(static_cast<int64_t>(known.waiting_dropped), "message") +
                   " that newer ones replace " + (known.waiting_dropped == 1 ? "was" : "were") +
                   " dropped since the broker's start";
  }
  need.since = *known.waits_since;
  need.reason = Reason::over_rate;
  found.needs.push_back(std::move(need));
}

void rate(Found& found, const Cluster& cluster, const ClusterLiveness& known) {
  if (!known.late_since) return;
  Need need{Kind::over_rate, cluster.name,
            "its agent reports more than [limits] record_mb_per_hour may be recorded: only the "
            "newest of it is recorded, and later",
            "see what changes there so often: leasectl history --cluster " + cluster.name +
                " --since -1h"};
  need.since = *known.late_since;
  need.reason = Reason::over_rate;
  found.needs.push_back(std::move(need));
}

}  // namespace

std::string remedy_of_refusal(Reason reason, const std::string& cluster) {
  for (const Remedy& remedy : kRemedies) {
    if (remedy.refused == reason) return remedy.before + cluster + remedy.after;
  }
  return "look at the log of the agent of " + cluster;
}

std::string surely_off(const ClockDifference& off) {
  const int64_t surely_ms = std::abs(off.surely_ms());
  return "at least " + format_duration(surely_ms / 1'000 * 1'000) +
         (off.low_ms > 0 ? " ahead of" : " behind") + " the broker's";
}

Instant now_of(const State& state, const Liveness& liveness) {
  return std::max(state.now, liveness.now);
}

std::vector<Leased> leased_by_cluster(const State& state) {
  std::vector<Leased> leased(state.clusters.size());
  for (const SlotGroup& group : state.slot_groups) {
    if (group.phase == Phase::closed) continue;
    const uint32_t provider = group.members[kProvider].cluster;
    for (size_t place = 0; place < group.holdings.size(); ++place) {
      const uint32_t cluster = group.members[place % group.members.size()].cluster;
      if (cluster == provider) continue;
      leased[cluster].imported += group.holdings[place].held;
      leased[provider].exported += group.holdings[place].held;
    }
  }
  return leased;
}

/// A cluster that the configuration no longer names counts until its slots are back. The state
/// knows which agents are lost, stopped or degraded; only a running broker knows of refusals,
/// clocks and rates.
void find_in_agents(Found& found) {
  const std::vector<Leased> leased = leased_by_cluster(found.state);
  for (size_t c = 0; c < found.state.clusters.size(); ++c) {
    const Cluster& cluster = found.state.clusters[c];
    const bool leases = leased[c].imported + leased[c].exported > 0;
    if (!cluster.configured && !leases) continue;
    const bool is_lost = cluster.contact == Contact::lost;
    if (is_lost && !kept_out(found, cluster)) lost(found, cluster, leased[c]);
    if (cluster.contact == Contact::ok && cluster.degraded) degraded(found, cluster);
    const ClusterLiveness* known = known_of(found.liveness, cluster.name);
    if (known == nullptr) continue;
    refused(found, cluster, *known, leased[c]);
    clock(found, cluster, *known);
    rate(found, cluster, *known);
    loop_time(found, cluster, *known);
  }
}

}  // namespace leasehold::attention
