// SharedList: a list that is written once and held in several places: a copy is the same memory.
// Who changes one that others hold too changes a list of his own. Threads may read copies of one;
// to change one that another thread holds, even a copy, is not safe.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace leasehold {

template <class T>
class SharedList {
 public:
  using value_type = T;
  using const_iterator = typename std::vector<T>::const_iterator;

  SharedList() = default;
  SharedList(std::vector<T> values)  // NOLINT: it is written as the vector that it stands for
      : values_(std::make_shared<std::vector<T>>(std::move(values))) {}
  SharedList(std::initializer_list<T> values) : SharedList(std::vector<T>(values)) {}

  const std::vector<T>& all() const {
    static const std::vector<T> kNone;
    return values_ ? *values_ : kNone;
  }
  const_iterator begin() const { return all().begin(); }
  const_iterator end() const { return all().end(); }
  size_t size() const { return all().size(); }
  bool empty() const { return all().empty(); }
  const T& operator[](size_t at) const { return all()[at]; }
  const T& front() const { return all().front(); }
  const T& back() const { return all().back(); }

  void push_back(T value) { own().push_back(std::move(value)); }
  void clear() { values_.reset(); }
  /// Returns the list for a change, copied first if others hold it too.
  std::vector<T>& own() {
    if (values_ == nullptr) {
      values_ = std::make_shared<std::vector<T>>();
    } else if (values_.use_count() != 1) {
      values_ = std::make_shared<std::vector<T>>(*values_);
    }
    return *values_;
  }
  /// Makes two equal lists share one memory from now on.
  void share_with(const SharedList& other) {
    if (*this == other) values_ = other.values_;
  }

  friend bool operator==(const SharedList& a, const SharedList& b) {
    return a.values_ == b.values_ || a.all() == b.all();
  }

 private:
  std::shared_ptr<std::vector<T>> values_;
};

}  // namespace leasehold
