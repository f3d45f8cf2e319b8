// What tests of configurations ask of what was found in one, and texts with a fault in a place.
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

/// `text` with one part of it in place of another.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// A text with one fault, and what is said of it.
struct Bad {
  std::string text;
  int line;
  const char* fragment;
};

}  // namespace leasehold::test
