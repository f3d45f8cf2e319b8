#include "broker/rules/plan/check.hpp"

#include <algorithm>
#include <map>

namespace leasehold {

namespace {

std::string number(int64_t value) {
  return std::to_string(value);
}

struct NumberKey {
  std::string_view key;
  std::optional<int64_t> PlanConsumer::*value;
};
constexpr NumberKey kNumbers[] = {
    {"rank", &PlanConsumer::rank},
    {"owned", &PlanConsumer::owned},
    {"reserved", &PlanConsumer::reserved},
    {"limit", &PlanConsumer::limit},
    {"lend_limit", &PlanConsumer::lend_limit},
    {"borrow_limit", &PlanConsumer::borrow_limit},
    {"share_ratio", &PlanConsumer::share_ratio},
    {"share_limit", &PlanConsumer::share_limit},
};

bool in_range(int64_t value) {
  return value >= 0 && value <= kMostSlots;
}

class PlanCheck {
 public:
  explicit PlanCheck(const Plan& plan)
      : plan_(plan),
        owned_below_(plan.consumers.size(), 0),
        reserved_below_(plan.consumers.size(), 0),
        parent_(plan.consumers.size(), false) {}

  std::vector<PlanFault> check() {
    for (uint32_t c = 0; c < plan_.consumers.size(); ++c) check_numbers(c);
    if (!faults_.empty()) return std::move(faults_);  // sums of such numbers say nothing
    add_up();
    check_policies();
    check_root_balance();
    for (uint32_t c = 0; c < plan_.consumers.size(); ++c) check_consumer(c);
    std::stable_sort(faults_.begin(), faults_.end(), [](const PlanFault& a, const PlanFault& b) {
      return a.consumer + 1 < b.consumer + 1;  // the group, kNoIndex, first
    });
    return std::move(faults_);
  }

 private:
  void error(uint32_t consumer, std::string_view key, std::string message) {
    faults_.push_back({true, consumer, key, std::move(message)});
  }
  void warn(uint32_t consumer, std::string_view key, std::string message) {
    faults_.push_back({false, consumer, key, std::move(message)});
  }
  const PlanConsumer& at(uint32_t consumer) const { return plan_.consumers[consumer]; }
  PlanPolicy policy(uint32_t root_level) const {
    return at(root_level).policy.value_or(plan_.policy);
  }
  bool root_level(uint32_t consumer) const { return at(consumer).parent == kNoIndex; }

  void check_numbers(uint32_t c) {
    for (const NumberKey& one : kNumbers) {
      const std::optional<int64_t>& value = at(c).*one.value;
      if (!value || in_range(*value)) continue;
      error(c, one.key,
            at(c).path + ": '" + std::string(one.key) + "' is " + number(*value) +
                "; it must be from 0 to " + number(kMostSlots));
    }
  }

  /// Adds up what each parent's children own and reserve: their own numbers, or else the sums of
  /// their children.
  void add_up() {
    for (auto c = static_cast<uint32_t>(plan_.consumers.size()); c-- > 0;) {
      const int64_t owned = at(c).owned.value_or(owned_below_[c]);
      const int64_t reserved = at(c).reserved.value_or(reserved_below_[c]);
      if (root_level(c)) {
        root_owned_ += owned;
        continue;
      }
      parent_[at(c).parent] = true;
      owned_below_[at(c).parent] += owned;
      reserved_below_[at(c).parent] += reserved;
    }
  }

  /// Only ownership and hybrid mix; some settings go with some policies alone
  /// (broker/rules/plan/README.md, "Not defined").
  void check_policies() {
    bool owners = plan_.consumers.empty() && plan_.policy == PlanPolicy::ownership;
    for (uint32_t c = 0; c < plan_.consumers.size(); ++c) {
      if (!root_level(c)) continue;
      const bool shares = policy(c) == PlanPolicy::share_ratio;
      if (shares != (plan_.policy == PlanPolicy::share_ratio)) {
        error(c, "policy",
              at(c).path +
                  ": share-ratio does not mix with other policies in one "
                  "resource group; only ownership and hybrid do");
      }
      owners |= policy(c) == PlanPolicy::ownership;
      mixed_ |= policy(c) != plan_.policy;
    }
    if (owners && plan_.share_enforcement == ShareEnforcement::parent) {
      error(kNoIndex, "share_enforcement",
            "share_enforcement = \"parent\" is not defined with ownership; it goes with policy = "
            "\"share-ratio\"");
    }
    if (owners && plan_.evenly_distribute) {
      error(kNoIndex, "evenly_distribute",
            "evenly_distribute is not defined in a group with ownership; it goes with hybrid "
            "branches alone");
    }
  }

