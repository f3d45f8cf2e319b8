// Allocation: the slots of hosts that an export policy gives each share of its distribution, kept
// in one list that is cut by share. A part of PolicyState (model/state.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "broker/rules/distribution.hpp"

namespace leasehold {

class Allocation {
 public:
  using Slots = ShareSlots::value_type;

  Allocation() = default;
  explicit Allocation(const std::vector<ShareSlots>& by_share) {
    size_t size = 0;
    for (const ShareSlots& slots : by_share) size += slots.size();
    slots_.reserve(size);
    ends_.reserve(by_share.size());
    for (const ShareSlots& slots : by_share) {
      slots_.insert(slots_.end(), slots.begin(), slots.end());
      ends_.push_back(static_cast<uint32_t>(slots_.size()));
    }
  }

  /// Returns the number of shares.
  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  /// Returns the (host, slots) pairs of one share.
  std::span<const Slots> operator[](size_t share) const {
    const uint32_t first = share == 0 ? 0 : ends_[share - 1];
    return std::span(slots_).subspan(first, ends_[share] - first);
  }
  /// Returns the pairs of all shares.
  std::span<const Slots> all() const { return slots_; }
  bool operator==(const Allocation&) const = default;

 private:
  std::vector<Slots> slots_;
  std::vector<uint32_t> ends_;  // in slots_, by share
};

}  // namespace leasehold
