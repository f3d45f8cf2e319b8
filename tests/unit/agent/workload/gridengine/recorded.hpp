// Reads what Grid Engine 8.1.9 printed on Debian 12 (tests/data/gridengine), and spoils it.
#pragma once

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

namespace leasehold::agent::test {

inline std::string recorded(const std::string& name) {
  std::ifstream file(std::string(LEASEHOLD_SOURCE_DIR) + "/tests/data/gridengine/" + name);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The first `what` becomes `with`. It must be there, or the test would spoil nothing.
inline std::string changed(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  INFO(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

}  // namespace leasehold::agent::test
