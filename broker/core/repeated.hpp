// find_repeated: finds a key that stands twice in a list that a peer sent, in whatever order the
// list is. Every list of an agent's message whose entries have to be different is judged by it
// (admission.hpp), so that no message costs the square of its length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace leasehold {

/// Places of two entries with one key.
struct Repeated {
  size_t first = 0;
  size_t again = 0;
};

/// The first place in the list whose key an earlier place has already; nullopt: all keys differ.
/// `key_at(place)` returns the key of an entry. A list in ascending order, which is what agents
/// send, costs one look at each entry and takes no memory; any other one is sorted once. Sorting
/// bounds the cost for every choice of keys; a hash table would not, for a peer may choose keys
/// that share one bucket.
template <class KeyAt>
std::optional<Repeated> find_repeated(size_t count, const KeyAt& key_at) {
  size_t ascending = std::min<size_t>(count, 1);
  while (ascending < count && key_at(ascending - 1) < key_at(ascending)) ++ascending;
  if (ascending == count) return std::nullopt;
  std::vector<std::pair<decltype(key_at(size_t{0})), size_t>> sorted;
  sorted.reserve(count);
  for (size_t place = 0; place < count; ++place) sorted.emplace_back(key_at(place), place);
  std::sort(sorted.begin(), sorted.end());
  std::optional<Repeated> found;
  for (size_t i = 1; i < count; ++i) {
    if (sorted[i - 1].first != sorted[i].first) continue;
    const Repeated here{sorted[i - 1].second, sorted[i].second};
    if (!found || here.again < found->again) found = here;
  }
  return found;
}

}  // namespace leasehold
