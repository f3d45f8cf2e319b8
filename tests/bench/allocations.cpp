#include "tests/bench/allocations.hpp"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace leasehold::bench {

namespace {

Allocations counted;  // programs that ask are single-threaded while they count

/// Usable bytes and the word in front of them, where the allocator keeps the size.
int64_t size_of(void* memory) {
  return static_cast<int64_t>(malloc_usable_size(memory) + sizeof(size_t));
}

void* count(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  ++counted.count;
  counted.bytes_held += size_of(memory);
  return memory;
}

void* take(std::size_t bytes) {
  return count(std::malloc(bytes == 0 ? 1 : bytes));
}

/// Whole lines, as aligned_alloc wants them.
void* take_aligned(std::size_t bytes, std::align_val_t alignment) {
  const auto line = static_cast<std::size_t>(alignment);
  return count(std::aligned_alloc(line, (bytes + line - 1) / line * line));
}

void give_back(void* memory) {
  if (memory == nullptr) return;
  counted.bytes_held -= size_of(memory);
  std::free(memory);
}

}  // namespace

Allocations allocations() {
  return counted;
}

}  // namespace leasehold::bench

void* operator new(std::size_t bytes) {
  return leasehold::bench::take(bytes);
}
void* operator new[](std::size_t bytes) {
  return leasehold::bench::take(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return leasehold::bench::take_aligned(bytes, alignment);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  leasehold::bench::give_back(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  leasehold::bench::give_back(memory);
}
void operator delete(void* memory) noexcept {
  leasehold::bench::give_back(memory);
}
void operator delete[](void* memory) noexcept {
  leasehold::bench::give_back(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  leasehold::bench::give_back(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  leasehold::bench::give_back(memory);
}
