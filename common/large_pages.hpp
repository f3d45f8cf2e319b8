// LargePages is an allocator for arrays that are read at random over all their length. Large blocks
// lie in pages of 2 MiB if the system provides them (Linux, transparent huge pages set to `always`
// or `madvise`), so that a cache miss costs no walk of the page tables as well. Otherwise the array
// lies in usual pages and nothing else changes.
//
// It is not for arrays that are small or numerous: each takes whole large pages.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace leasehold {

template <class T>
struct LargePages {
  using value_type = T;
  static constexpr size_t kPageBytes = size_t{2} << 20;
  static constexpr size_t kLargeBytes = 2 * kPageBytes;

  LargePages() = default;
  template <class Other>
  LargePages(const LargePages<Other>&) {}

  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T);
    if (bytes < kLargeBytes) return static_cast<T*>(::operator new(bytes, kSmall));
    void* const memory = ::operator new(bytes, kLarge);
    // Refused if the kernel has no large pages: then these are usual ones.
    static_cast<void>(::madvise(memory, bytes / kPageBytes * kPageBytes, MADV_HUGEPAGE));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t count) {
    const size_t bytes = count * sizeof(T);
    ::operator delete(memory, bytes < kLargeBytes ? kSmall : kLarge);
  }
  friend bool operator==(LargePages, LargePages) { return true; }

 private:
  static constexpr std::align_val_t kSmall{alignof(T)};
  static constexpr std::align_val_t kLarge{kPageBytes};
};

/// It is used like a std::vector.
template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace leasehold
