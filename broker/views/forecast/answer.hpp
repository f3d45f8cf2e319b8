// The answer of a forecast: three times, each with what it rests on, and what holds the slots back.
// These are values only; forecast.hpp computes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/views/forecast/work.hpp"
#include "common/time/instant.hpp"
#include "common/tokens.hpp"
#include "common/wire/demand.hpp"

namespace leasehold::forecasting {

/// A time rests on one of these, or one of these keeps it from being known.
enum class Basis : uint8_t {
  idle,         // slots that are idle there now
  in_transfer,  // slots on their way there
  running,      // running work there ends
  other_side,   // the rule brings idle slots of the other side
  others,       // under a plan: what others do not use, or have to give back
  waiting,      // work that waits there already, or overtakes, takes slots first
  // The following say why a time is later, or not known.
  limit,              // more than it can ever have
  exclusive,          // an exclusive lease does not give slots back
  draining,           // the slots go back to their provider
  window,             // the policy's export ends before
  host_away,          // hosts are down, closed or unknown to a side
  frozen,             // an operator froze the leases
  observe,            // the broker gives no orders
  quarantine,         // the broker waits for reports of members since its start
  breach,             // a side uses more than it was given
  degraded,           // a workload manager does not answer its agent
  agent_lost,         // an agent is silent
  not_made,           // the consumer has not yet run a job on its slot
  ending_unreported,  // no agent reports when running work ends
  not_obliged,        // nobody has to give so many
};
constexpr auto tokens_of(Basis) {
  using enum Basis;
  return tokens<Basis>({{idle, "idle"},
                        {in_transfer, "in-transfer"},
                        {running, "running"},
                        {other_side, "other-side"},
                        {others, "others"},
                        {waiting, "waiting"},
                        {limit, "limit"},
                        {exclusive, "exclusive"},
                        {draining, "draining"},
                        {window, "window"},
                        {host_away, "host-away"},
                        {frozen, "frozen"},
                        {observe, "observe"},
                        {quarantine, "quarantine"},
                        {breach, "breach"},
                        {degraded, "degraded"},
                        {agent_lost, "agent-lost"},
                        {not_made, "not-made"},
                        {ending_unreported, "ending-unreported"},
                        {not_obliged, "not-obliged"}});
}

struct Premise {
  Basis basis = Basis::idle;
  int64_t slots = 0;     // 0: it is not about a number of slots
  std::string sentence;  // for people
};

struct Moment {
  std::optional<Instant> at;  // nullopt: not known, or nothing bounds it
  std::vector<Premise> rests_on;
};

struct Forecast {
  std::string id;
  bool of_plan = false;
  bool provider_side = false;  // for a lease
  std::string cluster;         // the cluster whose work would run
  int64_t slots = 0;           // slots that are asked for
  /// Work of the cluster that waits and takes so many: they are asked for as that needs them.
  std::optional<wire::DemandBucket> like;
  std::string obstacle;  // that keeps such work from any start, as `explain` says it; "": none
  Instant now;
  std::optional<int64_t> idle;  // idle slots now; nullopt: its agent is silent
  int64_t most = 0;  // the most that it can ever have, as things are configured and ordered
  bool possible = true;
  std::vector<Premise> holds;           // what holds it back; where it is impossible: why
  std::array<Moment, kOutlooks> times;  // by Outlook
  bool ending_reported = false;
  int32_t error_milli = -1;  // the error of those reports; -1: not known
};

}  // namespace leasehold::forecasting
