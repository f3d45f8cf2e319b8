// EventRow: one row of the table `event`, as it is written, hashed and compared.
// Made from inputs and records by the same functions when a broker writes them and when a replay
// checks them. Empty text and nullopt are NULL.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"

namespace SQLite {
class Statement;
}

namespace leasehold {

using Hash = std::array<unsigned char, 32>;

struct EventRow {
  int64_t id = 0;
  int64_t batch = 0;
  int64_t time_ms = 0;
  std::string kind;
  std::string lease;
  std::optional<int64_t> generation;
  std::optional<int64_t> epoch;
  std::string cluster;
  std::string reason;
  std::optional<int64_t> slots;
  std::string from_cluster;
  std::string to_cluster;
  std::string numbers;
  std::string by_whom;
  std::string payload;
  Hash hash{};
};

inline constexpr const char* kSnapshotKind = "snapshot";
/// The columns in the order that write_row() binds and read_row() reads.
inline constexpr const char* kEventColumns =
    "id, batch, time_ms, kind, lease, generation, epoch, cluster, reason, slots, from_cluster, "
    "to_cluster, numbers, by_whom, payload, hash";

/// Forgets what the row held, keeps its memory.
void clear(EventRow& row);
/// The row of an input. `row` is cleared; id, batch and hash are the caller's.
void input_row(EventRow& row, const Event& event, Instant now);
/// The row of a record that an input of `by` made.
void record_row(EventRow& row, const Record& record, Instant now, const State& state,
                std::string_view by);

/// BLAKE2b-256 over the hash before and every other column, each with its type and length, so that
/// no two different rows give the same bytes.
Hash chain_hash(const Hash& previous, const EventRow& row);
Hash hash_of(std::string_view bytes);
std::string hex(const Hash& hash);

/// Binds all columns from parameter 1 on; `row` must outlive the execution.
void write_row(SQLite::Statement& insert, const EventRow& row);
/// Reads the columns of kEventColumns. False: something stands there that is never written, as a
/// hash that has not 32 bytes or a text that is empty instead of NULL.
bool read_row(SQLite::Statement& query, EventRow& row);
bool read_hash(SQLite::Statement& query, int index, Hash& hash);
/// Bytes that the row adds to the history, about.
int64_t size_of(const EventRow& row);

}  // namespace leasehold
