// Writes the log's lines about the core's decisions and operators' orders, made of the records that
// leave step(), with the reason tokens of the history. They are written once their batch is
// committed, so that all that the log says has happened. The history has all records, the log those
// that a person looks for: flips, failed transfers, breaches, reloads, orders, quarantine, alarms,
// agents that are lost.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/state.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

/// Records of a batch that one person, or SIGHUP, caused: [first, last).
struct CausedRecords {
  size_t first = 0;
  size_t last = 0;
  std::string by;
};

/// Logs the records of a batch; `state` is the one after it. Groups that leave the quarantine
/// together are one line.
void log_records(const State& state, Instant now, std::span<const Record> records,
                 std::span<const CausedRecords> caused);

/// Logs the faults of a configuration for which it is not refused.
void log_warnings(const std::vector<Error>& warnings);

}  // namespace leasehold
