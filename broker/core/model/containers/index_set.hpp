// IndexSet: a set of indices, one bit each: of slot groups that the next evaluation looks at, of
// clusters to be configured, of members of a plan. They come in ascending order without sorting,
// however many there are, and each is in it once. insert, erase and contains read one word each;
// some and next read the words from `from` on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/index.hpp"

namespace leasehold {

class IndexSet {
 public:
  /// Above any number of indices that a process could hold: a stored set beyond it is damaged.
  static constexpr uint32_t kMost = 1U << 26U;

  /// Contract: `index` is below kMost.
  void insert(uint32_t index);
  void erase(uint32_t index) {
    if (!contains(index)) return;
    words_[index / kBits] &= ~bit_of(index);
    --size_;
  }
  bool contains(uint32_t index) const {
    const size_t word = index / kBits;
    return word < words_.size() && (words_[word] & bit_of(index)) != 0;
  }
  void clear();
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  /// Returns the first index from `from` on; kNoIndex: there is none.
  uint32_t next(uint32_t from) const;
  /// Returns the indices from `from` on in order, at most `most`.
  std::vector<uint32_t> some(uint32_t from, size_t most) const;
  std::vector<uint32_t> all() const { return some(0, size_); }

 private:
  static constexpr uint32_t kBits = 64;
  static uint64_t bit_of(uint32_t index) { return uint64_t{1} << (index % kBits); }

  std::vector<uint64_t> words_;
  size_t size_ = 0;
};

}  // namespace leasehold
