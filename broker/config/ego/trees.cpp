#include "broker/config/ego/trees.hpp"

#include <algorithm>
#include <optional>
#include <pugixml.hpp>
#include <utility>

#include "broker/config/ego/element.hpp"
#include "broker/config/toml_text.hpp"
#include "common/text/lower_case.hpp"
#include "common/text/trimmed.hpp"

namespace leasehold::ego {

namespace {

constexpr size_t kDeepest = 50;

std::string list_of(const std::vector<std::string>& paths) {
  std::string list;
  for (const std::string& path : paths) list += (list.empty() ? "" : ", ") + toml_quoted(path);
  return "[" + list + "]";
}

class Reader {
 public:
  Reader(const std::string& text, const std::string& file, Findings& findings)
      : text_(text), file_(file), findings_(findings) {
    for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
      line_ends_.push_back(static_cast<ptrdiff_t>(at));
    }
  }

  File read() {
    pugi::xml_document document;
    // It is parsed as a fragment, so that what follows the first element is not passed over.
    const pugi::xml_parse_result parsed =
        document.load_buffer(text_.data(), text_.size(), pugi::parse_default | pugi::parse_fragment,
                             pugi::encoding_auto);
    if (!parsed) {
      findings_.error({file_, {line_at(parsed.offset), 0}},
                      std::string("is not XML: ") + parsed.description());
      return {};
    }
    if (parsed.encoding == pugi::encoding_utf8 && text_.find('\0') != std::string::npos) {
      findings_.error({file_, {line_at(static_cast<ptrdiff_t>(text_.find('\0'))), 0}},
                      "is not XML: holds a character of value 0");
      return {};
    }
    if (!document.document_element()) {
      findings_.error({file_, {}}, "is not XML: there is no element in it");
      return {};
    }
    Element file = element(document);
    file.children([&](pugi::xml_node child, const std::string&) { section(child, 0); });
    if (!hierarchy_) {
      findings_.error({file_, {}},
                      "has no <ConsumerHierarchy>; name EGO's ConsumerTrees.xml, as it is in "
                      "$EGO_CONFDIR");
    }
    return std::move(trees_);
  }

 private:
  int line_at(ptrdiff_t offset) const {
    if (offset < 0) return 0;
    const auto line = std::lower_bound(line_ends_.begin(), line_ends_.end(), offset);
    return static_cast<int>(line - line_ends_.begin()) + 1;
  }
  int line_of(pugi::xml_node node) const { return line_at(node.offset_debug()); }

  void note(pugi::xml_node node, const std::string& message) {
    findings_.note({file_, {line_of(node), 0}}, message);
  }

  void left_out(pugi::xml_node node) {
    std::string text(trimmed(node.child_value()).substr(0, kLongestText));
    if (!text.empty()) text = " (\"" + text + "\")";
    note(node, "<" + std::string(node.name()) + ">" + text +
                   " has no counterpart here, or was not understood; it is left out");
  }

  Element element(pugi::xml_node node) {
    return Element(node, [this](pugi::xml_node at, const std::string& text) { note(at, text); });
  }

  /// Reports all attributes and children that are left of an element that should have no children.
  void refuse_rest(Element& element) {
    element.refuse_attributes();
    element.children([&](pugi::xml_node child, const std::string&) { left_out(child); });
  }
  /// Does the same for an element whose value is its text.
  std::string only_text(Element& element) {
    element.refuse_attributes();
    element.children_beside_text(
        [&](pugi::xml_node child, const std::string&) { left_out(child); });
    return element.text();
  }

  /// Leaves out the second occurrence of what may be said only once.
  bool said_before(pugi::xml_node node, bool& said) {
    if (said) note(node, "a second <" + std::string(node.name()) + "> is left out, with all in it");
    return std::exchange(said, true);
  }

  /// The sections, at the top or one element below it.
  void section(pugi::xml_node node, int depth) {
    const std::string name = name_of(node);
    if (name == "ConsumerHierarchy") return read_hierarchy(node);
    if (name == "DistributionTree") return read_tree(node);
    const bool wraps = depth == 0 || name == "DistributionTrees";
    if (!wraps || depth > 2) return left_out(node);
    Element top = element(node);
    top.attribute({"version"});
    top.refuse_attributes();
    top.children([&](pugi::xml_node child, const std::string&) { section(child, depth + 1); });
  }

