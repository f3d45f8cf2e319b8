// Splits an LSF file into logical lines: comments are removed, continued lines joined, directives
// recognised; every character still has its place in the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/file.hpp"

namespace leasehold {

enum class LsfLineKind : uint8_t { content, include, if_time, elif_time, else_time, end_time };

/// `text` is the line without blanks at its ends, and never empty; for a directive it is what
/// follows the directive's word, perhaps empty.
struct LsfLine {
  LsfLineKind kind = LsfLineKind::content;
  std::string text;
  std::vector<Place> places;  // of each character
  Place begin;

  Place place(size_t character) const {
    if (places.empty()) return begin;
    if (character < places.size()) return places[character];
    return {places.back().line, places.back().column + 1};
  }
};

std::vector<LsfLine> lsf_lines(std::string_view text);

}  // namespace leasehold
