// Transfer: slots on their way between two members of a group, and Transfers, the open ones of one
// group: a list in the order in which they were started, which finds those from one member, and one
// by its number, without looking at the others. Parts of SlotGroup (model/state.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/reason.hpp"
#include "common/time/instant.hpp"
#include "common/tokens.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

enum class TransferStep : uint8_t { releasing = 0, granting = 1 };
constexpr auto tokens_of(TransferStep) {
  using enum TransferStep;
  return tokens<TransferStep>({{releasing, "releasing"}, {granting, "granting"}});
}

/// A transfer's winner: nobody; what comes becomes unallocated.
inline constexpr uint16_t kNoMember = UINT16_MAX;

/// Row of the group, slots still to come from it: they fall as slots come.
using Wanted = std::vector<std::pair<uint32_t, int32_t>>;

/// A shrink stays open and hands over slot by slot; the lease is inactive only while a transfer
/// with `inactive` is open.
struct Transfer {
  uint64_t id = 0;
  uint16_t from = 0;  // members
  uint16_t to = 0;    // of a plan perhaps kNoMember
  wire::Lowering lowering = wire::Lowering::release;
  TransferStep step = TransferStep::releasing;
  Reason reason = Reason::none;
  bool inactive = true;
  int32_t slots_wanted = 0;  // when it began
  int32_t slots_released = 0;
  int64_t grace_ms = 0;  // of a reclaim
  Instant since;
  Instant deadline = kNever;  // reset at start
  Wanted wanted;
};

/// True if nothing that it wants is missing any more.
bool has_all_it_wants(const Transfer& transfer);
/// True if a transfer of this reason asks back what its member may not hold: a drain, a closed
/// host. What the member is due stays: it may hold the slots again where the cause ends first.
bool follows_cap(Reason reason);

/// Contract: numbers rise, as transfers are started; `from` of one that stands here stays.
class Transfers {
 public:
  template <class T, class At>
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Transfer;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;
    Iterator() = default;
    explicit Iterator(At at) : at_(at) {}
    T& operator*() const { return **at_; }
    T* operator->() const { return at_->get(); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    At at_{};
  };

  Transfers() = default;
  Transfers(const Transfers& other);
  Transfers(Transfers&&) noexcept = default;
  Transfers& operator=(const Transfers& other) { return *this = Transfers(other); }
  Transfers& operator=(Transfers&&) noexcept = default;
  ~Transfers() = default;

  auto begin() { return open_ ? Any(open_->list.begin()) : Any(); }
  auto end() { return open_ ? Any(open_->list.end()) : Any(); }
  auto begin() const { return open_ ? Each(open_->list.cbegin()) : Each(); }
  auto end() const { return open_ ? Each(open_->list.cend()) : Each(); }
  bool empty() const { return !open_; }
  size_t size() const { return open_ ? open_->list.size() : 0; }
  Transfer& operator[](size_t at) { return *open_->list[at]; }
  const Transfer& operator[](size_t at) const { return *open_->list[at]; }
  Transfer& at(size_t at) { return *open_->list.at(at); }
  const Transfer& at(size_t at) const { return *open_->list.at(at); }
  Transfer& front() { return *open_->list.front(); }
  const Transfer& front() const { return *open_->list.front(); }
  Transfer& back() { return *open_->list.back(); }
  const Transfer& back() const { return *open_->list.back(); }

  Transfer& push_back(Transfer transfer);
  void pop_back() { erase(back().id); }
  void clear() { *this = Transfers(); }
  /// Returns nullptr if it is not open any more.
  Transfer* find(uint64_t id);
  const Transfer* find(uint64_t id) const { return const_cast<Transfers*>(this)->find(id); }
  /// Nothing where it is not open. Room that very many left is given back with the last one.
  void erase(uint64_t id);

  /// Calls see(transfer) for each one from that member, in their order. Contract: it starts and
  /// ends none.
  template <class See>
  void each_from(size_t member, const See& see) const {
    const Transfers* self = this;
    const_cast<Transfers*>(self)->each_from(member,
                                            [&see](const Transfer& transfer) { see(transfer); });
  }
  template <class See>
  void each_from(size_t member, const See& see) {
    if (!open_ || !open_->by_from) {
      for (Transfer& transfer : *this) {
        if (transfer.from == member) see(transfer);
      }
      return;
    }
    const auto known = open_->by_from->find(static_cast<uint16_t>(member));
    if (known == open_->by_from->end()) return;
    for (Transfer* transfer : known->second) see(*transfer);
  }

 private:
  using List = std::vector<std::unique_ptr<Transfer>>;
  using ByFrom = std::unordered_map<uint16_t, std::vector<Transfer*>>;
  using Any = Iterator<Transfer, List::iterator>;
  using Each = Iterator<const Transfer, List::const_iterator>;

  struct Open {
    List list;
    std::unique_ptr<ByFrom> by_from;  // where there are many
  };

  List::iterator place_of(uint64_t id);
  void index();

  std::unique_ptr<Open> open_;  // where there is one
};

}  // namespace leasehold
