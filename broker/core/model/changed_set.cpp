#include "broker/core/model/changed_set.hpp"

#include <algorithm>
#include <bit>

#include "common/check.hpp"

namespace leasehold {

namespace {

constexpr uint32_t kBits = 64;

uint64_t bit_of(uint32_t group) {
  return uint64_t{1} << (group % kBits);
}

}  // namespace

void ChangedSet::insert(uint32_t group) {
  LEASEHOLD_CHECK(group < kMost, "a group's index");
  const size_t word = group / kBits;
  if (word >= words_.size()) words_.resize(word + 1);
  size_ += (words_[word] & bit_of(group)) == 0 ? 1 : 0;
  words_[word] |= bit_of(group);
}

void ChangedSet::erase(uint32_t group) {
  if (!contains(group)) return;
  words_[group / kBits] &= ~bit_of(group);
  --size_;
}

bool ChangedSet::contains(uint32_t group) const {
  const size_t word = group / kBits;
  return word < words_.size() && (words_[word] & bit_of(group)) != 0;
}

void ChangedSet::clear() {
  std::fill(words_.begin(), words_.end(), 0);
  size_ = 0;
}

uint32_t ChangedSet::next(uint32_t from) const {
  size_t word = from / kBits;
  if (word >= words_.size()) return kNoIndex;
  uint64_t left = words_[word] & ~(bit_of(from) - 1);
  while (left == 0) {
    if (++word == words_.size()) return kNoIndex;
    left = words_[word];
  }
  return static_cast<uint32_t>(word) * kBits + static_cast<uint32_t>(std::countr_zero(left));
}

std::vector<uint32_t> ChangedSet::some(uint32_t from, size_t most) const {
  std::vector<uint32_t> found;
  found.reserve(std::min(most, size_));
  for (size_t word = from / kBits; word < words_.size() && found.size() < most; ++word) {
    uint64_t left = word == from / kBits ? words_[word] & ~(bit_of(from) - 1) : words_[word];
    for (; left != 0 && found.size() < most; left &= left - 1) {
      found.push_back(static_cast<uint32_t>(word) * kBits +
                      static_cast<uint32_t>(std::countr_zero(left)));
    }
  }
  return found;
}

}  // namespace leasehold
