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

void* take(std::size_t bytes) {
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  ++counted.count;
  counted.bytes_held += size_of(memory);
  return memory;
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
