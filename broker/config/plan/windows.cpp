#include "broker/config/plan/windows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "broker/config/plan/moments.hpp"
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

/// Puts the window's settings over the consumer's own.
void lay(const PlanWindowDraft& window, PlanConsumer& consumer) {
  for_each_key(kConsumerKeys, [&](const auto& row) {
    if constexpr (is_of<std::remove_cvref_t<decltype(row)>, PlanConsumer>) {
      const auto& value = window.settings.*row.member;
      if (window.written.has(row) && said(value)) consumer.*row.member = value;
    }
  });
}

/// Replaces names by positions.
void resolve(const PlanTree& tree, std::optional<ConsumerList>& list) {
  if (!list) return;
  for (const std::string& name : std::exchange(list->unknown, {})) {
    const int32_t position = tree.find(name);
    if (name == "*") {
      list->everyone = true;
    } else if (position >= 0) {  // else check_plan_draft reports it, with its place
      list->consumers.push_back(static_cast<uint32_t>(position));
    }
  }
}

/// Returns the consumer's own settings, with the window's laid over them; null: its own alone.
PlanConsumer settings_of(const PlanTree& tree, const PlanNode& node,
                         const PlanWindowDraft* window) {
  PlanConsumer consumer;
  if (node.consumer != nullptr) consumer = node.consumer->own;
  if (window != nullptr) lay(*window, consumer);
  resolve(tree, consumer.lend_to);
  resolve(tree, consumer.borrow_from);
  consumer.path = node.path;
  if (node.parent >= 0) consumer.parent = static_cast<uint32_t>(node.parent);
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
    const PlanWindowDraft* window =
        node.consumer == nullptr ? nullptr : window_at(*node.consumer, minute_of_week);
    plan.consumers.push_back(settings_of(tree, node, window));
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

namespace {

/// Numbers the settings of one consumer at any minute: windows with the same result share a number,
/// and 0 is its own settings.
class NumberedSettings {
 public:
  NumberedSettings(const PlanTree& tree, const PlanNode& node) : consumer_(*node.consumer) {
    std::vector<PlanConsumer> distinct{settings_of(tree, node, nullptr)};
    for (const PlanWindowDraft& window : consumer_.windows) {
      PlanConsumer settings = settings_of(tree, node, &window);
      const auto same = std::find(distinct.begin(), distinct.end(), settings);
      numbers_.push_back(static_cast<size_t>(same - distinct.begin()));
      if (same == distinct.end()) distinct.push_back(std::move(settings));
    }
  }
  size_t at(int minute) const {
    const PlanWindowDraft* window = window_at(consumer_, minute);
    return window == nullptr ? 0 : numbers_[static_cast<size_t>(window - consumer_.windows.data())];
  }

 private:
  const PlanConsumerDraft& consumer_;
  std::vector<size_t> numbers_;  // by window
};

}  // namespace

/// Plans are equal if the numbers of all their consumers are: no plan is compared with another.
std::vector<PlanMoment> plan_moments(const PlanTree& tree) {
  std::vector<NumberedSettings> consumers;
  for (const PlanNode& node : tree.nodes) {
    if (node.consumer != nullptr && !node.consumer->windows.empty()) {
      consumers.emplace_back(tree, node);
    }
  }
  std::map<std::vector<size_t>, size_t> plans{{std::vector<size_t>(consumers.size(), 0), 0}};
  std::vector<PlanMoment> moments;
  for (const int minute : plan_changes(tree)) {
    std::vector<size_t> numbers;
    for (const NumberedSettings& each : consumers) numbers.push_back(each.at(minute));
    const auto [found, is_new] = plans.try_emplace(std::move(numbers), plans.size());
    moments.push_back({minute, found->second});
  }
  return moments;
}

Plan ResourcePlans::in_force(size_t group, std::optional<Instant> at) const {
  const PlanTree& tree = trees_[group];
  if (!at) return plan_at(tree, std::nullopt);
  return plan_at(tree, minute_of_week(tree.group->own.timezone, *at));
}

}  // namespace leasehold
