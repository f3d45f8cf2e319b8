// InlineVector: a list of which nearly all have at most kHere, which lie in the list itself; only
// more take memory of their own. Of the leases of a process each has two members, one host and two
// rows: three blocks on the heap, with three words each to find them, were half of what a lease
// took.
//
// Used as a std::vector; what is not here nobody needed. Not boost's small_vector, whose three
// words beside the values are more than a row of the ledger. Room for more grows by an eighth, and
// is known from the size alone; it is given back as the list gets shorter.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>

namespace leasehold {

template <class T, uint32_t kHere>
class InlineVector {
  static_assert(std::is_trivially_copyable_v<T>, "values are moved as bytes");
  static_assert(kHere * sizeof(T) >= sizeof(T*), "where more lie is written over them");

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  InlineVector() = default;
  explicit InlineVector(size_t size) { resize(size); }
  InlineVector(std::initializer_list<T> values) { copy(values.begin(), values.size()); }
  InlineVector(const InlineVector& other) { copy(other.data(), other.size_); }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) copy(other.data(), other.size_);
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this == &other) return *this;
    clear();
    take(other);
    return *this;
  }
  ~InlineVector() { clear(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return size_ > kHere ? elsewhere() : here(); }
  const T* data() const { return const_cast<InlineVector*>(this)->data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t at) { return data()[at]; }
  const T& operator[](size_t at) const { return data()[at]; }
  T& front() { return *data(); }
  const T& front() const { return *data(); }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  T& emplace_back() {
    resize(size_ + size_t{1});
    return back();
  }
  void push_back(T value) { emplace_back() = value; }
  void resize(size_t size) {
    const uint32_t before = size_;
    make_room(static_cast<uint32_t>(size));
    for (uint32_t i = before; i < size_; ++i) std::construct_at(data() + i);
  }
  void clear() { make_room(0); }

 private:
  static uint32_t room_for(uint32_t size) {
    if (size <= kHere) return kHere;
    const uint32_t step = std::max(1U, std::bit_floor(size) / 8);
    return (size + step - 1) / step * step;
  }

  T* here() { return reinterpret_cast<T*>(bytes_); }
  T* elsewhere() const {
    T* values = nullptr;
    std::memcpy(&values, bytes_, sizeof values);
    return values;
  }
  /// Those that stay are there; new ones are not made yet.
  void make_room(uint32_t size) {
    const uint32_t before = room_for(size_);
    const uint32_t after = room_for(size);
    if (before != after) {
      T* const from = data();
      T* const to = after == kHere ? here() : std::allocator<T>().allocate(after);
      std::memcpy(static_cast<void*>(to), from, std::min(size, size_) * sizeof(T));
      if (before != kHere) std::allocator<T>().deallocate(from, before);
      if (after != kHere) std::memcpy(bytes_, &to, sizeof to);
    }
    size_ = size;
  }
  void copy(const T* values, size_t size) {
    make_room(static_cast<uint32_t>(size));
    if (size != 0) std::memcpy(static_cast<void*>(data()), values, size * sizeof(T));
  }
  /// Contract: this one is empty.
  void take(InlineVector& other) {
    const size_t bytes = other.size_ > kHere ? sizeof(T*) : other.size_ * sizeof(T);
    if (bytes != 0) std::memcpy(bytes_, other.bytes_, bytes);
    size_ = other.size_;
    other.size_ = 0;
  }

  uint32_t size_ = 0;
  alignas(T) unsigned char bytes_[kHere * sizeof(T)]{};  // the values, or where they are
};

}  // namespace leasehold
