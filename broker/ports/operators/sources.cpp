#include "broker/ports/operators/sources.hpp"

#include "broker/config/week.hpp"
#include "broker/config/week_periods.hpp"

namespace leasehold {

namespace {

using Found = std::optional<std::string>;

std::string text_of(const Spot& spot) {
  return spot.file + ":" + std::to_string(spot.place.line);
}

Found if_written(const Written& written, KeyRef key) {
  return written.has(key) ? Found(text_of(written.at(key))) : std::nullopt;
}

Found of_consumer(const PlanConsumerDraft& consumer, std::optional<int> minute, KeyRef key) {
  const PlanWindowDraft* window = window_at(consumer, minute);
  if (window != nullptr && window->written.has(key)) {
    return text_of(window->written.at(key)) + " (window " + clock_text(window->when.from_min) +
           "-" + clock_text(window->when.to_min) + ")";
  }
  return if_written(consumer.written, key);
}

}  // namespace

PlanSource plan_source_of(const ResourcePlans& plans, Instant now) {
  if (plans.empty()) return {};
  return [&plans, now](const std::string& group, const std::string& path,
                       std::string_view key) -> Found {
    for (const PlanTree& tree : plans.trees()) {
      if (tree.group->own.name != group) continue;
      if (path.empty()) return if_written(tree.group->written, KeyRef(key));
      const int32_t node = tree.find(path);
      if (node < 0) return std::nullopt;
      const PlanConsumerDraft* consumer = tree.nodes[static_cast<size_t>(node)].consumer;
      if (consumer == nullptr) return std::nullopt;  // implied by a path below it
      return of_consumer(*consumer, minute_of_week(tree.group->own.timezone, now), KeyRef(key));
    }
    return std::nullopt;
  };
}

ValueSource policy_source_of(const WrittenSettings& written) {
  return [&written](const ExportPolicy& policy, std::string_view key) -> std::optional<Source> {
    if (key == "reclaim_delay") {
      const auto delay = written.delays.find(policy.provider);
      return delay == written.delays.end() ? std::nullopt : std::optional(source_of(delay->second));
    }
    const auto found = written.policies.find(policy.name);
    if (found == written.policies.end() || !found->second.has(KeyRef(key))) return std::nullopt;
    return source_of(found->second.at(KeyRef(key)));
  };
}

}  // namespace leasehold
