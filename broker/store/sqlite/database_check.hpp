// Checks whether the database in a file is whole, before a broker opens it, so that a damaged one
// is neither served nor written to. Changes nothing. It does not prove that every decision was
// right: `replay --verify` does that, which computes the whole history again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/core/model/state.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

struct CheckedDatabase {
  std::optional<Instant> last_event;  // nullopt: no history yet
  bool all = true;                    // false: it is large, and only its most needed part was read
};

/// Checks first what a start reads, the newest base and the chain after it; then the chain before
/// it and the pages. It leaves out what `budget_ms` has no time for. Error (corrupt): what is
/// damaged, and what to do; (version): this program does not know its schema. SqliteStore::open
/// reports a file that is missing or no broker's.
Result<CheckedDatabase> check_database(const std::string& path, int64_t budget_ms);

/// The ledger that was read adds up: held + in transfer = exported, for each host of each group.
Status check_ledger(const std::string& path, const State& state);

/// Returns when the database, or the file beside it, was last written; nullopt: neither is there.
std::optional<Instant> last_write_of(const std::string& path);

}  // namespace leasehold
