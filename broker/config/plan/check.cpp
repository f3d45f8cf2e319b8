#include "broker/config/plan/check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "broker/config/check/check.hpp"
#include "broker/config/plan/keys.hpp"
#include "broker/config/plan/moments.hpp"
#include "broker/config/week.hpp"
#include "broker/config/windows.hpp"
#include "broker/rules/plan/check.hpp"
#include "broker/rules/select/select.hpp"

namespace leasehold {

namespace {

class GroupCheck {
 public:
  GroupCheck(const PlanTree& tree, Findings& findings) : tree_(tree), findings_(findings) {}

  void check() {
    const PlanGroupDraft& group = *tree_.group;
    const std::string& name = group.own.name;
    const Spot spot = group.written.at(&ResourceGroup::name);
    const std::string fault = name_fault(name);
    if (!fault.empty()) findings_.error(spot, "resource group " + in_quotes(name) + ": " + fault);
    check_zone(group);
    if (tree_.nodes.empty()) {
      findings_.warn(
          spot, "resource group " + in_quotes(name) + " has no [[consumer]]: its slots lie idle");
    }
    for (const PlanNode& node : tree_.nodes) {
      if (node.consumer != nullptr) check_consumer(*node.consumer);
    }
    check_numbers();
  }

 private:
  void check_zone(const PlanGroupDraft& group) {
    if (group.own.timezone == "UTC") return;  // the list of zones takes a while to load
    const Status zone = check_timezone(group.own.timezone);
    if (!zone) findings_.error(group.written.at(&ResourceGroup::timezone), zone.error().message);
  }

  void check_consumer(const PlanConsumerDraft& consumer) {
    check_select(consumer);
    check_lists(consumer.own, consumer.written);
    WeekSet all;
    for (const PlanWindowDraft& window : consumer.windows) {
      check_lists(window.settings, window.written);
      const WeekSet set = week_set(window.when);
      if ((all & set).any()) {
        findings_.error(window.written.section, "this window overlaps another of " +
                                                    in_quotes(consumer.own.path) +
                                                    "; windows must not");
      }
      all |= set;
    }
  }

  void check_select(const PlanConsumerDraft& consumer) {
    if (consumer.own.select.empty()) return;
    const Result<Selection> selection = Selection::parse(consumer.own.select);
    if (selection) return;
    Spot spot = consumer.written.at(&PlanConsumer::select);
    spot.place.column += selection.error().column;  // after the opening quote
    findings_.error(spot, "'select': " + selection.error().message + " (character " +
                              std::to_string(selection.error().column) + " of it)");
  }

  void check_lists(const PlanConsumer& settings, const Written& written) {
    check_names(settings.lend_to, written, &PlanConsumer::lend_to);
    check_names(settings.borrow_from, written, &PlanConsumer::borrow_from);
  }

  void check_names(const std::optional<ConsumerList>& list, const Written& written, KeyRef key) {
    if (!list) return;
    const std::vector<std::string>& names = list->unknown;
    for (size_t i = 0; i < names.size(); ++i) {
      const Spot spot = written.element(key, i);
      if (names[i] == "*" && names.size() > 1) {
        findings_.error(spot, "\"*\" in " + in_quotes(key.name) +
                                  " stands for every consumer; leave the others out, or it");
      }
      if (names[i] == "*" || tree_.find(names[i]) >= 0) continue;
      findings_.error(spot, "consumer " + in_quotes(names[i]) + " in " + in_quotes(key.name) +
                                " is not in resource group " + in_quotes(tree_.group->own.name) +
                                did_you_mean(names[i], paths()));
    }
  }

  const std::vector<std::string>& paths() {
    if (paths_.empty()) {
      for (const PlanNode& node : tree_.nodes) paths_.push_back(node.path);
    }
    return paths_;
  }

  /// Checks outside of the windows, then at each of their edges at which another plan begins.
  void check_numbers() {
    check_at(std::nullopt);
    size_t checked = 1;
    for (const PlanMoment& moment : plan_moments(tree_)) {
      if (moment.plan != checked) continue;
      check_at(moment.minute);
      ++checked;
    }
  }

  void check_at(std::optional<int> minute) {
    for (PlanFault& fault : check_plan(plan_at(tree_, minute))) {
      if (!fault.error && fault.key == "lend_limit" && owns_at_times(fault.consumer)) continue;
      if (!reported_.emplace(fault.consumer, fault.key, fault.message).second) continue;
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
    const auto owns = [](const PlanConsumer& settings) { return settings.owned.value_or(0) > 0; };
    return owns(draft->own) ||
           std::any_of(draft->windows.begin(), draft->windows.end(),
                       [&](const PlanWindowDraft& window) { return owns(window.settings); });
  }

  Spot spot_of(const PlanFault& fault, std::optional<int> minute) const {
    const KeyRef key(fault.key);
    if (fault.consumer == kNoIndex) return tree_.group->written.at(key);
    const PlanNode& node = tree_.nodes[fault.consumer];
    if (node.consumer == nullptr) return node.spot();
    const PlanWindowDraft* window = window_at(*node.consumer, minute);
    return (window != nullptr && window->written.has(key) ? window->written
                                                          : node.consumer->written)
        .at(key);
  }

  /// Returns "from 17:00", with the day where windows have days.
  std::string when(int minute) const {
    const bool has_days = plan_changes(tree_).back() >= kMinutesOfDay;
    const std::string day = has_days ? std::string(day_text(minute / kMinutesOfDay)) + " " : "";
    return "from " + day + clock_text(minute % kMinutesOfDay);
  }

  const PlanTree& tree_;
  Findings& findings_;
  std::vector<std::string> paths_;
  std::set<std::tuple<uint32_t, std::string, std::string>> reported_;
};

void check_group_names(const std::vector<PlanTree>& trees, Findings& findings) {
  std::map<std::string, Spot> seen;
  for (const PlanTree& tree : trees) {
    const PlanGroupDraft& group = *tree.group;
    const std::string& name = group.own.name;
    const Spot spot = group.written.at(&ResourceGroup::name);
    const auto [entry, is_new] = seen.try_emplace(name, spot);
    if (is_new || name.empty()) continue;
    findings.error(spot, "resource group " + in_quotes(name) + " is defined at " +
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
