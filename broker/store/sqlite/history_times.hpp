// Which event an instant means. Times rise with ids, but where an operator set a wrong clock's
// history back (broker/core/clock_set.hpp); an instant means the latest stretch that it lies in.
#pragma once

#include <cstdint>
#include <vector>

#include "common/instant.hpp"
#include "common/result.hpp"

namespace SQLite {
class Database;
}

namespace leasehold {

/// From event `id` on time counts from `to` again.
struct TimeSetBack {
  int64_t id = 0;
  Instant to;
};

/// In order of id.
std::vector<TimeSetBack> times_set_back(SQLite::Database& db);

/// The first event with a time not below `at`, of the latest stretch that begins by then; one more
/// than the last of that stretch if there is none. Error (corrupt): a row cannot be read.
Result<int64_t> first_event_at(SQLite::Database& db, Instant at);

}  // namespace leasehold
