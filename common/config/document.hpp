// ConfigDocument is the parsed file behind ConfigFile and its tables, with the errors found so far.
// Only file.cpp and table.cpp include this: it brings in toml++.
#pragma once

#include <toml++/toml.h>

#include <deque>
#include <map>
#include <set>

#include "common/result.hpp"

namespace leasehold {

struct ConfigDocument {
  /// A table that a getter opened, and the keys that were read from it. `node` is null if it is
  /// absent.
  struct Opened {
    const toml::table* node = nullptr;
    Place place;
    std::string path;  // "[broker]" for messages; "" for the root
    std::set<std::string, std::less<>> known;
  };

  std::string name;
  toml::table root;
  bool parsed = false;
  std::deque<Opened> opened;
  std::map<const toml::table*, size_t> index_of;
  std::vector<Error> errors;
  std::vector<Error> warnings;

  size_t open(const toml::table* node, Place place, std::string path) {
    if (node != nullptr) {
      const auto [entry, is_new] = index_of.try_emplace(node, opened.size());
      if (!is_new) return entry->second;
    }
    opened.push_back({node, place, std::move(path), {}});
    return opened.size() - 1;
  }
};

inline Place place_of(const toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

inline Error located(const ConfigDocument& document, Place place, std::string message) {
  return {ErrorCode::usage, std::move(message), document.name, place.line, place.column};
}

inline std::string quoted(std::string_view word) {
  return "'" + std::string(word) + "'";
}

}  // namespace leasehold
