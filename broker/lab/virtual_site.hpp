// VirtualSite: the broker's own core in virtual time, called as the daemon calls it: windows are
// resolved ahead, reports reduced to what is new, orders carried out one after the other. What
// stands for its clusters derives from it: job models (simulate/site.hpp), or what a history says
// that clusters wanted (what_if/site.hpp).
//
// `now` is the caller's time; the core's own may be ahead of it.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/store/store.hpp"

namespace leasehold {

/// An order of the core to the agent of a cluster.
struct CoreOrder {
  uint32_t cluster = 0;
  uint64_t generation = 0;
  uint64_t seq = 0;
  std::vector<wire::OrderedHost> hosts;
  int64_t grace_ms = 0;
};

class VirtualSite {
 public:
  VirtualSite(const VirtualSite&) = delete;  // parts of what derives from it refer to it
  VirtualSite& operator=(const VirtualSite&) = delete;

  const State& state() const { return state_; }
  bool keeps_history() const { return store_ != nullptr; }
  int64_t ahead_ms() const { return ahead_ms_; }
  Instant time(Instant now) const { return now + ahead_ms_; }
  /// Returns when the core has to be called next.
  Instant next() const;
  /// Calls the core, which first gets new windows if those that it knows end soon. Returns true if
  /// a cluster may use more slots than before.
  bool tick(Instant now);
  /// Writes everything that is not yet written, and that the run lasted until `end`. Returns the
  /// first error of keeping the history; the state does not depend on it.
  Status close(Instant end);

 protected:
  /// `store` may be null; it must outlive this object.
  explicit VirtualSite(Store* store = nullptr) : store_(store) {}
  virtual ~VirtualSite() = default;

  /// Begins with the state of the store, which keeps the history from now on.
  Status open(int64_t ahead_ms);
  /// Gives the core an event, and keeps the orders that it answers with. Contract: the core's time
  /// never goes back.
  void feed(const Event& event, Instant now);
  /// Gives it a configuration with the windows that are ahead.
  void load(ConfigLoaded loaded, Instant now);
  /// Gives it what is new in a report: a StateReported.
  void feed_report(Event& report, Instant now);
  /// Carries out all orders. Returns true if a cluster may use more slots than before.
  bool carry_out(Instant now);
  bool has_orders() const { return !orders_.empty(); }

  State& own_state() { return state_; }
  std::span<const Record> records() const { return effects_.records; }  // of the last event

 private:
  /// It is called after each event.
  virtual void stepped() = 0;
  /// Called before each order, and when none is left, to follow what the core has made since.
  /// Returns true if that fed the core, so that there may be orders again.
  virtual bool follow(Instant now) = 0;
  /// An agent takes the order and answers. Returns true if its cluster may use more slots.
  virtual bool take_order(const CoreOrder& order, Instant now) = 0;

  void keep_orders();
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
