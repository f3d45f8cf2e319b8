// import-lsf writes LSF's lsb.resources and lsb.params as TOML, with a report of what has no
// counterpart. It takes text and gives text: the files are not changed.
#pragma once

#include <string>
#include <vector>

#include "common/result.hpp"

namespace leasehold {

struct ImportOptions {
  std::string provider;          // "": from a path …/CLUSTER/configdir/lsb.resources
  std::string timezone = "UTC";  // of `#if time(...)`: LSF means the master's local time
};

struct Imported {
  std::string toml;                 // loads again to the same policies
  std::vector<std::string> report;  // one line each: "lsb.resources:12: section Limit …"
  std::vector<Error> errors;        // toml is "" if there are any
};

/// `files` are lsb.resources and/or lsb.params of one provider; their sections distinguish them.
Imported import_lsf(const std::vector<std::string>& files, const ImportOptions& options = {});

}  // namespace leasehold
