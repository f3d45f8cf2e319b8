#include "broker/ports/operators/sources.hpp"

#include <algorithm>

#include "broker/config/week.hpp"

namespace leasehold {

namespace {

using Found = std::optional<std::string>;

std::string text_of(const Spot& spot) {
  return spot.file + ":" + std::to_string(spot.place.line);
}

std::string clock_text(int32_t minutes) {
  const std::string hours = std::to_string(minutes / 60);
  const std::string rest = std::to_string(minutes % 60);
  return (hours.size() < 2 ? "0" : "") + hours + ":" + (rest.size() < 2 ? "0" : "") + rest;
}

std::optional<PlanNumber> number_of(const std::string& key) {
  for (size_t n = 0; n < kPlanNumberCount; ++n) {
    const auto number = static_cast<PlanNumber>(n);
    if (key == key_of(number)) return number;
  }
  return std::nullopt;
}

using Names = std::optional<std::vector<Placed<std::string>>>;

std::optional<Place> place_of(const Names& names) {
  if (!names) return std::nullopt;
  return names->empty() ? Place{} : names->front().place;
}

/// Where a consumer, or its window, says it.
std::optional<Place> place_in(const PlanSettings& settings, const std::string& key) {
  if (const auto number = number_of(key)) {
    if (!settings.number(*number)) return std::nullopt;
    return settings.place(*number);
  }
  if (key == "policy" && settings.policy) return settings.policy_place;
  if (key == "lend_to") return place_of(settings.lend_to);
  if (key == "borrow_from") return place_of(settings.borrow_from);
  return std::nullopt;
}

Found of_consumer(const PlanConsumerDraft& consumer, std::optional<int> minute,
                  const std::string& key) {
  const PlanWindowDraft* window = window_at(consumer, minute);
  if (window != nullptr) {
    if (const auto place = place_in(window->settings, key)) {
      const Spot spot{consumer.file, place->line > 0 ? *place : window->place};
      return text_of(spot) + " (window " + clock_text(window->when.from_min) + "-" +
             clock_text(window->when.to_min) + ")";
    }
  }
  if (const auto place = place_in(consumer.settings, key)) return text_of(consumer.at(*place));
  if (key == "cluster" && !consumer.cluster.empty()) {
    return text_of(consumer.at(consumer.cluster_place));
  }
  if (key == "select" && !consumer.select.empty()) {
    return text_of(consumer.at(consumer.select_place));
  }
  if (key == "rebalance" && !consumer.rebalance) return text_of(consumer.at({}));
  return std::nullopt;
}

/// Settings whose own place nobody keeps: where they differ from the default, the section's.
bool differs(const PlanGroupDraft& group, const std::string& key) {
  const PlanGroupDraft plain;
  if (key == "cycle") return group.cycle_ms != plain.cycle_ms;
  if (key == "placement") return group.placement != plain.placement;
  if (key == "reclaim_before_borrow") return group.reclaim_before_borrow;
  if (key == "reclaim_shared") return !group.reclaim_shared;
  if (key == "disable_reclaim_hybrid_own") return group.disable_reclaim_hybrid_own;
  if (key == "use_ancestor_grace_period") return group.use_ancestor_grace_period;
  if (key == "siblings_only") return group.siblings_only;
  if (key == "default_rank") return group.default_rank != 0;
  if (key == "net_policy_switch") return !group.net_policy_switch;
  if (key == "min_hold") return group.min_hold_ms != 0;
  if (key == "max_share_moved") return group.max_share_moved_ppm != plain.max_share_moved_ppm;
  if (key == "dead_zone") return group.dead_zone_slots != 0;
  if (key == "reclaim_backoff") return group.reclaim_backoff_ms != 0;
  return false;
}

Found of_group(const PlanGroupDraft& group, const std::string& key) {
  const auto if_written = [&](const Place& place) -> Found {
    if (place.line == 0) return std::nullopt;
    return text_of(group.at(place));
  };
  if (key == "policy") return if_written(group.policy_place);
  if (key == "slots") return if_written(group.slots_place);
  if (key == "share_enforcement") return if_written(group.share_enforcement_place);
  if (key == "evenly_distribute") return if_written(group.evenly_distribute_place);
  if (key == "policies") {
    return group.policies.empty() ? Found{} : if_written(group.policies.front().place);
  }
  return differs(group, key) ? Found(text_of(group.at({}))) : std::nullopt;
}

}  // namespace

PlanSource plan_source_of(const ResourcePlans& plans, Instant now) {
  if (plans.empty()) return {};
  return [&plans, now](const std::string& group, const std::string& path,
                       const std::string& key) -> Found {
    for (const PlanTree& tree : plans.trees()) {
      if (tree.group->name != group) continue;
      if (path.empty()) return of_group(*tree.group, key);
      const int32_t node = tree.find(path);
      if (node < 0) return std::nullopt;
      const PlanConsumerDraft* consumer = tree.nodes[static_cast<size_t>(node)].consumer;
      if (consumer == nullptr) return std::nullopt;  // implied by a path below it
      return of_consumer(*consumer, minute_of_week(tree.group->timezone, now), key);
    }
    return std::nullopt;
  };
}

}  // namespace leasehold
