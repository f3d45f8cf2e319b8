// Prints the findings of a file, for the commands that read files.
#pragma once

#include <vector>

#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

Json findings_json(const std::vector<Error>& findings);
/// Reports all mistakes at once: one a line on stderr, and with `as_json` on stdout as "errors",
/// the first also as "error" like everywhere. Returns the exit code.
int report_all(const std::vector<Error>& errors, Json json, bool as_json);
/// Prints a line for each on stderr: "file:line:column: warning: …".
void print_findings(const std::vector<Error>& findings, const char* kind);

}  // namespace leasehold::ctl
