// Event: everything the world does to the broker. step() takes nothing else.
// Each event given to step() that changed the state is recorded, with its `now`, and replayed by
// `replay --verify`. Heartbeats never get here; unchanged reports are dropped before
// (core/admission.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "broker/core/model/cluster.hpp"
#include "broker/core/model/config.hpp"
#include "common/reason.hpp"
#include "common/time/instant.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

/// The process started on this state. Sessions are over, and every group is in quarantine unless
/// `warm` lets it skip that. `now` and all later ones are never below an earlier one, whatever the
/// machine's clock does, except after ClockSet.
struct BrokerStarted {
  uint64_t incarnation = 0;
  bool database_older = false;  // the file beside the database says so
  /// True for a take-over: nothing that a leader committed can have been lost, and no other leader
  /// committed beside it (broker/store/postgres/README.md, rule 15). Groups that were not in
  /// quarantine skip it.
  bool warm = false;
};

struct ConfigLoaded {
  BrokerConfig config;
  ResolvedWindows windows;
  std::string by;            // "start", "SIGHUP" or an operator
  std::string where = {};    // where an operator asked for it
  std::string changes = {};  // what it changed, for people
};

/// The shell resolved windows further ahead.
struct WindowsResolved {
  ResolvedWindows windows;
};

/// An accepted hello (core/admission.hpp, check_hello).
struct AgentHello {
  std::string cluster;
  uint64_t state_id = 0;
  uint64_t boot = 0;
  uint64_t session = 0;
  bool has_state = true;
  bool self_expiring = false;
  wire::Fences fences;
  std::string program_version;
  wire::StateBlock state;
  int64_t lease_ms = 0;  // as its agent states it (wire::Report)
  wire::Identity identity;
  bool chooses = false;  // it takes orders with sets (wire::ReclaimSet)
  wire::Scheduling scheduling = {};
};

/// No message came for agent_timeout, or the agent's last message said that it is being stopped.
struct AgentLost {
  std::string cluster;
  uint64_t session = 0;
  /// The last answer to it left no later than this: what it was renewed by. What the core knows of
  /// time it knows from here, because heartbeats never enter.
  Instant renewed_at = {};
  bool stopped = false;  // it said so
};

struct InventoryReported {
  std::string cluster;
  uint64_t session = 0;
  std::vector<wire::HostFacts> hosts;
};

/// An inventory stated as the difference from the known one, so that a host of a large cluster that
/// goes down and comes back does not record all of them twice.
struct InventoryChanged {
  std::string cluster;
  uint64_t session = 0;
  std::vector<wire::HostFacts> hosts;  // new, or of other facts
  std::vector<std::string> gone;
};

/// An agent's statement, in a report or an answer. It has only groups that differ from what was
/// known.
struct StateReported {
  std::string cluster;
  uint64_t session = 0;
  int64_t pending = 0;
  bool degraded = false;
  wire::StateBlock state;
  int64_t lease_ms = 0;  // as its agent states it (wire::Report)
  /// By the broker's clock. nullopt: nothing new, as Cluster::demand and Cluster::ending.
  std::optional<wire::Demand> demand = std::nullopt;
  std::optional<wire::Ending> ending = std::nullopt;
  /// Idle slots of its own that no policy exports, host by host, the most first. nullopt: nothing
  /// new.
  std::optional<std::vector<int32_t>> idle_elsewhere = std::nullopt;
  /// Idle slots of its own on hosts of which policies export a part. nullopt: nothing new.
  std::optional<IdleBeside> idle_beside = std::nullopt;
};

/// A deadline passed (turn/deadlines.hpp). Recorded only when it changed something.
struct Tick {
  /// The last Tick since the last recorded event that changed nothing and so was not recorded; {}:
  /// there was none. Replay first makes a Tick of that instant; deadlines after it are this one's.
  Instant silent = {};
};

enum class Command : uint8_t {
  rebalance,
  drain,
  resume,
  close,
  open,
  freeze,
  thaw,
  forget,
  step_down,
};
constexpr auto tokens_of(Command) {
  using enum Command;
  return tokens<Command>({{rebalance, "rebalance"},
                          {drain, "drain"},
                          {resume, "resume"},
                          {close, "close"},
                          {open, "open"},
                          {freeze, "freeze"},
                          {thaw, "thaw"},
                          {forget, "forget"},
                          {step_down, "stepdown"}});
}

