// LSF's configuration files (lsb.resources, lsb.params) as sections of KEY = value, each with its
// place and the part of the week in which it holds. What the keys mean: exports.hpp.
//
// It is read as LSF reads it (LSF, "lsb.resources"): Begin/End sections, `\` joins the next line,
// `#` opens a comment at the start of a line or after a blank, `#INCLUDE "path"` (from the file's
// folder), `#if time(...)`, `#elif`, `#else`, `#endif`. Keywords may be in any case; keys are kept
// in upper case.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/draft.hpp"
#include "broker/config/week.hpp"

namespace leasehold {

struct LsfEntry {
  std::string key;            // upper case
  std::string value;          // without blanks round it; "-" and "()" are the default markers
  Spot spot;                  // of the key
  std::vector<Place> places;  // of each character of the value, and of its end
  bool timed = false;         // inside an `#if` within its section

  bool is_default() const { return value == "-" || value == "()"; }
  Spot at(size_t character) const {
    return {spot.file, places[character < places.size() ? character : places.size() - 1]};
  }
};

struct LsfSection {
  std::string name;  // as written
  Spot spot;
  std::vector<LsfEntry> entries;
  std::vector<Spot> blanks;       // KEY = without a value
  std::vector<Spot> others;       // lines that are not KEY = value: tables of other sections
  bool timed = false;             // inside an `#if`
  WeekSet week;                   // when it holds, if timed
  std::optional<Spot> directive;  // the first #if, #elif, #else or #endif within the section

  bool is(std::string_view keyword) const;  // in any case
};

/// Everything wrong goes to `findings`; sections that were read whole are given. `pipes` is about
/// the file itself; those that it includes are regular ones.
std::vector<LsfSection> read_lsf_file(const std::string& path, Findings& findings,
                                      Pipes pipes = Pipes::refused);

std::string upper_case(std::string_view text);

}  // namespace leasehold
