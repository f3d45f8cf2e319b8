// The reason why a waiting job of a leaf's cluster does not start on the slots of its plan.
#include <algorithm>

#include "broker/rules/plan/compiled.hpp"
#include "broker/views/explain/hindrances.hpp"
#include "broker/views/rows.hpp"

namespace leasehold::explanation {

namespace {

using rows::count_of;

class OfLeaf {
 public:
  OfLeaf(const AtLeaf& at, const SlotsSeen& seen, const wire::DemandBucket& bucket)
      : at_(at),
        plan_(*at.now.snapshot.plan),
        bucket_(bucket),
        found_(find_obstacle(seen, bucket)) {}

  Hindrance say() {
    out_.of = path();
    out_.role = "consumer";
    find_bounds();
    out_.what = found_.what;
    out_.sentence = words();
    return std::move(out_);
  }

 private:
  const std::string& path() const { return plan_.consumers[at_.consumer].path; }

  /// Looks for bounds of the plan that keep slots from work which the hosts would start.
  void find_bounds() {
    find_limit();
    for (const PlanRow& row : at_.now.answer.rows) {
      if (row.consumer == at_.consumer) row_ = &row;
    }
    if (found_.what <= Obstacle::on_way || found_.what > Obstacle::in_use) return;
    if (slots_of_job(bucket_) > limit_) {
      found_.what = Obstacle::limit;
    } else if (!is_wanted() && row_ != nullptr &&
               row_->allocated + std::max<int64_t>(1, found_.lacking) > row_->quota) {
      found_.what = Obstacle::quota;
    }
  }

  void find_limit() {
    const CompiledPlan& compiled = *at_.now.snapshot.ready->compiled;
    for (uint32_t p = compiled.position[at_.consumer]; p != 0; p = compiled.nodes[p].parent) {
      const ConsumerNode& node = compiled.nodes[p];
      const bool shares = node.policy == PlanPolicy::share_ratio;
      const int64_t limit = shares ? std::min(node.limit, node.share_limit) : node.limit;
      if (limit >= limit_) continue;
      limit_ = limit;
      limited_ = node.consumer;
      limit_key_ = shares && node.share_limit <= node.limit ? "share_limit" : "limit";
    }
  }

  /// True if the next evaluation gives slots for work of the leaf.
  bool is_wanted() const {
    const std::vector<PlanHost>& hosts = at_.now.snapshot.hosts;
    return std::any_of(hosts.begin(), hosts.end(), [this](const PlanHost& host) {
      return std::any_of(host.wanted.begin(), host.wanted.end(), [this](const HostWanted& wanted) {
        return wanted.consumer == at_.consumer;
      });
    });
  }

  std::string words() {
    const Obstacle what = found_.what;
    if (what == Obstacle::idle_of_other) {
      return count_of(found_.lacking, "idle slot") + " of " + plan_.name +
             " would start it: the plan decides on them at its next evaluation";
    }
    if (what == Obstacle::quota) return above_quota();
    if (what == Obstacle::in_use) return in_use_words(found_);
    if (what == Obstacle::limit) return above_limit();
    if (what == Obstacle::host_down) {
      return "each host of " + plan_.name + " that would do is closed to " + at_.cluster;
    }
    if (!is_too_small(what)) return own_words(what, at_.cluster);
    change(larger_words(found_, bucket_, "the policies of " + plan_.name));
    return too_small_words(found_, bucket_, plan_.name);
  }

  std::string above_quota() {
    change("a larger quota of " + path() + " in " + plan_.name +
           " (owned, reserved, share_ratio), or less demand of the others");
    return "its quota is " + std::to_string(row_->quota) + " and it has " +
           std::to_string(row_->allocated) + ": a job needs " +
           std::to_string(std::max<int64_t>(1, found_.lacking)) + " more";
  }

  std::string above_limit() {
    const std::string wants = std::to_string(slots_of_job(bucket_));
    const std::string& path = plan_.consumers[limited_].path;
    change(limit_key_ + " = " + wants + " or more for " + path + " in " + plan_.name);
    return "the " + limit_key_ + " of " + path + " is " + std::to_string(limit_) +
           ", and a job needs " + wants;
  }

  void change(std::string what) { out_.changes.push_back(std::move(what)); }

  const AtLeaf& at_;
  const Plan& plan_;
  const wire::DemandBucket& bucket_;
  Found found_;
  const PlanRow* row_ = nullptr;
  int64_t limit_ = kUnlimited;  // in slots, the least of its own and its parents'
  uint32_t limited_ = 0;        // who has it
  std::string limit_key_;
  Hindrance out_;
};

}  // namespace

Hindrance at_leaf(const AtLeaf& at, const SlotsSeen& seen, const wire::DemandBucket& bucket) {
  return OfLeaf(at, seen, bucket).say();
}

Hindrance without_leaf(const std::string& plan, const std::string& cluster) {
  return {plan,
          "provider",
          Obstacle::no_leaf,
          "the slots that " + cluster + " exports go to leaves of the plan, and " + cluster +
              " has none",
          {"a [[consumer]] with cluster = \"" + cluster + "\" in " + plan}};
}

}  // namespace leasehold::explanation
