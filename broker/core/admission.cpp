#include "broker/core/admission.hpp"

#include <algorithm>
#include <string_view>

#include "broker/core/agents/divisions.hpp"
#include "broker/core/agents/lease_bounds.hpp"
#include "broker/core/agents/takeover.hpp"
#include "broker/core/bounds.hpp"
#include "broker/core/lease/gate.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/vacant_hosts.hpp"
#include "broker/core/repeated.hpp"

namespace leasehold {

namespace {

Refused bad(const std::string& message) {
  return {Reason::bad_report, message};
}

/// Checks the numbers of a whole message; nullopt: all are in range.
template <class T>
std::optional<Refused> check_numbers(const T& said) {
  if (const auto fault = fault_of(said)) return bad(*fault);
  return std::nullopt;
}

/// Refuses a message that says the same thing in two places of one list: which of the two would
/// count nobody could say, and applying both costs as often as a peer cares to repeat itself.
Refused said_twice(const std::string& what, const char* list, const Repeated& repeated) {
  const auto place = [list](size_t at) {
    return std::string(list) + "[" + std::to_string(at) + "]";
  };
  return bad(what + " is listed twice, in " + place(repeated.first) + " and in " +
             place(repeated.again) + "; once is right");
}

/// Refuses a slot group that stands twice. They may come in any order.
std::optional<Refused> check_groups_differ(const wire::StateBlock& block) {
  const auto generation = [&block](size_t at) { return block.groups[at].generation; };
  const auto repeated = find_repeated(block.groups.size(), generation);
  if (!repeated) return std::nullopt;
  return said_twice("slot group " + std::to_string(generation(repeated->again)), "groups",
                    *repeated);
}

/// Returns the first host that has two rows in the group.
std::optional<Repeated> repeated_row(const wire::StateBlock& block, const wire::GroupState& said) {
  const auto rows = block.hosts_of(said);
  return find_repeated(rows.size(), [rows](size_t at) { return rows[at].host; });
}

/// Orders that an older copy of the database may have forgotten: twice what any lie seen in
/// simulation claims. More is refused: a liar must not drive the counter to its end.
constexpr uint64_t kSeqsForgottenMax = uint64_t{1} << 37;
constexpr uint64_t kSeqMax = uint64_t{1} << 62;

std::optional<Refused> check_hello_group(const Cluster& cluster, const wire::StateBlock& block,
                                         const wire::GroupState& said) {
  const std::string group = "slot group " + std::to_string(said.generation);
  const uint64_t most = std::min(kSeqMax, cluster.seq + kSeqsForgottenMax);
  if (said.seq > most) {
    return bad(group + ": the agent states order " + std::to_string(said.seq) + ", and at most " +
               std::to_string(most) + " can be right: its state or the database is another's");
  }
  if (said.breach < 0) return bad(group + ": negative use above limit");
  for (const wire::HostState& host : block.hosts_of(said)) {
    if (auto fault = fault_of(host)) {
      return bad(group + ", host " + std::to_string(host.host) + " of it: " + *fault);
    }
  }
  if (const auto repeated = repeated_row(block, said)) {
    const uint32_t host = block.hosts_of(said)[repeated->again].host;
    return said_twice(group + ", host " + std::to_string(host) + " of it", "hosts", *repeated);
  }
  return std::nullopt;
}

/// True if it holds slots in rows beyond those that the group has.
bool holds_any(const wire::StateBlock& block, const wire::GroupState& said, size_t rows_known) {
  const auto rows = block.hosts_of(said);
  return std::any_of(rows.begin(), rows.end(), [rows_known](const wire::HostState& host) {
    // Used is never above the limit here.
    return host.host >= rows_known && (host.limit > 0 || host.exported > 0);
  });
}

/// An unknown group was made after this database was copied, or by another broker. An agent whose
/// answer leaves it out would open or close slots that are somebody's.
std::optional<Refused> check_groups_known(const State& state, const wire::Hello& hello) {
  for (const wire::GroupState& said : hello.state.groups) {
    const uint32_t index = find_slot_group(state, said.generation);
    const size_t rows_known = index == kNoIndex ? 0 : state.slot_groups[index].hosts.size();
    if (!holds_any(hello.state, said, rows_known)) continue;
    return Refused{
        Reason::database_older,
        "the agent holds slots of slot group " + std::to_string(said.generation) +
            (index == kNoIndex ? "" : " on a host") +
            ", which this database does not know: the database is an older copy, or another one. "
            "Put the newer one back, or start over: stop the broker and all agents, end work on "
            "leased hosts, remove fences, and start without the database and the agents' state"};
  }
  return std::nullopt;
}

std::optional<Refused> check_hello_state(const State& state, const Cluster& cluster,
                                         const wire::Hello& hello) {
  if (auto refused = check_groups_differ(hello.state)) return refused;
  for (const wire::GroupState& said : hello.state.groups) {
    if (auto refused = check_hello_group(cluster, hello.state, said)) return refused;
  }
  if (auto refused = check_numbers(hello.state)) return refused;
  if (auto refused = check_numbers(hello)) return refused;
  return check_groups_known(state, hello);
}

/// Refuses a host whose use stands twice.
std::optional<Refused> check_uses_differ(const wire::Report& report) {
  const auto host = [&report](size_t at) { return report.hosts[at].host; };
  const auto repeated = find_repeated(report.hosts.size(), host);
  if (!repeated) return std::nullopt;
  return said_twice("the use of host number " + std::to_string(host(repeated->again)), "hosts",
                    *repeated);
}

}  // namespace

std::optional<Refused> check_report(const State& state, uint32_t cluster,
                                    const wire::Report& report) {
  if (auto refused = check_state(state, cluster, report.state)) return refused;
  if (auto refused = check_numbers(report)) return refused;
  return check_uses_differ(report);
}

std::optional<Refused> check_hello(const State& state, const wire::Hello& hello) {
  return check_hello(state, hello, state.now);
}

std::optional<Refused> check_hello(const State& state, const wire::Hello& hello, Instant now) {
  const uint32_t index = find_cluster(state, hello.cluster);
  if (index == kNoIndex || !state.clusters[index].configured) {
    return Refused{Reason::unknown_cluster,
                   "no [[cluster]] named '" + hello.cluster + "' in the broker's configuration"};
  }
  if (hello.incarnation != state.incarnation) {
    return Refused{Reason::stale_incarnation,
                   "the hello answers an earlier greeting; the agent connects again by itself"};
  }
  const Cluster& cluster = state.clusters[index];
  const bool successor = hello.state_id == cluster.state_id && hello.boot > cluster.boot;
  if (cluster.contact == Contact::ok && !successor) {
    return Refused{Reason::second_agent,
                   "another agent is connected for cluster '" + hello.cluster +
                       "'; this one may take over when that one has been silent for " +
                       format_duration(state.config.agent_timeout_ms)};
  }
  if (auto refused = check_takeover(state, cluster, hello, now)) return refused;
  return check_hello_state(state, cluster, hello);
}

namespace {

std::string place(const State& state, const SlotGroup& group, uint32_t row) {
  return "group " + group_id(state, group) + ", host " + host_of(state, group, row).facts.name;
}

std::optional<Refused> check_host(const State& state, const SlotGroup& group,
                                  const wire::HostState& host) {
  if (host.host >= group.hosts.size()) {
    return bad("group " + group_id(state, group) + " has no host number " +
               std::to_string(host.host) + "; it has " + std::to_string(group.hosts.size()));
  }
  if (auto fault = fault_of(host)) return bad(place(state, group, host.host) + ": " + *fault);
  return std::nullopt;
}

std::optional<Refused> check_group(const State& state, uint32_t cluster,
                                   const wire::StateBlock& block, const wire::GroupState& said) {
  const uint32_t index = find_slot_group(state, said.generation);
  if (index == kNoIndex || member_of(state.slot_groups[index], cluster) == kNoIndex) {
    return bad("slot group " + std::to_string(said.generation) +
               " is none of this cluster's; report the groups of the last configuration");
  }
  const SlotGroup& group = state.slot_groups[index];
  const Member& member = group.members[member_of(group, cluster)];
  if (said.seq > member.seq) {
    return bad("group " + group_id(state, group) + ": order " + std::to_string(said.seq) +
               " was never given; the last one is " + std::to_string(member.seq));
  }
  if (said.breach < 0) return bad("group " + group_id(state, group) + ": negative use above limit");
  for (const wire::HostState& host : block.hosts_of(said)) {
    if (auto refused = check_host(state, group, host)) return refused;
  }
  if (const auto repeated = repeated_row(block, said)) {
    const uint32_t host = block.hosts_of(said)[repeated->again].host;
    return said_twice(place(state, group, host), "hosts", *repeated);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refused> check_state(const State& state, uint32_t cluster,
                                   const wire::StateBlock& block) {
  if (auto refused = check_groups_differ(block)) return refused;
  for (const wire::GroupState& said : block.groups) {
    if (auto refused = check_group(state, cluster, block, said)) return refused;
  }
  return check_numbers(block);
}

std::optional<Refused> check_inventory(const std::vector<wire::HostFacts>& hosts) {
  int64_t slots = 0;
  for (const wire::HostFacts& host : hosts) {
    if (host.name.empty()) return bad("a host without a name");
    if (auto fault = fault_of(host)) return bad("host " + host.name + ": " + *fault);
    slots += host.slots;
  }
  if (slots > kSlotsMax) {
    return bad(std::to_string(slots) + " slots in all; at most " + std::to_string(kSlotsMax) +
               " can be right");
  }
  const auto name = [&hosts](size_t at) { return std::string_view(hosts[at].name); };
  const auto repeated = find_repeated(hosts.size(), name);
  if (!repeated) return std::nullopt;
  return said_twice("host " + hosts[repeated->again].name, "hosts", *repeated);
}

namespace {

std::optional<Refused> no_such(const std::string& what, const std::string& name) {
  return Refused{Reason::none, "there is no " + what + " '" + name + "'"};
}

std::optional<Refused> check_rebalance(const State& state, const std::string& lease) {
  const uint32_t index = find_lease(state, lease);
  if (index == kNoIndex) return no_such("lease", lease);
  const Reason why = gate(state, state.slot_groups[index]);
  if (why == Reason::none) return std::nullopt;
  return Refused{why, "lease " + lease + " cannot be evaluated now: " + std::string(sentence(why))};
}

std::optional<Refused> check_host_command(const State& state, const OperatorCommand& command) {
  const uint32_t cluster = find_cluster(state, command.cluster);
  if (cluster == kNoIndex) return no_such("cluster", command.cluster);
  const std::vector<Host>& hosts = state.clusters[cluster].hosts;
  const bool known = std::any_of(hosts.begin(), hosts.end(), [&](const Host& host) {
    return !is_vacant(host) && host.facts.name == command.host;
  });
  if (!known) return no_such("host", command.host + "@" + command.cluster);
  if (command.consumer.empty()) return std::nullopt;
  if (find_cluster(state, command.consumer) != kNoIndex) return std::nullopt;
  return no_such("cluster", command.consumer);
}

std::optional<Refused> check_forget(const State& state, const std::string& name) {
  const uint32_t cluster = find_cluster(state, name);
  if (cluster == kNoIndex) return no_such("cluster", name);
  if (state.clusters[cluster].contact == Contact::lost) return std::nullopt;
  return Refused{
      Reason::operator_order,
      "the agent of '" + name + "' is connected; only a silent cluster can be forgotten"};
}

}  // namespace

std::optional<Refused> check_command(const State& state, const OperatorCommand& command) {
  switch (command.command) {
    case Command::rebalance:
      return check_rebalance(state, command.lease);
    case Command::drain:
    case Command::resume:
      if (find_cluster(state, command.cluster) != kNoIndex) return std::nullopt;
      return no_such("cluster", command.cluster);
    case Command::close:
    case Command::open:
      return check_host_command(state, command);
    case Command::forget:
      return check_forget(state, command.cluster);
    case Command::freeze:
    case Command::thaw:
    case Command::step_down:
      break;
  }
  return std::nullopt;
}

namespace {

bool same_rows(const State& state, const SlotGroup& group, size_t member,
               const wire::StateBlock& block, const wire::GroupState& said) {
  size_t named_up = 0;
  for (const wire::HostState& host : block.hosts_of(said)) {
    const Holding& row = group.at(host.host, member);
    if (row.stated != stated_limit(group, member, host) || row.used != host.used ||
        row.up != host.up) {
      return false;
    }
    if (said.seq == group.members[member].seq && !row.confirmed) return false;
    if (says_other_division(state, group, member, host)) return false;
    named_up += host.up ? 1 : 0;
  }
  size_t known_up = 0;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    known_up += group.at(row, member).up ? 1 : 0;
  }
  return named_up == known_up;
}

bool says_something_new(const State& state, uint32_t cluster, const wire::StateBlock& block,
                        const wire::GroupState& said) {
  const uint32_t index = find_slot_group(state, said.generation);
  if (index == kNoIndex) return false;
  const SlotGroup& group = state.slot_groups[index];
  const uint32_t m = member_of(group, cluster);
  if (group.phase == Phase::closed || m == kNoIndex) return false;
  const Member& member = group.members[m];
  if (!member.reported || member.seq_stated != said.seq || member.breach != said.breach) {
    return true;
  }
  if (said.ever_used && !member.ever_used) return true;
  return !same_rows(state, group, m, block, said);
}

}  // namespace

bool drop_known(const State& state, StateReported& event) {
  const uint32_t index = find_cluster(state, event.cluster);
  std::vector<wire::GroupState>& groups = event.state.groups;
  groups.erase(std::remove_if(groups.begin(), groups.end(),
                              [&](const wire::GroupState& said) {
                                return !says_something_new(state, index, event.state, said);
                              }),
               groups.end());
  const Cluster& cluster = state.clusters[index];
  if (event.demand && event.demand == cluster.demand) event.demand.reset();
  if (event.ending && event.ending == cluster.ending) event.ending.reset();
  if (event.idle_elsewhere && event.idle_elsewhere == cluster.idle_elsewhere) {
    event.idle_elsewhere.reset();
  }
  if (event.idle_beside && event.idle_beside == cluster.idle_beside) event.idle_beside.reset();
  return !groups.empty() || event.demand || event.ending || event.idle_elsewhere ||
         event.idle_beside || cluster.pending != event.pending ||
         cluster.degraded != event.degraded ||
         cluster.lease_bound_ms != bound_stated(cluster, event.lease_ms);
}

}  // namespace leasehold
