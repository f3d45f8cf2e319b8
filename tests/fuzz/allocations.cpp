// Counts allocations through the sanitizer's hooks where there are some, so that its own checks of
// new and delete stay; else by an operator new of our own.
#include <cstdlib>
#include <new>

#include "tests/fuzz/target.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LEASEHOLD_ALLOCATION_HOOKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LEASEHOLD_ALLOCATION_HOOKS 1
#endif
#endif

namespace leasehold::fuzz {

namespace {

thread_local uint64_t counted = 0;

}  // namespace

uint64_t allocated_bytes() {
  return counted;
}

}  // namespace leasehold::fuzz

#ifdef LEASEHOLD_ALLOCATION_HOOKS

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*,
                                                                             size_t),
                                                         void (*free_hook)(const volatile void*));

namespace {

void on_malloc(const volatile void*, size_t bytes) {
  leasehold::fuzz::counted += bytes;
}
void on_free(const volatile void*) {}

const int kInstalled = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);

}  // namespace

#else

namespace {

void* take(std::size_t bytes) {
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  leasehold::fuzz::counted += bytes;
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return take(bytes);
}
void* operator new[](std::size_t bytes) {
  return take(bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

#endif
