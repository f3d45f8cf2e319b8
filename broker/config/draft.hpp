// Drafts: the configuration between reading and checking, each value with the place it was written
// at, whichever kind of file that was. The checks (check/check.hpp) work on these alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/model/config.hpp"
#include "common/config/file.hpp"
#include "common/result.hpp"

namespace leasehold {

struct Spot {
  std::string file;
  Place place;
};

inline constexpr size_t kHostsMax = 100'000;  // that one policy names
inline constexpr size_t kSharesMax = 10'000;  // that one distribution names

enum class Dialect : uint8_t { toml, lsf };

/// What a policy or shared resource may say; the file's own word for it: field_name().
enum class Field : uint8_t {
  name,
  provider,
  hosts,
  slots_per_host,
  select,
  nhosts,
  distribution,
  type,
  rule,
  initial_slots,
  mem,
  swap,
  reselect,
  window,
  timezone,
  instances,
  by_host,
};
inline constexpr size_t kFieldCount = static_cast<size_t>(Field::by_host) + 1;
std::string field_name(Field field, Dialect dialect);

/// Where the parts of one section were written.
struct Written {
  Dialect dialect = Dialect::toml;
  Spot section;
  std::array<std::optional<Spot>, kFieldCount> fields;
  std::vector<Spot> shares;    // of distribution[i]
  bool shares_broken = false;  // an error is told already: say nothing of what is missing
  std::vector<Spot> hosts;     // of hosts[i]
  std::vector<Spot> windows;   // of windows[i]

  bool has(Field field) const { return fields[static_cast<size_t>(field)].has_value(); }
  void set(Field field, Spot spot) { fields[static_cast<size_t>(field)] = std::move(spot); }
  /// Of the field; of the section where it is absent.
  const Spot& at(Field field) const {
    const auto& spot = fields[static_cast<size_t>(field)];
    return spot ? *spot : section;
  }
  std::string word(Field field) const { return field_name(field, dialect); }
};

struct ClusterDraft {
  ClusterConfig cluster;
  Spot spot;
};
struct PolicyDraft {
  ExportPolicy policy;
  Written written;
  std::string group;  // the resource group that its slots belong to; "": it has a distribution
};
struct ResourceDraft {
  SharedResource resource;
  Written written;
};

struct Drafts {
  std::vector<ClusterDraft> clusters;
  std::vector<PolicyDraft> policies;
  std::vector<ResourceDraft> resources;
};

/// What was found wrong or odd, in the order it was found.
struct Findings {
  std::vector<Error> errors;
  std::vector<Error> warnings;
  std::vector<Error> notes;

  void error(const Spot& spot, std::string message);
  void warn(const Spot& spot, std::string message);
  void note(const Spot& spot, std::string message);
};

/// "'word'"
std::string in_quotes(std::string_view word);
/// "east.toml:12"
std::string spot_text(const Spot& spot);
Source source_of(const Spot& spot);

}  // namespace leasehold
