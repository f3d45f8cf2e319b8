#include "broker/core/model/containers/index_set.hpp"

#include <algorithm>
#include <bit>

#include "common/check.hpp"

namespace leasehold {

void IndexSet::insert(uint32_t index) {
  LEASEHOLD_CHECK(index < kMost, "a group's index");
  const size_t word = index / kBits;
  if (word >= words_.size()) words_.resize(word + 1);
  size_ += (words_[word] & bit_of(index)) == 0 ? 1 : 0;
  words_[word] |= bit_of(index);
}

void IndexSet::clear() {
  std::fill(words_.begin(), words_.end(), 0);
  size_ = 0;
}

uint32_t IndexSet::next(uint32_t from) const {
  size_t word = from / kBits;
  if (word >= words_.size()) return kNoIndex;
  uint64_t left = words_[word] & ~(bit_of(from) - 1);
  while (left == 0) {
    if (++word == words_.size()) return kNoIndex;
    left = words_[word];
  }
  return static_cast<uint32_t>(word) * kBits + static_cast<uint32_t>(std::countr_zero(left));
}

std::vector<uint32_t> IndexSet::some(uint32_t from, size_t most) const {
  std::vector<uint32_t> found(std::min(most, size_));
  size_t count = 0;
  for (size_t word = from / kBits; word < words_.size() && count < found.size(); ++word) {
    uint64_t left = word == from / kBits ? words_[word] & ~(bit_of(from) - 1) : words_[word];
    for (; left != 0 && count < found.size(); left &= left - 1) {
      found[count++] =
          static_cast<uint32_t>(word) * kBits + static_cast<uint32_t>(std::countr_zero(left));
    }
  }
  found.resize(count);
  return found;
}

}  // namespace leasehold
