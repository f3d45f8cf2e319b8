// HistoryRow: one event of the history: an input of the core, or a record that the core made of
// one. The same functions make the row when a broker writes it and when somebody reads it, so that
// both agree, whatever version wrote it. Empty text and nullopt mean absent.
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
  std::string kind;  // "input-…": an input of the core; else a record
  std::string lease;
  std::optional<int64_t> generation;  // the slot group's
  std::optional<int64_t> epoch;
  std::string cluster;
  std::string reason;  // a token
  std::optional<int64_t> slots;
  std::string from;     // a cluster
  std::string to;       // a cluster
  std::string numbers;  // the numbers of the decision: a JSON object, or empty
  std::string by;
  std::string rule_reason;  // of a shadow's row: the reason token of the rule in force
  std::string payload;      // an input's bytes (event_codec.hpp), or audit JSON (audit_json.hpp)
  // An operator's order or attempt; empty in other rows:
  std::string verb;
  std::string object;
  std::string options;
  std::string where;
  std::string why;
  // A job that had to end; empty in other rows:
  std::string job;
  std::string user;  // "": its site does not report users
  std::string fate;  // a token
  std::optional<int64_t> exit_code;
  std::string session;  // as `user`
  std::string account;
};

bool is_input(const HistoryRow& row);

/// Clears the row and keeps its memory.
void clear(HistoryRow& row);
/// Fills `row` with an input; id and batch are set by the caller.
void input_row(HistoryRow& row, const Event& event, Instant now);
/// Fills `row` with a record that an input of `by` caused, without its numbers.
void record_row(HistoryRow& row, const Record& record, Instant now, const State& state,
                std::string_view by);
/// Returns {"provider_idle":3,…}; empty: the kind has no numbers.
std::string numbers_json(RecordKind kind, const std::array<int64_t, 6>& numbers);
/// Adds one number to such an object, or begins it.
void add_number(std::string& json, std::string_view name, int64_t number);
/// Reads an operator's order, or the end of a job, from the row's payload into its fields.
void take_audit(HistoryRow& row);

}  // namespace leasehold
