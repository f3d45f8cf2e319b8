#include "broker/config/plan/check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "broker/config/check/check.hpp"
#include "broker/config/plan/keys.hpp"
#include "broker/config/week.hpp"
#include "broker/config/windows.hpp"
#include "broker/rules/plan/check.hpp"
#include "broker/rules/select/select.hpp"

namespace leasehold {

namespace {

/// The place of a key in settings; {0, 0}: it is not there.
Place place_in(const PlanSettings& settings, std::string_view key) {
  for (size_t i = 0; i < kPlanNumberCount; ++i) {
    if (key == key_of(static_cast<PlanNumber>(i)) && settings.numbers[i]) return settings.places[i];
  }
  if (key == "policy" && settings.policy) return settings.policy_place;
  if (key == "lend_to" && settings.lend_to) return settings.lend_to->front().place;
  if (key == "borrow_from" && settings.borrow_from) return settings.borrow_from->front().place;
  return {};
}

Spot spot_of_key(const PlanConsumerDraft& consumer, const PlanWindowDraft* window,
                 std::string_view key) {
  Place place = window == nullptr ? Place{} : place_in(window->settings, key);
  if (place == Place{}) place = place_in(consumer.settings, key);
  if (key == "path") place = consumer.path_place;
  if (key == "cluster") place = consumer.cluster_place;
  if (key == "select") place = consumer.select_place;
  return consumer.at(place);
}

Spot spot_of_key(const PlanGroupDraft& group, std::string_view key) {
  if (key == "policy") return group.at(group.policy_place);
  if (key == "slots") return group.at(group.slots_place);
  if (key == "share_enforcement") return group.at(group.share_enforcement_place);
  if (key == "evenly_distribute") return group.at(group.evenly_distribute_place);
  return group.at({});
}

/// What one group must keep within itself.
class GroupCheck {
 public:
  GroupCheck(const PlanTree& tree, Findings& findings) : tree_(tree), findings_(findings) {}

  void check() {
    const PlanGroupDraft& group = *tree_.group;
    if (!group.name.empty()) {
      const std::string fault = name_fault(group.name);
      if (!fault.empty()) {
        findings_.error(group.at(group.name_place),
                        "resource group " + in_quotes(group.name) + ": " + fault);
      }
    }
    check_zone(group);
    if (tree_.nodes.empty()) {
      findings_.warn(group.at(group.name_place), "resource group " + in_quotes(group.name) +
                                                     " has no [[consumer]]: its slots lie idle");
    }
    for (const PlanNode& node : tree_.nodes) {
      if (node.consumer != nullptr) check_consumer(*node.consumer);
    }
    check_numbers();
  }

 private:
  void check_zone(const PlanGroupDraft& group) {
    if (group.timezone == "UTC") return;  // the list of zones takes a while to load
    const Status zone = check_timezone(group.timezone);
    if (!zone) findings_.error(group.at(group.timezone_place), zone.error().message);
  }

  void check_consumer(const PlanConsumerDraft& consumer) {
    check_select(consumer);
    check_lists(consumer, consumer.settings);
    WeekSet all;
    for (const PlanWindowDraft& window : consumer.windows) {
      check_lists(consumer, window.settings);
      const WeekSet set = week_set(window.when);
      if ((all & set).any()) {
        findings_.error(
            consumer.at(window.place),
            "this window overlaps another of " + in_quotes(consumer.path) + "; windows must not");
      }
      all |= set;
    }
  }

  void check_select(const PlanConsumerDraft& consumer) {
    if (consumer.select.empty()) return;
    const Result<Selection> selection = Selection::parse(consumer.select);
    if (selection) return;
    Spot spot = consumer.at(consumer.select_place);
    spot.place.column += selection.error().column;  // after the opening quote
    findings_.error(spot, "'select': " + selection.error().message + " (character " +
                              std::to_string(selection.error().column) + " of it)");
  }

  void check_lists(const PlanConsumerDraft& consumer, const PlanSettings& settings) {
    if (settings.lend_to) check_names(consumer, "lend_to", *settings.lend_to);
    if (settings.borrow_from) check_names(consumer, "borrow_from", *settings.borrow_from);
  }

