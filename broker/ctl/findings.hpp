// Findings of a file, as the commands that read files print them.
#pragma once

#include <vector>

#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

Json findings_json(const std::vector<Error>& findings);
/// All mistakes at once: a line each on stderr, and with `as_json` on stdout as "errors", the first
/// of them as "error" like everywhere. Returns the exit code.
int report_all(const std::vector<Error>& errors, Json json, bool as_json);
/// A line each on stderr: "file:line:column: warning: …".
void print_findings(const std::vector<Error>& findings, const char* kind);

}  // namespace leasehold::ctl
