// The nearest of the words that would have been right.
#include <algorithm>

#include "common/config/file.hpp"

namespace leasehold {

namespace {

/// Counts the letters to insert, delete, replace, or swap with their neighbour.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);  // the row above the row above
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

/// Returns a lower bound of the edit distance.
size_t apart(std::string_view a, std::string_view b) {
  return a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
}

}  // namespace

namespace {

/// Returns the first candidate in the alphabet that begins with `word`, or nullptr if none does.
const std::string* first_beginning(std::string_view word, std::span<const std::string> candidates) {
  const std::string* first = nullptr;
  for (const std::string& candidate : candidates) {
    if (word.empty() || !candidate.starts_with(word)) continue;
    if (first == nullptr || candidate < *first) first = &candidate;
  }
  return first;
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  constexpr size_t kLongestWord = 100;  // the distance costs the product of the lengths
  if (word.size() > kLongestWord) return std::nullopt;
  const std::string* best = nullptr;
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord || apart(word, candidate) >= best_distance) continue;
    const size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance || distance >= candidate.size()) continue;
    best = &candidate;
    best_distance = distance;
  }
  if (best == nullptr) best = first_beginning(word, candidates);
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto near = nearest(word, candidates);
  return near ? "; did you mean '" + *near + "'" + "?" : "";
}

}  // namespace leasehold