  void check_root_balance() {
    if (!plan_.slots || plan_.policy == PlanPolicy::share_ratio) return;
    const std::string owned = "root-level consumers own " + number(root_owned_) + " of " +
                              number(*plan_.slots) + " configured slots";
    if (root_owned_ > *plan_.slots) {
      warn(kNoIndex, "slots", owned + ": more than there are");
    } else if (mixed_ && root_owned_ != *plan_.slots) {
      warn(kNoIndex, "slots", owned + "; where policies are mixed they should own all of them");
    }
  }

  void check_consumer(uint32_t c) {
    if (at(c).policy && !root_level(c)) {
      error(c, "policy",
            at(c).path +
                " is not at the root level: only there a branch may have a "
                "policy of its own");
    }
    if (parent_[c]) {
      check_parent(c);
    } else {
      check_leaf(c);
    }
    check_list(c, "lend_to", at(c).lend_to);
    check_list(c, "borrow_from", at(c).borrow_from);
  }

  void check_parent(uint32_t c) {
    const PlanConsumer& one = at(c);
    check_balance(c, "owned", one.owned, owned_below_[c]);
    check_balance(c, "reserved", one.reserved, reserved_below_[c]);
    if (one.lend_limit) error(c, "lend_limit", one.path + " has children: only leaves lend");
    if (one.lend_to) error(c, "lend_to", one.path + " has children: only leaves lend");
    if (!one.cluster.empty()) {
      error(c, "cluster",
            one.path + " names cluster '" + one.cluster +
                "' and has children: only a leaf may name a cluster");
    }
  }

  void check_balance(uint32_t c, std::string_view key, const std::optional<int64_t>& named,
                     int64_t below) {
    if (!named || *named >= below) return;
    error(c, key,
          at(c).path + ": '" + std::string(key) + "' is " + number(*named) +
              ", but its children have " + number(below) + "; it must be at least that");
  }

  void check_leaf(uint32_t c) {
    const PlanConsumer& one = at(c);
    const int64_t owned = one.owned.value_or(0);
    if (one.lend_limit.value_or(0) > 0 && owned == 0) {
      warn(c, "lend_limit", one.path + " owns nothing that it could lend");
    }
    if (one.reserved.value_or(0) > owned) {
      warn(c, "reserved",
           one.path + " reserves " + number(*one.reserved) + " but owns " + number(owned) +
               ": it cannot reserve more than it owns");
    }
    if (one.cluster.empty()) return;
    const auto [other, first] = clusters_.emplace(one.cluster, c);
    if (first) return;
    error(c, "cluster",
          one.path + ": cluster '" + one.cluster + "' is that of " + at(other->second).path +
              " already; one leaf of a group each");
  }

  void check_list(uint32_t c, std::string_view key, const std::optional<ConsumerList>& list) {
    if (!list) return;
    for (const std::string& name : list->unknown) {
      error(c, key,
            at(c).path + ": '" + std::string(key) + "' names '" + name +
                "', which is no consumer of the group; give its full path");
    }
  }

  const Plan& plan_;
  std::vector<PlanFault> faults_;
  std::vector<int64_t> owned_below_;
  std::vector<int64_t> reserved_below_;
  std::vector<bool> parent_;
  std::map<std::string_view, uint32_t> clusters_;
  int64_t root_owned_ = 0;
  bool mixed_ = false;
};

}  // namespace

std::vector<PlanFault> check_plan(const Plan& plan) {
  return PlanCheck(plan).check();
}

}  // namespace leasehold
