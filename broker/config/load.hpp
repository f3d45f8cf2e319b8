// Loads the broker's configuration: TOML, with the LSF files that it names. Every rule that can be
// checked without the clusters' inventories is checked here, all of them at once;
// inventory_check.hpp checks the rest.
//
// Contract: no exception, whatever the file. `core` and `daemon` may be used only if ok(). Errors
// and warnings stand in the order of files and lines; errors have the code `usage` (exit 2).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "broker/config/daemon.hpp"
#include "broker/config/plan/windows.hpp"
#include "broker/core/model/config.hpp"
#include "common/files/regular_file.hpp"
#include "common/result.hpp"

namespace leasehold {

struct Loaded {
  BrokerConfig core;
  DaemonConfig daemon;
  ResourcePlans plans;
  WrittenSettings written;
  std::vector<Error> errors;
  std::vector<Error> warnings;  // `check-config --strict` fails on them
  std::vector<Error> notes;     // what holds and is worth knowing: what of LSF files is not for us
  bool ok() const { return errors.empty(); }
};

/// Reads a configuration; it is an error if the file says what no broker could carry out. The file
/// may also be a plan alone, without clusters and export policies: nothing is leased then. `pipes`
/// is about the file itself; files that it names are regular ones.
Loaded load_broker_config(const std::string& file, Pipes pipes = Pipes::refused);
/// `filename`: for messages, and the folder that relative paths start from.
Loaded parse_broker_config(std::string_view text, const std::string& filename);

}  // namespace leasehold
