// ConsumerTrees.xml's values as TOML. EGO names a policy for each interval; here a consumer has
// numbers of its own and windows that change some of them. What all intervals of a day agree on
// becomes the consumer's own; the rest becomes a window for each interval.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>

#include "broker/config/ego/trees.hpp"
#include "broker/config/keys/plan.hpp"
#include "broker/config/toml_text.hpp"
#include "broker/config/week.hpp"

namespace leasehold::ego {

namespace {

using SettingsByKey = std::map<std::string, std::string>;

/// The order in which people read them.
constexpr std::array<const char*, 10> kOrder{
    "policy",  "owned",        "reserved",    "limit",       "lend_limit",
    "lend_to", "borrow_limit", "borrow_from", "share_ratio", "share_limit"};

std::string line(const std::string& key, const std::string& value) {
  std::string padded = key;
  if (padded.size() < 13) padded.resize(13, ' ');
  return padded + " = " + value + "\n";
}

std::string lines(const SettingsByKey& settings) {
  std::string text;
  for (const char* key : kOrder) {
    const auto found = settings.find(key);
    if (found != settings.end()) text += line(key, found->second);
  }
  return text;
}

bool is_root_level(const std::string& path) {
  return path.find('/', 1) == std::string::npos;
}

std::string root_of(const std::string& path) {
  return path.substr(0, path.find('/', 1));
}

/// Settings of the consumers of one interval; the policy of a branch among them.
class IntervalSettings {
 public:
  IntervalSettings(const Interval& interval, const std::string& file, Findings& findings)
      : file_(file), findings_(findings) {
    for (const Policy& policy : interval.policies) {
      owns_ |= policy.type == "ownership";
      if (is_root_level(policy.consumer)) types_[policy.consumer] = policy.type;
    }
    for (const Policy& policy : interval.policies) add(policy);
  }

  const std::map<std::string, SettingsByKey>& of() const { return of_; }
  std::map<std::string, SettingsByKey>& of() { return of_; }

 private:
  /// In an interval where somebody owns, `share` is the share pool of the ownership policy.
  std::string policy_for(const std::string& type) const {
    if (type == "share") return owns_ ? "ownership" : "share-ratio";
    return type;
  }

  void add(const Policy& policy) {
    const auto [entry, is_new] = of_.try_emplace(policy.consumer, policy.settings);
    if (!is_new) {
      findings_.note({file_, {policy.line, 0}},
                     "a second policy of " + policy.consumer + " in one interval is left out");
      return;
    }
    if (policy.type.empty()) return;
    if (is_root_level(policy.consumer)) {
      entry->second["policy"] = toml_quoted(policy_for(policy.type));
    } else if (const auto root = types_.find(root_of(policy.consumer));
               root == types_.end() || policy_for(root->second) != policy_for(policy.type)) {
      findings_.note({file_, {policy.line, 0}},
                     "type=\"" + policy.type + "\" of " + policy.consumer +
                         " is not that of its root-level branch; the branch's policy is used");
    }
  }

  const std::string& file_;
  Findings& findings_;
  bool owns_ = false;
  std::map<std::string, std::string> types_;  // of root-level consumers
  std::map<std::string, SettingsByKey> of_;
};

/// One DistributionTree.
class GroupText {
 public:
  GroupText(const Tree& tree, const File& trees, const std::string& file, Findings& findings)
      : tree_(tree), trees_(trees), file_(file), findings_(findings) {
    for (const Interval& interval : tree.intervals) {
      intervals_.emplace_back(interval, file, findings);
    }
    find_members();
    find_policy();
    for (size_t i = 0; i < intervals_.size(); ++i) leave_out_unknown(i);
  }

  std::string text() {
    std::string text = "# " + file_ + ":" + std::to_string(tree_.line) + "\n[[resource_group]]\n" +
                       line("name", toml_quoted(tree_.group)) + "# policies    = []  # export " +
                       "policies whose slots make up the group\n" +
                       line("policy", toml_quoted(policy_)) +
                       line("placement", toml_quoted(tree_.placement));
    for (const Consumer& consumer : trees_.consumers) {
      if (members_.contains(consumer.path)) text += "\n" + consumer_text(consumer);
    }
    return text;
  }

  const std::set<std::string>& members() const { return members_; }

 private:
  /// Consumers with a policy here, and those above them.
  void find_members() {
    std::set<std::string> known;
    for (const Consumer& consumer : trees_.consumers) known.insert(consumer.path);
    for (const Interval& interval : tree_.intervals) {
      for (const Policy& policy : interval.policies) {
        if (!known.contains(policy.consumer)) {
          findings_.note({file_, {policy.line, 0}},
                         "a policy of \"" + policy.consumer +
                             "\", which <ConsumerHierarchy> does not name, is left out (EGO "
                             "ignores it)");
          continue;
        }
        std::string path = policy.consumer;
        while (!path.empty()) {
          members_.insert(path);
          path.resize(path.rfind('/'));
        }
      }
    }
  }

