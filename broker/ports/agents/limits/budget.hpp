// Budget: how much of something each peer may use up: first what it has saved up, then its rate.
// RecordShare has one of bytes that a cluster adds to the record, so that a cluster which changes
// its statements without end neither fills the disk nor pushes the others' history out of what
// [retention] keeps; LoopShare has one of the loop's time. Pure: time comes in. Numbers of messages
// are limited by broker/ports/peer_rates.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace leasehold {

class Budget {
 public:
  /// A quiet peer saves up for so long: a start with its inventory, a busy morning.
  static constexpr int64_t kSavedMs = int64_t{15} * 60'000;

  /// 0 per hour means unlimited.
  explicit Budget(int64_t per_hour = 0, int64_t saved_ms = kSavedMs)
      : per_hour_(per_hour), saved_ms_(saved_ms) {}

  int64_t per_hour() const { return per_hour_; }
  /// True if the peer has something left: whatever comes next is taken, also if that is more.
  bool has_left(const std::string& peer, int64_t now_ms);
  void spend(const std::string& peer, int64_t amount, int64_t now_ms);
  /// Returns when has_left() is true again, if nothing is spent.
  int64_t left_again_ms(const std::string& peer, int64_t now_ms);
  /// True if half of what it may save up is there again: what comes next is another matter.
  bool is_half_full(const std::string& peer, int64_t now_ms);
  /// Returns the number of peers remembered.
  size_t size() const { return levels_.size(); }

 private:
  struct Level {
    int64_t left = 0;
    int64_t at_ms = 0;
  };
  int64_t full() const { return per_hour_ / (3'600'000 / saved_ms_); }
  void fill(Level& level, int64_t now_ms) const;
  void forget_full(int64_t now_ms);
  Level& level_of(const std::string& peer, int64_t now_ms);

  int64_t per_hour_;
  int64_t saved_ms_;
  size_t forget_at_ = 1024;
  std::unordered_map<std::string, Level> levels_;
};

}  // namespace leasehold
