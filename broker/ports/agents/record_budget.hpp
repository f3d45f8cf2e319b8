// RecordBudget: how many bytes each cluster may add to the record (database and history), so that
// one that changes its statements without end neither fills the disk nor pushes the others' history
// out of what [retention] keeps. Pure: time comes in. Not for messages: those have
// broker/ports/peer_rates.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "broker/core/model/event.hpp"

namespace leasehold {

class RecordBudget {
 public:
  /// Who is quiet saves up for so long: a start with its inventory, a busy morning.
  static constexpr int64_t kSavedMs = int64_t{15} * 60'000;

  /// 0: unlimited.
  explicit RecordBudget(int64_t bytes_per_hour = 0) : per_hour_(bytes_per_hour) {}

  int64_t per_hour() const { return per_hour_; }
  /// The cluster has something left: whatever it says next may be recorded, also if that is more.
  bool has_left(const std::string& cluster, int64_t now_ms);
  /// So much was recorded.
  void spend(const std::string& cluster, int64_t bytes, int64_t now_ms);
  /// When has_left() is true again, if nothing is spent.
  int64_t left_again_ms(const std::string& cluster, int64_t now_ms);
  /// Half of what it may save up is there again: what comes next is another matter.
  bool is_calm(const std::string& cluster, int64_t now_ms);

 private:
  struct Level {
    int64_t bytes = 0;
    int64_t at_ms = 0;
  };
  int64_t full() const { return per_hour_ / (3'600'000 / kSavedMs); }
  Level& level_of(const std::string& cluster, int64_t now_ms);

  int64_t per_hour_;
  std::unordered_map<std::string, Level> levels_;  // clusters of the configuration only
};

/// What an event adds to the record, about: its row of the history and the rows that it changes.
int64_t recorded_bytes(const Event& event);

}  // namespace leasehold