  void read_hierarchy(pugi::xml_node node) {
    hierarchy_ = true;
    Element hierarchy = element(node);
    hierarchy.refuse_attributes();
    hierarchy.children([&](pugi::xml_node child, const std::string& name) {
      name == "Consumer" ? read_consumer(child, "", 0) : left_out(child);
    });
  }

  void read_consumer(pugi::xml_node node, const std::string& parent, size_t depth) {
    Element element = this->element(node);
    Consumer consumer;
    consumer.line = line_of(node);
    const std::string name = element.attribute({"name", "ConsumerName"});
    if (name.empty() || depth > kDeepest) {
      note(node, name.empty() ? "a <Consumer> without a name is left out, with all in it"
                              : "<Consumer name=\"" + name + "\"> is nested too deeply; left out");
      return;
    }
    consumer.path = parent + "/" + name;
    read_rank(element, consumer);
    element.refuse_attributes();
    const size_t position = trees_.consumers.size();
    trees_.consumers.push_back(std::move(consumer));
    const std::string path = trees_.consumers[position].path;
    element.children([&](pugi::xml_node child, const std::string& child_name) {
      if (child_name != "Consumer") return left_out(child);
      trees_.consumers[position].is_leaf = false;
      read_consumer(child, path, depth + 1);
    });
  }

  void read_rank(Element& element, Consumer& consumer) {
    const auto set = [&](const char* key, const std::string& value) {
      consumer.settings.emplace_back(key, value);
    };
    if (const auto rank = number(element, {"rank", "priority"})) set("rank", *rank);
    if (const auto grace = number(element, {"reclaimGracePeriod"})) {
      set("reclaim_grace", toml_quoted(*grace + "s"));
    }
    const std::string rebalance = lower_case(element.attribute({"rebalance"}));
    if (rebalance == "true" || rebalance == "false") {
      set("rebalance", rebalance);
    } else if (!rebalance.empty()) {
      note(element.node(), "rebalance=\"" + rebalance + "\" is neither true nor false; left out");
    }
  }

  /// Returns a number that is written as digits; nullopt: absent, or reported.
  std::optional<std::string> number(Element& element, std::initializer_list<const char*> names) {
    const std::string text = element.attribute(names);
    if (text.empty()) return std::nullopt;
    const bool digits =
        text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
    if (digits) return std::to_string(std::stol(text));
    note(element.node(), std::string(*names.begin()) + "=\"" + text +
                             "\" is not a whole number from 0 to 999999999; left out");
    return std::nullopt;
  }

  void read_tree(pugi::xml_node node) {
    Element element = this->element(node);
    Tree tree;
    tree.line = line_of(node);
    bool named = false;
    bool distributed = false;
    element.refuse_attributes();
    element.children([&](pugi::xml_node child, const std::string& name) {
      if (name == "ResourceGroupName") {
        if (said_before(child, named)) return;
        Element group = this->element(child);
        tree.group = only_text(group);
      } else if (name == "PolicyParameter") {
        read_parameter(child, tree, distributed);
      } else if (name == "TimeInterval") {
        read_interval(child, tree);
      } else {
        left_out(child);
      }
    });
    if (tree.group.empty()) {
      note(node, "a <DistributionTree> without a <ResourceGroupName> is left out, with all in it");
      return;
    }
    trees_.trees.push_back(std::move(tree));
  }

  void read_parameter(pugi::xml_node node, Tree& tree, bool& distributed) {
    Element element = this->element(node);
    const std::string name = element.attribute({"ParameterName"});
    const std::string value = only_text(element);
    if (name == "DistributeBy" && (value.empty() || value == "EqualFreeSlot")) {
      if (said_before(node, distributed)) return;
      tree.placement = value.empty() ? "stacked" : "balanced";
    } else {
      note(node,
           "PolicyParameter " + name + " = \"" + value + "\" was not understood and is left out");
    }
  }

  void read_interval(pugi::xml_node node, Tree& tree) {
    Element element = this->element(node);
    const std::string from = element.attribute({"start", "StartTime"});
    const std::string to = element.attribute({"end", "EndTime"});
    element.refuse_attributes();
    const auto begin = clock_of(from);
    const auto end = clock_of(to);
    if (!begin || !end) {
      findings_.error({file_, {line_of(node), 0}}, "<TimeInterval> from \"" + from + "\" to \"" +
                                                       to + "\"; its times are written as 08:00");
      return;
    }
    Interval interval;
    interval.line = line_of(node);
    interval.from_min = *begin % 1440;
    interval.to_min = *end;
    element.children([&](pugi::xml_node child, const std::string& name) {
      name == "Policy" ? read_policy(child, interval) : left_out(child);
    });
    tree.intervals.push_back(std::move(interval));
  }

