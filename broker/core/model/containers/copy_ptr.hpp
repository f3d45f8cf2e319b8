// CopyPtr: an optional value on the heap. Absent, it costs a pointer. Copies copy the value; it is
// never shared.
#pragma once

#include <memory>
#include <utility>

namespace leasehold {

template <class T>
class CopyPtr {
 public:
  CopyPtr() = default;
  CopyPtr(const CopyPtr& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  CopyPtr(CopyPtr&&) noexcept = default;
  CopyPtr& operator=(const CopyPtr& other) { return *this = CopyPtr(other); }
  CopyPtr& operator=(CopyPtr&&) noexcept = default;
  ~CopyPtr() = default;

  explicit operator bool() const { return value_ != nullptr; }
  T& operator*() const { return *value_; }
  T* operator->() const { return value_.get(); }
  template <class... Args>
  T& emplace(Args&&... args) {
    value_ = std::make_unique<T>(std::forward<Args>(args)...);
    return *value_;
  }
  void reset() { value_.reset(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace leasehold
