// WorkSession: jobs that share a rank: all of one user, of one account, or one job by itself, under
// the first session type that matches ([[session_type]] in config/agent.toml). Symphony calls it a
// session, and a job its task. Pure.
//
// Contract: the values of a session are set when it is first seen, by its type and, as far as
// JobComments says, by the comment `leasehold:rank=20,preemptive` of its oldest job, and "once the
// session is created, these parameters cannot be changed" (Symphony, "Workload preemption"). A
// session is over when it has no job any more, running or pending. deserved.hpp computes what it
// deserves. It is not the session with a broker (agent/core/session.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/core/work/scheduling.hpp"
#include "agent/core/work/work_unit.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

struct WorkSession {
  std::string key = {};  // "user ann", or with what its type matches: "user ann, partition=batch"
  int32_t rank = 1;
  int32_t priority = 1;
  bool preemptive = false;
  int32_t min_slots = 0;
  bool exclusive_host = false;
  Instant started = {};  // when its oldest job was submitted, as first seen
  // Counted at every look:
  int64_t allocated = 0;  // slots in use
  int64_t pending = 0;    // slots wanted and not had
  int64_t deserved = 0;   // give_deserved() sets it
  bool operator==(const WorkSession&) const = default;

  /// Above 0: over-allocated by that many slots; below: under-allocated.
  int64_t excess() const { return allocated - deserved; }
};

struct WorkSessions {
  std::vector<WorkSession> all;       // by key
  std::vector<size_t> of_unit;        // by position of the unit: its session's in `all`
  std::vector<std::string> problems;  // comments that cannot be read: their sessions go by type
  bool comments_left_out = false;     // one asked for more than JobComments allows

  /// Returns the key of the session of the unit at that position.
  const std::string& key_of_unit(size_t unit) const { return all[of_unit[unit]].key; }
  bool operator==(const WorkSessions&) const = default;
};

/// Returns the sessions of these units. A session that is among `known`, those of the look before,
/// keeps its values and its start.
WorkSessions note_sessions(std::span<const WorkSession> known, std::span<const WorkUnit> units,
                           std::span<const SessionType> types,
                           JobComments comments = JobComments::off);

/// Returns the position of the first type that matches; nullopt: none does, and the defaults of
/// SessionType hold. A partition that is a list ("short,long": the job goes where it can) matches
/// by each name.
std::optional<size_t> type_of(const WorkUnit& unit, std::span<const SessionType> types);

/// The values that a job's comment sets for its session; values that it does not name stay as they
/// are.
struct CommentWords {
  std::optional<int32_t> rank = std::nullopt;
  std::optional<bool> preemptive = std::nullopt;
  std::optional<std::string> signal = std::nullopt;  // the signal that warns the job (signals.hpp)
  bool operator==(const CommentWords&) const = default;
};

/// Reads the word `leasehold:…` among the words of a comment: `rank=N`, `preemptive`,
/// `preemptive=true`, `preemptive=false`, `signal=NAME`, separated by commas. A comment without
/// that word says nothing; one that is wrong anywhere is refused as a whole.
Result<CommentWords> read_comment(const std::string& comment);

/// Returns the signal that warns a unit of work that it must end; "": none. It is the one that the
/// unit's comment asks for (`leasehold:signal=USR1`), else `configured` if that is harmless: most
/// scripts catch no signal, and one that ends them takes the grace that it was to announce.
std::string signal_for(const WorkUnit& unit, const std::string& configured);

}  // namespace leasehold::agent
