// Rows of an image while it is written, and which of them differ from what was written last. For
// images.cpp and group_images.cpp only.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "broker/record/state_fields.hpp"

namespace leasehold {

/// Compares member by member, the members that are written.
template <class T>
bool same(const T& a, const T& b);

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same(x, y); });
}

template <class T>
bool same(const CopyPtr<T>& a, const CopyPtr<T>& b) {
  return a && b ? same(*a, *b) : !a && !b;
}

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (requires { fields(a); }) {
    const auto all = [](const auto& left, const auto& right) {
      return [&]<size_t... I>(std::index_sequence<I...>) {
        return (same(std::get<I>(left), std::get<I>(right)) && ...);
      }
      (std::make_index_sequence<std::tuple_size_v<std::decay_t<decltype(left)>>>());
    };
    return all(fields(a), fields(b));
  } else {
    return a == b;
  }
}

/// Rows with their positions; their number need not be known beforehand.
class Rows {
 public:
  template <class Row>
  void add(size_t place, const Row& row) {
    ++count_;
    bytes::Packer packer(rows_);
    packer.array(2);
    packer.put(place);
    packer.put(row);
  }
  /// `row` is the bytes of one value.
  void add_packed(size_t place, const std::string& row) {
    ++count_;
    bytes::Packer packer(rows_);
    packer.array(2);
    packer.put(place);
    rows_ += row;
  }
  void add_list(size_t place, const Rows& list) {
    ++count_;
    bytes::Packer packer(rows_);
    packer.array(2);
    packer.put(place);
    list.write(rows_);
  }
  bool empty() const { return count_ == 0; }
  void write(std::string& out) const {
    bytes::Packer(out).array(count_);
    out += rows_;
  }

 private:
  std::string rows_;
  size_t count_ = 0;
};

/// Adds the rows of `now` that differ from `written`, and copies them there.
template <class Listed>
void add_changed(const Listed& now, Listed& written, Rows& rows) {
  for (size_t i = 0; i < now.size(); ++i) {
    if (i < written.size() && same(now[i], written[i])) continue;
    rows.add(i, now[i]);
    if (i == written.size()) written.emplace_back();
    written[i] = now[i];
  }
}

}  // namespace leasehold
