// make_tables: makes all readable tables of a log, for `leasectl tables`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/result.hpp"

namespace leasehold {

struct MadeTables {
  std::string file;
  int64_t events = 0;  // rows of `event`
  int64_t last_event = 0;
};

/// Called now and then with the number of events done, and of all.
using TablesProgress = std::function<void(int64_t done, int64_t total)>;

/// Reads the log of a broker, whether it runs or not. If `file` is empty, the tables are made
/// beside the log, where the broker keeps them. `file` is replaced when everything is made, and
/// only if it is absent, empty, holds readable tables, or is the one beside the log. Error: no log,
/// or another kind of file; nothing was changed.
Result<MadeTables> make_tables(const std::string& log, std::string file,
                               const TablesProgress& progress);

}  // namespace leasehold