/// The leases of a cluster that drain or resume is about: those by which it exports, those by which
/// it imports, or both.
enum class DrainSide : uint8_t { both, exports, imports };
constexpr auto tokens_of(DrainSide) {
  using enum DrainSide;
  return tokens<DrainSide>({{both, ""}, {exports, "provider"}, {imports, "consumer"}});
}

/// An operator's order, already checked to name things that exist.
struct OperatorCommand {
  Command command = Command::freeze;
  std::string by;
  std::string lease;                 // rebalance
  std::string cluster;               // drain, resume, forget; close, open: the host's provider
  std::string host;                  // close, open
  std::string consumer;              // close, open: "" = every consumer
  bool reclaim = false;              // close
  DrainSide half = DrainSide::both;  // drain, resume
  /// open, for every consumer: what is closed for some stays closed; thaw: a freeze ahead stays
  bool only_this = false;
  std::string where = {};            // whence it came: an address, or "local"
  std::string why = {};              // drain, close, freeze: --reason
  Instant until = kNever;            // drain, close, freeze: the broker takes it back then
  std::string successor = {};        // step_down: the broker whose turn it is; "": any other's
  std::optional<Instant> from = {};  // freeze: it begins then; none, or past: at once
};

/// A hello was refused because it comes from a copy of a state file (core/admission.hpp,
/// check_hello); once for each place that it comes from.
struct CopyRefused {
  std::string cluster;
  wire::Identity identity;
};

/// History goes on at an earlier instant than its last one, which a wrong clock had made: the one
/// event whose `now` may lie before that of the event before it. A start follows.
struct ClockSet {
  std::string by;
};

/// Somebody asked for what he may not do, or what cannot be done, or asked too often. It changes
/// nothing but the history. The shell lets through only so many a minute.
struct OperatorRefused {
  Reason reason = Reason::none;
  std::string by;
  std::string where;
  std::string verb;
  std::string object;
  std::string options;
  std::string why;    // it was refused
  int64_t times = 1;  // so often since the last one that was recorded
};

/// From now on the cluster's statements are recorded later and merged, because it adds more to the
/// record than it may. Recorded once, until its rate has fallen.
struct RecordedLater {
  std::string cluster;
};

/// The readable tables could not be written, or, `over`, they could be again. It changes only the
/// history. Only logs of earlier brokers have it.
struct TablesFailed {
  bool over = false;
  std::string why;  // they fail
};

/// The outcome of work that a cluster ended, or asked to go. It changes nothing but the history.
struct WorkEnded {
  std::string cluster;
  std::vector<wire::EndedWork> work;
};

/// The use of slots that a cluster borrows, by whose work it was, as its agent counts it. It
/// changes nothing but the history, where one may stand twice: `state_id` and its number tell each
/// apart.
struct SlotsUsed {
  std::string cluster;
  uint64_t state_id = 0;  // of the agent that counts
  std::vector<wire::UsedSlots> used;
};

using Event = std::variant<BrokerStarted, ConfigLoaded, WindowsResolved, AgentHello, AgentLost,
                           InventoryReported, StateReported, Tick, OperatorCommand, CopyRefused,
                           ClockSet, OperatorRefused, InventoryChanged, RecordedLater, TablesFailed,
                           WorkEnded, SlotsUsed>;

/// The kind of each event's row in the history, in the order of Event. They never change.
inline constexpr std::array kInputTokens{
    "input-broker-started",    "input-config",         "input-windows",       "input-hello",
    "input-agent-lost",        "input-inventory",      "input-state",         "input-tick",
    "input-command",           "input-copy-refused",   "input-clock-set",     "input-refused",
    "input-inventory-changed", "input-recorded-later", "input-tables-failed", "input-work-ended",
    "input-slots-used"};
static_assert(kInputTokens.size() == std::variant_size_v<Event>);

struct Refused {
  Reason reason = Reason::none;
  std::string message;  // what is wrong and what would be right
};

}  // namespace leasehold
