#include "broker/config/plan/windows.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "broker/config/week.hpp"
#include "broker/config/week_periods.hpp"

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

bool said(const auto& value) {
  if constexpr (requires { value.has_value(); }) return value.has_value();
  return true;
}

/// What the window says, over the consumer's own.
void lay(const PlanWindowDraft& window, PlanConsumer& consumer) {
  for_each_key(kConsumerKeys, [&](const auto& row) {
    if constexpr (is_of<std::remove_cvref_t<decltype(row)>, PlanConsumer>) {
      const auto& value = window.settings.*row.member;
      if (window.written.has(row) && said(value)) consumer.*row.member = value;
    }
  });
}

/// Names as positions.
void resolve(const PlanTree& tree, std::optional<ConsumerList>& list) {
  if (!list) return;
  for (const std::string& name : std::exchange(list->unknown, {})) {
    const int32_t position = tree.find(name);
    if (name == "*") {
      list->everyone = true;
    } else if (position >= 0) {  // else told by check_plan_draft, with its place
      list->consumers.push_back(static_cast<uint32_t>(position));
    }
  }
}

PlanConsumer consumer_at(const PlanConsumerDraft& draft, const PlanTree& tree,
                         std::optional<int> minute) {
  PlanConsumer consumer = draft.own;
  if (const PlanWindowDraft* window = window_at(draft, minute)) lay(*window, consumer);
  resolve(tree, consumer.lend_to);
  resolve(tree, consumer.borrow_from);
  return consumer;
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
  Plan plan = tree.group->plan;
  plan.consumers.reserve(tree.nodes.size());
  for (const PlanNode& node : tree.nodes) {
    PlanConsumer consumer;
    if (node.consumer != nullptr) consumer = consumer_at(*node.consumer, tree, minute_of_week);
    consumer.path = node.path;
    if (node.parent >= 0) consumer.parent = static_cast<uint32_t>(node.parent);
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

Plan ResourcePlans::in_force(size_t group, std::optional<Instant> at) const {
  const PlanTree& tree = trees_[group];
  if (!at) return plan_at(tree, std::nullopt);
  return plan_at(tree, minute_of_week(tree.group->own.timezone, *at));
}

}  // namespace leasehold
