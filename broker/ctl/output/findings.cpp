#include "broker/ctl/output/findings.hpp"

#include <nlohmann/json.hpp>

#include "broker/ctl/invocation.hpp"
#include "broker/views/answer.hpp"
#include "common/text/printable.hpp"

namespace leasehold::ctl {

Json findings_json(const std::vector<Error>& findings) {
  Json list = Json::array();
  for (const Error& finding : findings) list.push_back(error_json(finding));
  return list;
}

int report_all(const std::vector<Error>& errors, Json json, bool as_json) {
  for (const Error& error : errors) print_error(describe(error));
  if (as_json) {
    json["error"] = error_json(errors.front());
    json["errors"] = findings_json(errors);
    print_json(json);
  }
  return exit_code(errors.front().code);
}

void print_findings(const std::vector<Error>& findings, const char* kind) {
  for (Error finding : findings) {
    finding.message = std::string(kind) + ": " + finding.message;
    print_error(describe(finding));
  }
}

}  // namespace leasehold::ctl
