#include "broker/config/plan/tree.hpp"

#include <algorithm>
#include <unordered_map>

#include "broker/config/check/check.hpp"

namespace leasehold {

namespace {

constexpr size_t kPathMax = 1000;

/// "": the path is fine; else what is wrong with it.
std::string path_fault(std::string_view path) {
  if (path.empty() || path.front() != '/') return "a path begins with '/', as in \"/research/a\"";
  if (path.size() > kPathMax) {
    return "a path has at most " + std::to_string(kPathMax) + " characters";
  }
  size_t begin = 1;
  while (begin <= path.size()) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    if (name.empty()) return "a name between '/' is empty; write it as in \"/research/a\"";
    if (const std::string fault = name_fault(name); !fault.empty()) return fault;
    begin = end + 1;
  }
  return "";
}

class TreeBuilder {
 public:
  explicit TreeBuilder(const PlanGroupDraft& group) { tree_.group = &group; }

  void add(const PlanConsumerDraft& consumer, Findings& findings) {
    PlanNode& node = tree_.nodes[static_cast<size_t>(position(consumer.own.path, consumer))];
    if (node.consumer != nullptr) {
      findings.error(consumer.written.at(&PlanConsumer::path),
                     "consumer " + in_quotes(consumer.own.path) + " is defined at " +
                         spot_text(node.spot()) + " already; name it once in a group");
      return;
    }
    node.consumer = &consumer;
  }

  PlanTree take() {
    tree_.by_path.assign(position_of_.begin(), position_of_.end());
    std::sort(tree_.by_path.begin(), tree_.by_path.end());
    return std::move(tree_);
  }

 private:
  /// Returns the position of the path; it and its parents are added where they are missing.
  int32_t position(const std::string& path, const PlanConsumerDraft& mentioned) {
    int32_t parent = -1;
    size_t end = 0;
    while (end < path.size()) {
      end = std::min(path.find('/', end + 1), path.size());
      std::string part = path.substr(0, end);
      const auto next = static_cast<int32_t>(tree_.nodes.size());
      const auto [entry, is_new] = position_of_.try_emplace(part, next);
      if (is_new) {
        if (parent >= 0) tree_.nodes[static_cast<size_t>(parent)].is_leaf = false;
        tree_.nodes.push_back({std::move(part), parent, nullptr, &mentioned, true});
      }
      parent = entry->second;
    }
    return parent;
  }

  PlanTree tree_;
  std::unordered_map<std::string, int32_t> position_of_;
};

std::vector<std::string> names_of(const PlanDraft& draft) {
  std::vector<std::string> names;
  for (const PlanGroupDraft& group : draft.groups) names.push_back(group.own.name);
  return names;
}

/// Returns the position of the group that the consumer is in; nullopt: an error is reported.
std::optional<size_t> group_of(const PlanConsumerDraft& consumer, const PlanDraft& draft,
                               Findings& findings) {
  const Spot spot = consumer.written.at(&ConsumerMembership::group);
  const std::string& name = consumer.member.group;
  if (name.empty()) {
    if (draft.groups.size() == 1) return 0;
    findings.error(spot, draft.groups.empty()
                             ? "no [[resource_group]] is there for this consumer; add one"
                             : "missing key 'group' in [[consumer]]: there are several groups");
    return std::nullopt;
  }
  for (size_t i = 0; i < draft.groups.size(); ++i) {
    if (draft.groups[i].own.name == name) return i;
  }
  const std::string meant = did_you_mean(name, names_of(draft));
  findings.error(spot, "group " + in_quotes(name) + " is not known" +
                           (meant.empty() ? "; add a [[resource_group]] of that name" : meant));
  return std::nullopt;
}

}  // namespace

int32_t PlanTree::find(const std::string& path) const {
  const auto at = std::lower_bound(
      by_path.begin(), by_path.end(), path,
      [](const auto& entry, const std::string& wanted) { return entry.first < wanted; });
  return at == by_path.end() || at->first != path ? -1 : at->second;
}

std::vector<PlanTree> plan_trees(const PlanDraft& draft, Findings& findings) {
  std::vector<TreeBuilder> builders;
  for (const PlanGroupDraft& group : draft.groups) builders.emplace_back(group);
  for (const PlanConsumerDraft& consumer : draft.consumers) {
    const std::string& path = consumer.own.path;
    if (path.empty()) continue;  // the reader reported it
    const std::string fault = path_fault(path);
    if (!fault.empty()) {
      findings.error(consumer.written.at(&PlanConsumer::path),
                     "path " + in_quotes(path) + ": " + fault);
    }
    const std::optional<size_t> group = group_of(consumer, draft, findings);
    if (group && fault.empty()) builders[*group].add(consumer, findings);
  }
  std::vector<PlanTree> trees;
  for (TreeBuilder& builder : builders) trees.push_back(builder.take());
  return trees;
}

}  // namespace leasehold
