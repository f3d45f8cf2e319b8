// make_tables: the readable tables of a log, all anew, as one answer: for `leasectl tables`.
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

/// Called now and then with the events that are done, and how many there are.
using TablesProgress = std::function<void(int64_t done, int64_t total)>;

/// From the log of a broker that runs or does not. `file` empty: beside the log, where the broker
/// keeps them. It is replaced when all is made, and only if it holds readable tables, or is the one
/// beside the log. Error: no log, or another kind of file; nothing was changed.
Result<MadeTables> make_tables(const std::string& log, std::string file,
                               const TablesProgress& progress);

}  // namespace leasehold
