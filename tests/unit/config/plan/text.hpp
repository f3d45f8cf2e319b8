// A resource plan as text, and helpers that check the errors of a text with one fault.
#pragma once

#include "tests/unit/config/findings.hpp"

namespace leasehold::test {

/// A plan without a fault, 16 lines; tests replace one text by another.
inline const std::string kPlan = R"([[resource_group]]
name = "compute"
policy = "ownership"
slots = 30
[[consumer]]
path = "/a"
owned = 20
[[consumer]]
path = "/a/x"
owned = 10
lend_limit = 5
[[consumer]]
path = "/b"
owned = 10
borrow_from = ["/a/x"]
)";

inline bool tells(const std::vector<Error>& findings, int line, const std::string& fragment) {
  return std::any_of(findings.begin(), findings.end(), [&](const Error& finding) {
    return finding.file == "p.toml" && finding.line == line &&
           finding.message.find(fragment) != std::string::npos;
  });
}

inline void check_refused(const Bad& bad) {
  const Loaded loaded = parse_broker_config(bad.text, "p.toml");
  INFO(bad.text << "---- " << bad.line << ": " << bad.fragment << "\n" << all_of(loaded));
  CHECK(loaded.errors.size() == 1);
  CHECK(tells(loaded.errors, bad.line, bad.fragment));
  for (const Error& error : loaded.errors) {
    CHECK(error.code == ErrorCode::usage);
    CHECK(error.column > 0);
  }
}

}  // namespace leasehold::test
