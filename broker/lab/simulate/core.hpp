// VirtualCore: the broker's core in virtual time, with the history that it keeps. `now` is the
// scenario's time; the core's own may be ahead of it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/store/store.hpp"

namespace leasehold {

struct CoreOrder {
  uint32_t cluster = 0;
  uint64_t generation = 0;
  uint64_t seq = 0;
  std::vector<wire::OrderedHost> hosts;
  int64_t grace_ms = 0;
};

class VirtualCore {
 public:
  /// `store` may be null; it must outlive this object.
  explicit VirtualCore(Store* store) : store_(store) {}

  /// Loads the state of the store, which keeps the history from now on.
  Status begin(int64_t ahead_ms);
  void feed(const Event& event, Instant now);
  /// Takes the oldest order that was not taken yet.
  std::optional<CoreOrder> take_order();
  /// Returns when the core has to be called next.
  Instant next() const;
  /// Writes everything that is not yet written, and that the run lasted until `end`. Returns the
  /// first error of keeping the history; the state does not depend on it.
  Status finish(Instant end);

  const State& state() const { return state_; }
  std::span<const Record> records() const { return effects_.records; }  // of the last event
  bool keeps_history() const { return store_ != nullptr; }
  int64_t ahead_ms() const { return ahead_ms_; }
  Instant time(Instant now) const { return now + ahead_ms_; }

 private:
  void commit();

  Store* store_;
  State state_;
  Effects effects_;
  std::deque<CoreOrder> orders_;
  Status failed_;
  int64_t ahead_ms_ = 0;
  Instant fed_at_{INT64_MIN};   // the last event, by the core's time
  Instant kept_at_{INT64_MIN};  // the last one in the store
};

}  // namespace leasehold