  void read_policy(pugi::xml_node node, Interval& interval) {
    Element element = this->element(node);
    Policy policy;
    policy.line = line_of(node);
    policy.consumer = element.attribute({"consumer"});
    policy.type = lower_case(element.attribute({"type"}));
    if (!policy.type.empty() && policy.type != "ownership" && policy.type != "share" &&
        policy.type != "hybrid") {
      note(node, "type=\"" + policy.type + "\" was not understood; the policy of " +
                     policy.consumer + " is left out");
      return;
    }
    const auto take = [&](const char* key, std::initializer_list<const char*> names) {
      if (const auto value = number(element, names)) policy.settings[key] = *value;
    };
    take("owned", {"owned"});
    take("reserved", {"reserve", "reserved"});
    take("share_ratio", {"ratio", "shareRatio"});
    take("share_limit", {"shareLimit"});
    // `limit` is another word for a share's limit: the second of the two is reported.
    const bool share = policy.type == "share";
    if (!share || !policy.settings.contains("share_limit")) {
      take(share ? "share_limit" : "limit", {"limit"});
    }
    element.refuse_attributes();
    bool lends = false;
    bool borrows = false;
    element.children([&](pugi::xml_node child, const std::string& name) {
      if (name == "Lend") {
        if (!said_before(child, lends)) read_lend(child, policy);
      } else if (name == "Borrow") {
        if (!said_before(child, borrows)) read_borrow(child, policy);
      } else {
        left_out(child);
      }
    });
    interval.policies.push_back(std::move(policy));
  }

  /// Paths that are whole; EGO ignores others, and so do we, aloud.
  std::vector<std::string> whole_paths(pugi::xml_node node, std::vector<std::string> paths) {
    std::erase_if(paths, [&](const std::string& path) {
      if (path.starts_with('/')) return false;
      note(node, "\"" + path + "\" is no full path; it is left out (EGO ignores it)");
      return true;
    });
    return paths;
  }

  void read_lend(pugi::xml_node node, Policy& policy) {
    Element element = this->element(node);
    if (const auto limit = number(element, {"limit"})) policy.settings["lend_limit"] = *limit;
    std::vector<std::string> to = words_of(element.attribute({"to"}));
    element.refuse_attributes();
    element.children([&](pugi::xml_node child, const std::string& name) {
      if (name != "To") return left_out(child);
      Element one = this->element(child);
      to.push_back(one.attribute({"consumer"}));
      refuse_rest(one);
    });
    const auto paths = whole_paths(node, to);
    if (!paths.empty()) policy.settings["lend_to"] = list_of(paths);
  }

  void read_borrow(pugi::xml_node node, Policy& policy) {
    Element element = this->element(node);
    const auto limit = number(element, {"limit"});
    element.refuse_attributes();
    std::vector<std::pair<int64_t, std::string>> from;
    element.children([&](pugi::xml_node child, const std::string& name) {
      if (name != "From") return left_out(child);
      Element one = this->element(child);
      const auto preference = number(one, {"preference"});
      from.emplace_back(preference ? std::stol(*preference) : INT32_MAX,
                        one.attribute({"consumer"}));
      refuse_rest(one);
    });
    // The first preference is the highest; equal ones stay in the order of the file.
    std::stable_sort(from.begin(), from.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> paths;
    for (auto& [preference, path] : from) paths.push_back(std::move(path));
    const bool anyone = paths.empty();
    paths = whole_paths(node, paths);
    if (paths.empty() && !anyone) return;  // reported: EGO lets it borrow of nobody
    // Borrowing that names nobody is from any lender; borrowing is unlimited unless limited.
    policy.settings["borrow_from"] = paths.empty() ? "[\"*\"]" : list_of(paths);
    if (limit) policy.settings["borrow_limit"] = *limit;
  }

  const std::string& text_;
  const std::string& file_;
  Findings& findings_;
  std::vector<ptrdiff_t> line_ends_;
  File trees_;
  bool hierarchy_ = false;
};

}  // namespace

File read_trees(const std::string& text, const std::string& file, Findings& findings) {
  return Reader(text, file, findings).read();
}

}  // namespace leasehold::ego
