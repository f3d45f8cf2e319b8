// Helpers that read findings of a configuration, and texts with one fault.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "broker/config/load.hpp"

namespace leasehold::test {

inline std::string all_of(const std::vector<Error>& errors) {
  std::string text;
  for (const Error& error : errors) text += describe(error) + "\n";
  return text;
}

inline std::string all_of(const Loaded& loaded) {
  std::string text;
  for (const Error& error : loaded.errors) text += describe(error) + "\n";
  for (const Error& warning : loaded.warnings) text += "warning: " + describe(warning) + "\n";
  return text;
}

/// Returns `text` with the first `from` replaced by `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// Two clusters and a shared policy `pool` of 11 lines, to which lines may be added.
inline const std::string kSharedPool = R"([[cluster]]
name = "east"
[[cluster]]
name = "west"
[[export_policy]]
name = "pool"
provider = "east"
hosts = ["big1", "big2"]
slots_per_host = 4
distribution = [{ cluster = "west", shares = 1 }]
type = "shared"
)";

/// Loads the text with more lines.
inline Loaded with_lines(const std::string& lines, const std::string& text = kSharedPool) {
  return parse_broker_config(text + lines + "\n", "b.toml");
}

/// A text with one fault, and part of its message.
struct Bad {
  std::string text;
  int line;
  const char* fragment;
};

}  // namespace leasehold::test
