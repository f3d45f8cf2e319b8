#include "broker/views/plan/settings.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/plan/words.hpp"

namespace leasehold {

namespace {

std::string file_key(std::string key) {
  if (key.ends_with("_ms")) key.resize(key.size() - 3);
  return key;
}

/// Settings as a list, each with its source.
class SettingList {
 public:
  SettingList(const std::string& group, const std::string& path, const PlanSource& source)
      : group_(group), path_(path), source_(source) {}

  /// `given`: it is not just the default. `path`: whose setting it is; the group's own is "".
  void add(const char* key, Json value, bool given, const std::string& path, const char* of) {
    Json from = "default";
    if (source_) {
      if (const auto at = source_(group_, path, file_key(of))) from = *at;
    } else if (given) {
      from = nullptr;
    }
    put(key, std::move(value), std::move(from));
  }
  void add(const char* key, Json value, bool given) {
    add(key, std::move(value), given, path_, key);
  }
  void put(const char* key, Json value, Json from) {
    list_.push_back({{"key", key}, {"value", std::move(value)}, {"from", std::move(from)}});
  }
  Json take() { return std::move(list_); }

 private:
  const std::string& group_;
  const std::string& path_;
  const PlanSource& source_;
  Json list_ = Json::array();
};

Json or_null(const std::optional<int64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json paths_of(const Plan& plan, const ConsumerList& list) {
  Json paths = Json::array();
  if (list.everyone) paths.push_back("*");
  for (const uint32_t consumer : list.consumers) paths.push_back(plan.consumers[consumer].path);
  return paths;
}

void add_owned(SettingList& list, const PlanSums& sums, uint32_t at, const char* key, int64_t value,
               bool named) {
  if (!named && sums.parent[at]) return list.put(key, value, "its children");
  list.add(key, value, named);
}

void add_lending(SettingList& list, const Plan& plan, const PlanConsumer& consumer) {
  list.add("lend_limit", consumer.lend_limit.value_or(0), consumer.lend_limit.has_value());
  const Json everyone = Json::array({"*"});
  list.add("lend_to", consumer.lend_to ? paths_of(plan, *consumer.lend_to) : everyone,
           consumer.lend_to.has_value());
  // Absent: none without borrow_from, unlimited with it.
  const bool unlimited = !consumer.borrow_limit && consumer.borrow_from;
  list.add("borrow_limit", unlimited ? Json(nullptr) : Json(consumer.borrow_limit.value_or(0)),
           consumer.borrow_limit.has_value());
  const Json nobody = Json::array();
  const Json any = consumer.borrow_limit.value_or(0) > 0 ? everyone : nobody;
  list.add("borrow_from", consumer.borrow_from ? paths_of(plan, *consumer.borrow_from) : any,
           consumer.borrow_from.has_value());
}

void add_policy(SettingList& list, const Plan& plan, uint32_t at) {
  uint32_t branch = at;
  while (plan.consumers[branch].parent != kNoIndex) branch = plan.consumers[branch].parent;
  const bool own = plan.consumers[branch].policy.has_value();
  const std::string whose = own ? plan.consumers[branch].path : "";
  list.add("policy", token(policy_of(plan, at)), true, whose, "policy");
}

}  // namespace

PlanSums::PlanSums(const Plan& plan)
    : parent(plan.consumers.size(), false),
      owned(plan.consumers.size(), 0),
      reserved(plan.consumers.size(), 0) {
  for (size_t c = plan.consumers.size(); c-- > 0;) {  // parents stand before their children
    const PlanConsumer& consumer = plan.consumers[c];
    owned[c] = consumer.owned.value_or(owned[c]);
    reserved[c] = consumer.reserved.value_or(reserved[c]);
    if (consumer.parent == kNoIndex) continue;
    parent[consumer.parent] = true;
    owned[consumer.parent] += owned[c];
    reserved[consumer.parent] += reserved[c];
  }
}

Json consumer_settings(const Plan& plan, const PlanSums& sums, uint32_t at,
                       const PlanSource& source) {
  const PlanConsumer& consumer = plan.consumers[at];
  SettingList list(plan.name, consumer.path, source);
  if (!consumer.cluster.empty()) list.add("cluster", consumer.cluster, true);
  list.add("select", consumer.select, !consumer.select.empty());
  add_policy(list, plan, at);
  if (consumer.rank) {
    list.add("rank", *consumer.rank, true);
  } else {
    list.add("rank", plan.default_rank, plan.default_rank != 0, "", "default_rank");
  }
  add_owned(list, sums, at, "owned", sums.owned[at], consumer.owned.has_value());
  add_owned(list, sums, at, "reserved", sums.reserved[at], consumer.reserved.has_value());
  list.add("limit", or_null(consumer.limit), consumer.limit.has_value());
  add_lending(list, plan, consumer);
  list.add("share_ratio", consumer.share_ratio.value_or(1), consumer.share_ratio.has_value());
  list.add("share_limit", or_null(consumer.share_limit), consumer.share_limit.has_value());
  list.add("reclaim_grace_ms", consumer.reclaim_grace_ms, consumer.reclaim_grace_ms != 0);
  list.add("rebalance", consumer.rebalance, !consumer.rebalance);
  return list.take();
}

Json group_settings(const ResourceGroup& group, const Plan& plan, const PlanSource& source) {
  static const std::string kOfTheGroup;
  static const Plan kPlain;
  SettingList list(group.name, kOfTheGroup, source);
  list.add("policies", group.policies, true);
  list.add("policy", token(plan.policy), true);
  list.add("slots", or_null(plan.slots), plan.slots.has_value());
  list.add("cycle_ms", group.cycle_ms, group.cycle_ms != ResourceGroup{}.cycle_ms);
  list.add("react_ms", group.react_ms, group.react_ms != ResourceGroup{}.react_ms);
  list.add("placement", token(plan.placement), plan.placement != kPlain.placement);
  const auto flag = [&](const char* key, bool Plan::*of) {
    list.add(key, plan.*of, plan.*of != kPlain.*of);
  };
  flag("reclaim_before_borrow", &Plan::reclaim_before_borrow);
  flag("reclaim_shared", &Plan::reclaim_shared);
  list.add("share_enforcement", token(plan.share_enforcement),
           plan.share_enforcement != kPlain.share_enforcement);
  flag("evenly_distribute", &Plan::evenly_distribute);
  flag("disable_reclaim_hybrid_own", &Plan::disable_reclaim_hybrid_own);
  flag("use_ancestor_grace_period", &Plan::use_ancestor_grace_period);
  flag("siblings_only", &Plan::siblings_only);
  list.add("default_rank", plan.default_rank, plan.default_rank != 0);
  flag("net_policy_switch", &Plan::net_policy_switch);
  list.add("min_hold_ms", plan.min_hold_ms, plan.min_hold_ms != 0);
  list.add("max_share_moved", static_cast<double>(plan.max_share_moved_ppm) / 1e6,
           plan.max_share_moved_ppm != kPlain.max_share_moved_ppm);
  list.add("dead_zone", plan.dead_zone_slots, plan.dead_zone_slots != 0);
  list.add("reclaim_backoff_ms", plan.reclaim_backoff_ms, plan.reclaim_backoff_ms != 0);
  return list.take();
}

}  // namespace leasehold