  /// The group's: the first that a root-level consumer names.
  void find_policy() {
    for (const IntervalSettings& interval : intervals_) {
      for (const Consumer& consumer : trees_.consumers) {
        const auto found = interval.of().find(consumer.path);
        if (found == interval.of().end() || !found->second.contains("policy")) continue;
        const std::string& quoted = found->second.at("policy");
        policy_ = quoted.substr(1, quoted.size() - 2);
        return;
      }
    }
  }

  /// EGO's file may say what the policy of the branch does not know; ours may not.
  void leave_out_unknown(size_t interval) {
    auto& of = intervals_[interval].of();
    for (auto& [path, settings] : of) {
      const auto root = of.find(root_of(path));
      const bool named = root != of.end() && root->second.contains("policy");
      const std::string policy = named ? root->second.at("policy") : toml_quoted(policy_);
      std::erase_if(settings, [&, &at = path](const auto& setting) {
        const std::string known = policy_words(policies_with(setting.first));
        const std::string word = policy.substr(1, policy.size() - 2);
        if (known.find(word) != std::string::npos) return false;
        findings_.note({file_, {tree_.intervals[interval].line, 0}},
                       "'" + setting.first + "' of " + at + " is left out: its branch has policy " +
                           word + ", and only " + known + " knows it");
        return true;
      });
    }
  }

  SettingsByKey in_interval(size_t interval, const std::string& path) const {
    const auto found = intervals_[interval].of().find(path);
    SettingsByKey settings =
        found == intervals_[interval].of().end() ? SettingsByKey() : found->second;
    const auto policy = settings.find("policy");
    if (policy != settings.end() && policy->second == toml_quoted(policy_)) settings.erase(policy);
    return settings;
  }

  std::string consumer_text(const Consumer& consumer) const {
    std::vector<SettingsByKey> each;
    for (size_t i = 0; i < intervals_.size(); ++i) each.push_back(in_interval(i, consumer.path));
    const SettingsByKey own = common(each);
    std::string text = "[[consumer]]  # " + file_ + ":" + std::to_string(consumer.line) + "\n" +
                       line("path", toml_quoted(consumer.path)) +
                       line("group", toml_quoted(tree_.group));
    if (consumer.is_leaf) text += "# cluster     = \"\"  # whose work this is\n";
    for (const auto& [key, value] : consumer.settings) text += line(key, value);
    text += lines(own);
    for (size_t i = 0; i < each.size(); ++i) {
      for (const auto& [key, value] : own) each[i].erase(key);
      if (!each[i].empty()) text += window_text(tree_.intervals[i]) + lines(each[i]);
    }
    return text;
  }

  /// Returns the settings that are the same in every interval.
  static SettingsByKey common(const std::vector<SettingsByKey>& each) {
    SettingsByKey own = each.empty() ? SettingsByKey() : each.front();
    std::erase_if(own, [&](const auto& setting) {
      return std::any_of(each.begin(), each.end(), [&](const SettingsByKey& other) {
        const auto found = other.find(setting.first);
        return found == other.end() || found->second != setting.second;
      });
    });
    return own;
  }

  std::string window_text(const Interval& interval) const {
    const int to = interval.whole_day() ? kMinutesOfDay : interval.to_min;
    const int from = interval.whole_day() ? 0 : interval.from_min;
    return "[[consumer.window]]  # " + file_ + ":" + std::to_string(interval.line) + "\n" +
           line("from", toml_quoted(clock_text(from))) + line("to", toml_quoted(clock_text(to)));
  }

  const Tree& tree_;
  const File& trees_;
  const std::string& file_;
  Findings& findings_;
  std::vector<IntervalSettings> intervals_;
  std::set<std::string> members_;
  std::string policy_ = "ownership";
};

/// EGO wants intervals that cover the day: where they do not, nothing is owned there.
void note_gaps(const Tree& tree, const std::string& file, Findings& findings) {
  WeekSet covered;
  for (const Interval& interval : tree.intervals) {
    covered |= interval.whole_day() ? WeekSet().set()
                                    : week_set(WeekWindow{{}, interval.from_min, interval.to_min});
  }
  if (covered.all()) return;
  findings.note({file, {tree.line, 0}},
                "the intervals of " + tree.group +
                    " do not cover the whole day; outside of them nobody owns anything");
}

}  // namespace

std::string toml_of(const File& trees, const std::string& file, Findings& findings) {
  std::set<std::string> placed;
  std::string text;
  for (const Tree& tree : trees.trees) {
    note_gaps(tree, file, findings);
    GroupText group(tree, trees, file, findings);
    text += (text.empty() ? "" : "\n") + group.text();
    placed.insert(group.members().begin(), group.members().end());
  }
  for (const Consumer& consumer : trees.consumers) {
    if (placed.contains(consumer.path)) continue;
    findings.note({file, {consumer.line, 0}}, "consumer " + consumer.path +
                                                  " has no policy in any <DistributionTree>, so it "
                                                  "gets nothing and is left out");
  }
  return text;
}

}  // namespace leasehold::ego
