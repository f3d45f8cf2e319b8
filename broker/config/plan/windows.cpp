#include "broker/config/plan/windows.hpp"

#include <date/tz.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "broker/config/week.hpp"

namespace leasehold {

namespace {

bool holds(const WeekWindow& window, int minute_of_week) {
  const int day = minute_of_week / kMinutesOfDay;
  const int minute = minute_of_week % kMinutesOfDay;
  const auto begins_on = [&](int weekday) {
    return window.days.empty() ||
           std::find(window.days.begin(), window.days.end(), weekday) != window.days.end();
  };
  if (window.from_min < window.to_min) {
    return minute >= window.from_min && minute < window.to_min && begins_on(day);
  }
  if (minute >= window.from_min) return begins_on(day);
  return minute < window.to_min && begins_on((day + 6) % 7);  // it began the day before
}

/// Reads a consumer's settings through its window.
class InForce {
 public:
  InForce(const PlanConsumerDraft& consumer, const PlanWindowDraft* window)
      : own_(consumer.settings), window_(window == nullptr ? nullptr : &window->settings) {}

  std::optional<int64_t> number(PlanNumber which) const {
    const auto changed = window_ == nullptr ? std::nullopt : window_->number(which);
    return changed ? changed : own_.number(which);
  }
  std::optional<PlanPolicy> policy() const {
    return window_ != nullptr && window_->policy ? window_->policy : own_.policy;
  }
  const auto& lend_to() const {
    return window_ != nullptr && window_->lend_to ? window_->lend_to : own_.lend_to;
  }
  const auto& borrow_from() const {
    return window_ != nullptr && window_->borrow_from ? window_->borrow_from : own_.borrow_from;
  }

 private:
  const PlanSettings& own_;
  const PlanSettings* window_;
};

std::optional<ConsumerList> resolved(const std::optional<std::vector<Placed<std::string>>>& names,
                                     const PlanTree& tree) {
  if (!names) return std::nullopt;
  ConsumerList list;
  for (const Placed<std::string>& name : *names) {
    const int32_t position = tree.find(name.value);
    if (name.value == "*") {
      list.everyone = true;
    } else if (position >= 0) {  // else told by check_plan_draft, with its place
      list.consumers.push_back(static_cast<uint32_t>(position));
    }
  }
  return list;
}

void lay(const PlanConsumerDraft& draft, const PlanTree& tree, std::optional<int> minute,
         PlanConsumer& consumer) {
  const InForce now(draft, window_at(draft, minute));
  consumer.cluster = draft.cluster;
  consumer.select = draft.select;
  consumer.rebalance = draft.rebalance;
  consumer.policy = now.policy();
  consumer.rank = now.number(PlanNumber::rank);
  consumer.owned = now.number(PlanNumber::owned);
  consumer.reserved = now.number(PlanNumber::reserved);
  consumer.limit = now.number(PlanNumber::limit);
  consumer.lend_limit = now.number(PlanNumber::lend_limit);
  consumer.borrow_limit = now.number(PlanNumber::borrow_limit);
  consumer.share_ratio = now.number(PlanNumber::share_ratio);
  consumer.share_limit = now.number(PlanNumber::share_limit);
  consumer.reclaim_grace_ms = now.number(PlanNumber::reclaim_grace).value_or(0);
  consumer.lend_to = resolved(now.lend_to(), tree);
  consumer.borrow_from = resolved(now.borrow_from(), tree);
}

Plan plan_of(const PlanGroupDraft& group) {
  Plan plan;
  plan.name = group.name;
  plan.policy = group.policy;
  plan.slots = group.slots;
  plan.placement = group.placement;
  plan.reclaim_before_borrow = group.reclaim_before_borrow;
  plan.reclaim_shared = group.reclaim_shared;
  plan.share_enforcement = group.share_enforcement;
  plan.evenly_distribute = group.evenly_distribute;
  plan.disable_reclaim_hybrid_own = group.disable_reclaim_hybrid_own;
  plan.use_ancestor_grace_period = group.use_ancestor_grace_period;
  plan.siblings_only = group.siblings_only;
  plan.default_rank = group.default_rank;
  plan.net_policy_switch = group.net_policy_switch;
  plan.min_hold_ms = group.min_hold_ms;
  plan.max_share_moved_ppm = group.max_share_moved_ppm;
  plan.dead_zone_slots = group.dead_zone_slots;
  plan.reclaim_backoff_ms = group.reclaim_backoff_ms;
  return plan;
}

void add_edges(const WeekWindow& window, std::set<int>& edges, bool& has_days) {
  has_days |= !window.days.empty();
  for (int day = 0; day < 7; ++day) {
    edges.insert(day * kMinutesOfDay + window.from_min);
    edges.insert((day * kMinutesOfDay + window.to_min) % kMinutesOfWeek);
  }
}

}  // namespace

const PlanWindowDraft* window_at(const PlanConsumerDraft& consumer, std::optional<int> minute) {
  if (!minute) return nullptr;
  for (const PlanWindowDraft& window : consumer.windows) {
    if (holds(window.when, *minute)) return &window;
  }
  return nullptr;
}

Plan plan_at(const PlanTree& tree, std::optional<int> minute_of_week) {
  Plan plan = plan_of(*tree.group);
  plan.consumers.reserve(tree.nodes.size());
  for (const PlanNode& node : tree.nodes) {
    PlanConsumer consumer;
    consumer.path = node.path;
    if (node.parent >= 0) consumer.parent = static_cast<uint32_t>(node.parent);
    if (node.consumer != nullptr) lay(*node.consumer, tree, minute_of_week, consumer);
    plan.consumers.push_back(std::move(consumer));
  }
  return plan;
}

std::vector<int> plan_changes(const PlanTree& tree) {
  std::set<int> edges;
  bool has_days = false;
  for (const PlanNode& node : tree.nodes) {
    if (node.consumer == nullptr) continue;
    for (const PlanWindowDraft& window : node.consumer->windows) {
      add_edges(window.when, edges, has_days);
    }
  }
  if (!has_days) edges.erase(edges.lower_bound(kMinutesOfDay), edges.end());
  return {edges.begin(), edges.end()};
}

int minute_of_week(const std::string& timezone, Instant at) {
  using std::chrono::milliseconds;
  const date::sys_time<milliseconds> instant{milliseconds(at.ms)};
  // UTC needs no time zones, whose list takes a while to load.
  const auto local = timezone == "UTC" ? date::local_time<milliseconds>(instant.time_since_epoch())
                                       : date::locate_zone(timezone)->to_local(instant);
  const auto day = date::floor<date::days>(local);
  const auto minute = date::floor<std::chrono::minutes>(local - day).count();
  return static_cast<int>(date::weekday(day).c_encoding()) * kMinutesOfDay +
         static_cast<int>(minute);
}

Plan ResourcePlans::in_force(size_t group, std::optional<Instant> at) const {
  const PlanTree& tree = trees_[group];
  if (!at) return plan_at(tree, std::nullopt);
  return plan_at(tree, minute_of_week(tree.group->timezone, *at));
}

}  // namespace leasehold
