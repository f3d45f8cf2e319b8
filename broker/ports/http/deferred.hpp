// Deferred are the questions that wait for a turn of the broker's loop: /readyz, which tells
// whether it turns, and those about agents while what it said of them last is old. Pure: time comes
// in.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "broker/ports/http/answers/making.hpp"
#include "broker/ports/http/request/visitor.hpp"

namespace leasehold {

class Deferred {
 public:
  using Id = uint64_t;                          // of the connection that asks
  static constexpr int64_t kLiveness_ms = 500;  // older liveness is asked for again
  static constexpr int64_t kTurn_ms = 5'000;    // no question waits longer

  struct Question {
    Id id = 0;
    Inquiry inquiry;
    /// The visitor's rights are others by now than when the question came.
    bool rights_changed = false;
    /// The loop has not turned in time, and what it said before is no answer.
    bool silent = false;
  };

  /// Takes note of when the liveness of a notice came.
  void look(const Notice& notice, int64_t now_ms);
  /// True if the question is to wait for a turn after that of its notice.
  bool must_wait(const Inquiry& inquiry, int64_t now_ms) const;
  void add(Id id, Inquiry inquiry, Visitor visitor, int64_t now_ms);
  void forget(Id id) { waiting_.erase(id); }
  /// Returns the questions that wait no longer, with this notice.
  std::vector<Question> take(const Notice& notice, int64_t now_ms);

  bool empty() const { return waiting_.empty(); }
  /// Returns when the first has waited for too long; INT64_MAX: none waits.
  int64_t next_ms() const;

 private:
  struct Waiting {
    Inquiry inquiry;
    Visitor visitor;
    int64_t until_ms = 0;
  };

  std::map<Id, Waiting> waiting_;
  uint64_t liveness_turn_ = 0;
  int64_t liveness_seen_ms_ = 0;
};

}  // namespace leasehold
