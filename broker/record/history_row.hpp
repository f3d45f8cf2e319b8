// HistoryRow: one event of the history: an input of the core, or a record that it made of one.
// Made by the same functions when a broker writes it and when somebody reads it, so that what is
// read is what was written, by whatever version. Empty text and nullopt: absent.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"

namespace leasehold {

/// The fields of `leasectl history`.
struct HistoryRow {
  int64_t id = 0;
  int64_t batch = 0;
  Instant time;
  std::string kind;  // "input-…": given to the core; else a record
  std::string lease;
  std::optional<int64_t> generation;  // of the slot group
  std::optional<int64_t> epoch;
  std::string cluster;
  std::string reason;  // token
  std::optional<int64_t> slots;
  std::string from;     // cluster
  std::string to;       // cluster
  std::string numbers;  // what the decision was made from: a JSON object, or empty
  std::string by;
  std::string rule_reason;  // of a shadow: token of what the rule in force found there
  std::string payload;      // of an input its bytes (event_codec.hpp); of an operator's what he did
  // What an operator did or tried; of other rows empty.
  std::string verb;
  std::string object;
  std::string options;
  std::string where;
  std::string why;
  // Of a job that had to end; of other rows empty.
  std::string job;
  std::string user;  // "": its site does not tell
  std::string fate;  // token
  std::optional<int64_t> exit_code;
};

bool is_input(const HistoryRow& row);

/// Forgets what the row held, keeps its memory.
void clear(HistoryRow& row);
/// The row of an input. `row` is cleared; id and batch are the caller's.
void input_row(HistoryRow& row, const Event& event, Instant now);
/// The row of a record that an input of `by` made, without its numbers.
void record_row(HistoryRow& row, const Record& record, Instant now, const State& state,
                std::string_view by);
/// {"provider_idle":3,…}; empty: the kind has none.
std::string numbers_json(RecordKind kind, const std::array<int64_t, 6>& numbers);
/// Adds one number to such an object, or begins it.
void add_number(std::string& json, std::string_view name, int64_t number);
/// Reads what an operator did, or what became of a job, from the payload of its row into the fields
/// for it.
void take_audit(HistoryRow& row);

}  // namespace leasehold
