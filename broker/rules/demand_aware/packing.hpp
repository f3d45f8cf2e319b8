// Packing: puts a member's waiting work on its own idle slots and on those that the other side
// could give, host by host, and says what would have to be moved. First what needs no move, then as
// little of the other's as will do. It knows nothing of time, nor who should be served.
#pragma once

#include "broker/rules/demand_aware/shapes.hpp"

namespace leasehold::demand_aware {

class Packing {
 public:
  /// `elsewhere`: idle slots that the member has on hosts outside the group, a number a host; it
  /// outlives this object.
  /// `protect`: so many of the other's idle slots are not to be given, from the last row on.
  Packing(uint8_t member, std::span<const IdleRow> rows, std::span<const int32_t> elsewhere,
          int64_t protect);

  struct Put {
    int64_t jobs = 0;        // that fit
    int64_t with_moves = 0;  // of those: they need slots of the other
  };
  /// Puts as many of the jobs as fit, one after another. A job that waits although it
  /// would fit outside the group is taken to be unable to use the idle slots there.
  Put put(const Waiting& waiting);
  /// From now on the other could give what it uses, too. Contract: once.
  void take_used(std::span<const IdleRow> rows);
  /// Returns the slots to move, by row, ascending, of rows whose idle slots are enough.
  std::vector<RowSlots> moves() const;
  /// Returns the slots to reclaim, from the other rows: all that is to come from there.
  std::vector<RowSlots> reclaims() const;
  /// Returns the member's own idle slots on which the work was put, by row; all of a row that moves
  /// whole.
  std::vector<RowSlots> kept(std::span<const IdleRow> rows) const;
  int64_t slots_moved() const { return slots_moved_; }
  /// Returns the slots of the group on which the work was put and that need no move.
  int64_t own_taken() const { return own_taken_; }

 private:
  /// Limits how many jobs of one bucket are placed over several hosts at once: they are looked at
  /// one by one.
  static constexpr int64_t kWideJobsAtOnce = 64;

  struct Pick {
    uint32_t place = 0;  // of places()
    int64_t slots = 0;
  };

  Put put_anywhere(const Waiting& waiting);
  Put put_on_one_host(const Waiting& waiting);
  Put put_over_hosts(const Waiting& waiting);
  Put put_on_whole_hosts(const Waiting& waiting);
  /// Returns the hosts that are wholly idle, the smallest first.
  std::vector<Place*> wholly_idle(const Waiting& waiting, bool with_given);
  bool fits(const Waiting& waiting, bool with_given);
  std::vector<RowSlots> moved(bool of_used) const;
  bool starts_elsewhere(const Waiting& waiting) const;
  bool usable(const Waiting& waiting, const Place& place) const;
  /// False: so few hosts have the least of each that they need not be put in order.
  bool has_hosts(const Waiting& waiting);
  void put_elsewhere_first();
  /// By what is first and, where that is the same, by what is second, so that hosts in another
  /// order make no other answer.
  enum class Order : uint8_t { least_in_all, least_own, most_own };
  void order_places(Order order);
  static void order_first(Order order, std::span<Place> all, size_t count);
  std::span<Place> first_that_fit(const Waiting& waiting, int64_t jobs, bool with_given);
  std::span<Place> places() { return std::span(places_).subspan(from_); }
  void take(Place& place, int64_t slots);
  int64_t take_each(const Waiting& waiting, int64_t jobs, const std::vector<Place*>& hosts);
  bool take_several(const Shape& shape, std::vector<Place*>& hosts);
  int64_t take_over(const Waiting& waiting, int64_t slots, bool with_given);

  uint8_t member_;
  std::span<const int32_t> elsewhere_;
  std::vector<Place> places_;  // those outside the group first
  size_t from_ = 0;            // in places_: those that the present bucket may use
  std::vector<Pick> picks_;
  int64_t slots_moved_ = 0;
  int64_t own_taken_ = 0;
  int64_t idle_ = 0;  // on all places, the member's and what the other could give
  bool takes_used_ = false;
};

}  // namespace leasehold::demand_aware
