// Drafts are the configuration between reading and checking, each value with the place where it was
// written, whichever kind of file that was. The checks (check/check.hpp) work on these alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/keys/exports.hpp"
#include "common/result.hpp"

namespace leasehold {

struct Spot {
  std::string file;
  Place place;
};

inline constexpr size_t kHostsMax = 100'000;  // that one policy names
inline constexpr size_t kSharesMax = 10'000;  // that one distribution names

enum class Dialect : uint8_t { toml, lsf };

/// The places in a file where the parts of one section were written, by their keys.
class Written {
 public:
  Dialect dialect = Dialect::toml;
  Spot section;
  bool shares_broken = false;  // an error is reported already: say nothing of what is missing

  bool has(KeyRef key) const { return find(key) != nullptr; }
  /// Returns the place of the key, or of the section where the key is absent.
  Spot at(KeyRef key) const;
  /// Returns that place in the section's file; {0, 0} stands for the section's own.
  Spot at(Place place) const { return {section.file, place.line > 0 ? place : section.place}; }
  /// Returns the places of a list's values; empty where the list is absent.
  const std::vector<Place>& elements(KeyRef key) const;
  Spot element(KeyRef key, size_t index) const;
  /// Returns the key's name in this kind of file.
  std::string word(KeyRef key) const;

  void set(KeyRef key, Place place) { entry(key).place = place; }
  void set(KeyRef key, Spot spot);
  void add_element(KeyRef key, Place place) { entry(key).elements.push_back(place); }
  void drop_element(KeyRef key, size_t index);

 private:
  struct Entry {
    std::string_view key;
    std::string file;  // "": the section's; LSF's may include others
    Place place;
    std::vector<Place> elements;
  };
  const Entry* find(KeyRef key) const;
  Entry& entry(KeyRef key);

  std::vector<Entry> entries_;
};

struct ClusterDraft {
  ClusterConfig cluster;
  Spot spot;
  std::optional<Spot> delay_spot;  // of its reclaim_delay, where it is not the broker's
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

/// The places where the settings of export policies were written, kept for people.
struct WrittenSettings {
  std::map<std::string, Written> policies;  // by name
  std::map<std::string, Spot> delays;       // reclaim_delay, by provider
};

/// Errors, warnings and notes, each in the order in which they were found.
struct Findings {
  std::vector<Error> errors;
  std::vector<Error> warnings;
  std::vector<Error> notes;

  void error(const Spot& spot, std::string message);
  void warn(const Spot& spot, std::string message);
  void note(const Spot& spot, std::string message);
};

/// Returns "'word'".
std::string in_quotes(std::string_view word);
/// Returns "east.toml:12".
std::string spot_text(const Spot& spot);
Source source_of(const Spot& spot);

}  // namespace leasehold
