// Orders carries out the broker's orders in the order of schema/wire/PROTOCOL.md, "Orders": fence,
// wait until the fence has taken effect, read used again, persist, answer; persist, then open. A
// limit that is to fall below what is in use falls as that work ends.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "agent/io/agent/fate_reports.hpp"
#include "agent/io/agent/known/contact.hpp"
#include "agent/io/agent/known/durable_limits.hpp"
#include "agent/io/agent/known/enforcement.hpp"
#include "agent/io/agent/statements.hpp"
#include "agent/io/pause_point.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

/// The time of the next look at the workload manager.
struct NextLook {
  int64_t poll_ms = INT64_MIN;
  int64_t change_ms = INT64_MAX;  // when its work may have changed, while a change is awaited
};

/// The parts that orders use and change; all outlive the Orders.
struct OrderParts {
  const Workload& workload;
  Contact& contact;
  DurableLimits& limits;
  Enforcement& enforcement;
  Statements& statements;
  FateReports& fates;
};

class Orders {
 public:
  /// Called at each step of an order, for tests that stop an agent there.
  using Reached = std::function<void(Step)>;

  Orders(const OrderParts& parts, Reached reached) : parts_(parts), reached_(std::move(reached)) {}

  /// Carries out the order for each of its groups separately. A set takes effect when all groups of
  /// its hosts have applied the order.
  void on_order(const wire::Order& order, int64_t now_ms);
  void advance(int64_t now_ms);
  /// Lowers limits to what is in use where slots are to be given up, and sends the new limits.
  void lower_open(int64_t now_ms);
  /// Lowers limits of leases that have ended to what is in use, and further as jobs end. Contract:
  /// their fences are in effect.
  void lower_ended(int64_t now_ms);
  void drop_ended_sets();

  /// Drops orders made by another configuration. Their limits count exports otherwise than the
  /// configuration does now; the broker sends new ones.
  void drop_outdated();
  /// Drops orders for groups that are over.
  void drop(const std::vector<uint64_t>& generations);
  void drop_of_consumers();
  void drop_all();
  bool has(uint64_t generation) const { return pending_.contains(generation); }
  size_t size() const { return pending_.size(); }

  /// Returns when advance() has something to do.
  int64_t next_ms() const;
  NextLook& next_look() { return next_look_; }
  const NextLook& next_look() const { return next_look_; }

 private:
  struct PendingOrder {
    wire::Order order;
    bool fenced = false;
    int64_t ready_ms = 0;  // it is tried again from then on
    GroupLimits before;    // the limits when it was begun
  };

  void on_part(const wire::Order& part, int64_t now_ms);
  bool may_apply(const wire::Order& order, const LeasedGroup* group, int64_t now_ms) const;
  bool comes_late(const wire::Order& order) const;
  bool take_sets(const wire::Order& order);
  void begin(LeasedGroup& group, const wire::Order& order, int64_t now_ms);
  void advance_order(uint64_t generation, int64_t now_ms);
  bool fence(PendingOrder& pending, const LeasedGroup& group, int64_t now_ms);
  bool finish(const PendingOrder& pending, LeasedGroup& group, int64_t now_ms);
  void lower_sets(std::map<uint64_t, GroupLimits>& before, int64_t now_ms);
  Book& book() const { return parts_.limits.book(); }

  OrderParts parts_;
  Reached reached_;
  std::map<uint64_t, PendingOrder> pending_;  // by generation
  NextLook next_look_;
};

}  // namespace leasehold::agent
