// The log's lines about what the core decided and what operators ordered, made of the records that
// leave step(): one place, the same reason tokens as the history. Written once their batch is
// committed: what the log tells has happened. The history has all records, the log those that a
// person looks for: flips, failed transfers, breaches, reloads, orders, quarantine, alarms, agents
// that are lost.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/state.hpp"
#include "common/instant.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Records of a batch that one person, or SIGHUP, caused: [first, last).
struct CausedRecords {
  size_t first = 0;
  size_t last = 0;
  std::string by;
};

/// `state` is the one after the batch. Groups that leave the quarantine together are one line.
void log_records(const State& state, Instant now, std::span<const Record> records,
                 std::span<const CausedRecords> caused);

/// What a configuration that is put in force gets wrong without being refused.
void log_warnings(const std::vector<Error>& warnings);

}  // namespace leasehold
