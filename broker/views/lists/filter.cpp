#include "broker/views/lists/filter.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/views/lists/path.hpp"
#include "broker/views/request/branch.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

constexpr std::string_view kSigns = "*?[";

/// Returns the bytes of the UTF-8 character that begins at `at`.
size_t character(std::string_view text, size_t at) {
  size_t bytes = 1;
  while (at + bytes < text.size() && (static_cast<uint8_t>(text[at + bytes]) & 0xC0U) == 0x80U) {
    ++bytes;
  }
  return bytes;
}

/// One element of a pattern, compared with one character.
struct Element {
  size_t bytes = 1;  // bytes of the pattern
  bool matches = false;
  size_t taken = 1;  // bytes of the text
};

/// Compares with "[a-z]" or "[!a-z]"; a bracket that nothing closes stands for itself.
Element set_at(std::string_view pattern, size_t at, std::string_view one) {
  const size_t end = pattern.find(']', at + 2);
  if (end == std::string_view::npos) return {1, one == "[", one.size()};
  std::string_view set = pattern.substr(at + 1, end - at - 1);
  const bool none = set.size() > 1 && (set[0] == '!' || set[0] == '^');
  if (none) set.remove_prefix(1);
  bool found = false;
  for (size_t i = 0; i < set.size();) {
    const std::string_view from = set.substr(i, character(set, i));
    i += from.size();
    std::string_view to = from;
    if (i + 1 < set.size() && set[i] == '-') {
      to = set.substr(i + 1, character(set, i + 1));
      i += 1 + to.size();
    }
    found = found || (from <= one && one <= to);
  }
  return {end - at + 1, found != none, one.size()};
}

Element element_at(std::string_view pattern, size_t at, std::string_view text, size_t place) {
  const std::string_view one = text.substr(place, character(text, place));
  if (pattern[at] == '?') return {1, true, one.size()};
  if (pattern[at] == '[') return set_at(pattern, at, one);
  return {1, pattern[at] == text[place], 1};
}

}  // namespace

/// Takes at most text times pattern steps: of several `*` only the last is tried again.
bool matches_pattern(std::string_view text, std::string_view pattern) {
  if (text == pattern) return true;
  size_t at = 0;
  size_t place = 0;
  size_t star = std::string_view::npos;
  size_t place_of_star = 0;
  while (place < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      place_of_star = place;
      continue;
    }
    const Element one = at < pattern.size() ? element_at(pattern, at, text, place) : Element{};
    if (one.matches) {
      at += one.bytes;
      place += one.taken;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      place = ++place_of_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

bool is_pattern(std::string_view text) {
  return text.find_first_of(kSigns) != std::string_view::npos;
}

RowFilter::RowFilter(const Listing* list, const Request& request)
    : list_(list), branch_(request.branch) {
  if (list == nullptr) return;
  for (const FilterPath& each : list->filters) {
    const auto place = std::get<std::string Request::*>(request_field(each.filter).place);
    const bool known = std::any_of(wanted_.begin(), wanted_.end(),
                                   [&](const Wanted& one) { return one.filter == each.filter; });
    if (!known && !(request.*place).empty()) wanted_.push_back({each.filter, request.*place});
  }
}

bool RowFilter::wants_words(const WordsOfRow& words) const {
  return std::all_of(wanted_.begin(), wanted_.end(), [&](const Wanted& wanted) {
    bool found = false;
    for (const FilterPath& each : list_->filters) {
      if (found || each.filter != wanted.filter) continue;
      words(each,
            [&](std::string_view word) { found = found || matches_pattern(word, wanted.pattern); });
    }
    return found;
  });
}

bool RowFilter::wants(const Json& row) const {
  return wants_words([&](const FilterPath& each, const WordVisit& visit) {
    if (each.where != nullptr && path::value_at(row, each.where) != each.is) return;
    path::each_at(row, each.path, [&](const Json& value) {
      if (value.is_string()) visit(value.get_ref<const std::string&>());
    });
  });
}

bool RowFilter::wants(const ListedRow& row) const {
  return wants_words([&](const FilterPath& each, const WordVisit& visit) {
    row.each_word(each.path, [&](std::string_view word) {
      branch_ == nullptr ? visit(word) : visit(branch_->shown(each.path, word));
    });
  });
}

Status RowFilter::explain_none(const State& state) const {
  for (const Wanted& each : wanted_) {
    if (branch_ != nullptr) break;
    if (is_pattern(each.pattern)) continue;
    if (Status known = require_known(state, each.filter, each.pattern); !known) return known;
  }
  return {};
}

bool is_filter(RequestField field) {
  return field >= RequestField::of_cluster && field <= RequestField::of_kind;
}

Status keep_wanted(const RowFilter& filter, const State& state, Json& rows) {
  if (filter.wants_all() || !rows.is_array()) return {};
  Json kept = Json::array();
  for (Json& row : rows) {
    if (filter.wants(row)) kept.push_back(std::move(row));
  }
  rows = std::move(kept);
  return rows.empty() ? filter.explain_none(state) : Status{};
}

}  // namespace leasehold
