// Hybrid: first what is reserved, then what is owned and wanted, then the rest in proportion to
// ownership, from the root down (broker/rules/plan/README.md, "Hybrid"; Symphony, "Hybrid
// scheduling policy").
#include <algorithm>

#include "broker/rules/plan/division/quota.hpp"

namespace leasehold {

namespace {

class HybridDivision {
 public:
  HybridDivision(const Plan& plan, const ConsumerTree& tree, Scale scale, Quotas& quotas)
      : even_(plan.evenly_distribute),
        tree_(tree),
        quotas_(quotas),
        slots_(scale.slots),
        // If nothing is configured nothing is owned, so any number of parts will do.
        parts_(std::max<int64_t>(scale.configured, 1)),
        owns_(scale.configured > 0) {}

  void divide(uint32_t parent, int64_t slots) {
    collect(parent);
    filling_.begin(slots, parts_, children_.size());
    fill_reserves();
    fill_whole_own();
    fill_own();
    fill_rest();
    filling_.round();
    for (size_t i = 0; i < children_.size(); ++i) {
      quotas_.quota[children_[i]] = filling_.bowls()[i].slots;
    }
  }

 private:
  /// Collects the hybrid ones: beside them ownership branches may stand at the root.
  void collect(uint32_t parent) {
    children_.clear();
    for_each_child(tree_, parent, [&](uint32_t p) {
      if (tree_.nodes[p].policy == PlanPolicy::hybrid) children_.push_back(p);
    });
  }

  template <class Set>
  void fill(Set set) {
    for (size_t i = 0; i < children_.size(); ++i) set(filling_.bowls()[i], children_[i]);
    filling_.fill();
  }

  /// a. Up to what is reserved, by reserve.
  void fill_reserves() {
    fill([this](Bowl& bowl, uint32_t p) {
      bowl.weight = quotas_.reserved[p];
      bowl.cap = in_parts(std::min(quotas_.reserved[p], quotas_.want[p]));
    });
  }

  /// b. Up to the whole owned slots that are wanted, by ownership.
  void fill_whole_own() {
    fill([this](Bowl& bowl, uint32_t p) {
      const int64_t cap = std::min(quotas_.want[p], quotas_.own[p]);
      bowl.weight = weight(p);
      bowl.cap = in_parts(even_ ? std::min(cap, owned(p)) : cap);
    });
  }

  /// b. Then up to all that is owned and wanted: with the fractions that scaling left; evenly
  /// distributing, as configured.
  void fill_own() {
    fill([this](Bowl& bowl, uint32_t p) {
      const Wide own = even_ ? in_parts(owned(p)) : own_parts(p);
      bowl.cap = std::min(in_parts(quotas_.want[p]), own);
    });
  }

  /// c. Up to what is wanted: by ownership, or equally.
  void fill_rest() {
    fill([this](Bowl& bowl, uint32_t p) {
      if (even_) bowl.weight = 1;
      bowl.cap = in_parts(quotas_.want[p]);
    });
  }

  int64_t owned(uint32_t p) const { return owns_ ? tree_.nodes[p].owned : 0; }
  int64_t weight(uint32_t p) const { return owned(p); }
  Wide own_parts(uint32_t p) const { return Wide{owned(p)} * slots_; }
  Wide in_parts(int64_t slots) const { return Wide{slots} * parts_; }

  bool even_;
  const ConsumerTree& tree_;
  Quotas& quotas_;
  int64_t slots_;
  int64_t parts_;
  bool owns_;
  std::vector<uint32_t> children_;
  Filling filling_;
};

}  // namespace

void set_hybrid_quotas(const Plan& plan, const ConsumerTree& tree, Scale scale, Quotas& quotas) {
  HybridDivision division(plan, tree, scale, quotas);
  division.divide(0, scale.slots);
  for (uint32_t p = 1; p < tree.nodes.size(); ++p) {
    const ConsumerNode& node = tree.nodes[p];
    if (!node.leaf && node.policy == PlanPolicy::hybrid) division.divide(p, quotas.quota[p]);
  }
}

}  // namespace leasehold