  void check_names(const PlanConsumerDraft& consumer, const char* key,
                   const std::vector<Placed<std::string>>& names) {
    for (const Placed<std::string>& name : names) {
      if (name.value == "*" && names.size() > 1) {
        findings_.error(consumer.at(name.place), "\"*\" in '" + std::string(key) +
                                                     "' stands for every consumer; leave the "
                                                     "others out, or it");
      }
      if (name.value == "*" || tree_.find(name.value) >= 0) continue;
      findings_.error(consumer.at(name.place),
                      "consumer " + in_quotes(name.value) + " in '" + std::string(key) +
                          "' is not in resource group " + in_quotes(tree_.group->name) +
                          did_you_mean(name.value, paths()));
    }
  }

  const std::vector<std::string>& paths() {
    if (paths_.empty()) {
      for (const PlanNode& node : tree_.nodes) paths_.push_back(node.path);
    }
    return paths_;
  }

  /// Outside of the windows, then at each of their edges.
  void check_numbers() {
    check_at(std::nullopt);
    for (const int minute : plan_changes(tree_)) check_at(minute);
  }

  void check_at(std::optional<int> minute) {
    for (PlanFault& fault : check_plan(plan_at(tree_, minute))) {
      if (!fault.error && fault.key == "lend_limit" && owns_at_times(fault.consumer)) continue;
      if (!told_.emplace(fault.consumer, fault.key, fault.message).second) continue;
      const Spot spot = spot_of(fault, minute);
      if (minute) fault.message += " (" + when(*minute) + ")";
      fault.error ? findings_.error(spot, std::move(fault.message))
                  : findings_.warn(spot, std::move(fault.message));
    }
  }

  /// A leaf that owns in some window lends then: only one that never owns is odd.
  bool owns_at_times(uint32_t consumer) const {
    const PlanConsumerDraft* draft = tree_.nodes[consumer].consumer;
    if (draft == nullptr) return false;
    const auto owns = [](const PlanSettings& settings) {
      return settings.number(PlanNumber::owned).value_or(0) > 0;
    };
    return owns(draft->settings) ||
           std::any_of(draft->windows.begin(), draft->windows.end(),
                       [&](const PlanWindowDraft& window) { return owns(window.settings); });
  }

  Spot spot_of(const PlanFault& fault, std::optional<int> minute) const {
    if (fault.consumer == kNoIndex) return spot_of_key(*tree_.group, fault.key);
    const PlanNode& node = tree_.nodes[fault.consumer];
    if (node.consumer == nullptr) return node.spot();
    return spot_of_key(*node.consumer, window_at(*node.consumer, minute), fault.key);
  }

  /// "from 17:00", with the day where windows have days.
  std::string when(int minute) const {
    const bool has_days = plan_changes(tree_).back() >= kMinutesOfDay;
    const std::string day = has_days ? std::string(day_text(minute / kMinutesOfDay)) + " " : "";
    return "from " + day + clock_text(minute % kMinutesOfDay);
  }

  const PlanTree& tree_;
  Findings& findings_;
  std::vector<std::string> paths_;
  std::set<std::tuple<uint32_t, std::string, std::string>> told_;
};

void check_group_names(const std::vector<PlanTree>& trees, Findings& findings) {
  std::map<std::string, Spot> seen;
  for (const PlanTree& tree : trees) {
    const PlanGroupDraft& group = *tree.group;
    const Spot spot = group.at(group.name_place);
    const auto [entry, is_new] = seen.try_emplace(group.name, spot);
    if (is_new || group.name.empty()) continue;
    findings.error(spot, "resource group " + in_quotes(group.name) + " stands at " +
                             spot_text(entry->second) + " already; names must be unique");
  }
}

}  // namespace

void check_plan_draft(const std::vector<PlanTree>& trees, Findings& findings) {
  check_group_names(trees, findings);
  for (const PlanTree& tree : trees) {
    GroupCheck(tree, findings).check();
    check_plan_keys(tree, findings);
  }
}

}  // namespace leasehold
