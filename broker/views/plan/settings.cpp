#include "broker/views/plan/settings.hpp"

#include "broker/config/keys/plan.hpp"
#include "broker/views/plan/lookup.hpp"
#include "broker/views/settings/setting_json.hpp"

namespace leasehold {

namespace {

/// A list of settings, each with its source.
class SettingList {
 public:
  SettingList(const std::string& group, const std::string& path, const PlanSource& source)
      : group_(group), path_(path), source_(source) {}

  /// If `given`, the value was set, and is not just the default.
  void add(const KeyRow& row, Json value, bool given) { add(row, std::move(value), given, path_); }
  /// Adds a setting that may belong to another consumer: `path` is the consumer's that has it; the
  /// group's own is "".
  void add(const KeyRow& row, Json value, bool given, const std::string& path,
           std::optional<KeyRef> of = std::nullopt) {
    Json from = "default";
    if (source_) {
      if (const auto at = source_(group_, path, of.value_or(row).name)) from = *at;
    } else if (given) {
      from = nullptr;
    }
    put(row, std::move(value), std::move(from));
  }
  void put(const KeyRow& row, Json value, Json from) {
    list_.push_back(
        {{"key", setting_name(row)}, {"value", std::move(value)}, {"from", std::move(from)}});
  }
  Json take() { return std::move(list_); }

 private:
  const std::string& group_;
  const std::string& path_;
  const PlanSource& source_;
  Json list_ = Json::array();
};

Json paths_of(const Plan& plan, const ConsumerList& list) {
  Json paths = Json::array();
  if (list.everyone) paths.push_back("*");
  for (const uint32_t consumer : list.consumers) paths.push_back(plan.consumers[consumer].path);
  return paths;
}

/// The value in force of each setting of one consumer, including those that it does not set itself.
class ConsumerSettings {
 public:
  ConsumerSettings(const Plan& plan, const PlanSums& sums, uint32_t at, SettingList& list)
      : plan_(plan), consumer_(plan.consumers[at]), sums_(sums), at_(at), list_(list) {}

  void add(const auto& row) { add(row, consumer_.*row.member); }

 private:
  void add(const auto& row, const std::string& value) {
    if (value.empty() && row.is(&PlanConsumer::cluster)) return;
    list_.add(row, value, !value.empty());
  }

  void add(const auto& row, const std::optional<PlanPolicy>&) {
    uint32_t branch = at_;
    while (plan_.consumers[branch].parent != kNoIndex) branch = plan_.consumers[branch].parent;
    const bool own = plan_.consumers[branch].policy.has_value();
    list_.add(row, token(policy_of(plan_, at_)), true, own ? plan_.consumers[branch].path : "");
  }

  void add(const auto& row, const std::optional<int64_t>& value) {
    if (row.is(&PlanConsumer::owned)) return add_sum(row, sums_.owned[at_], value.has_value());
    if (row.is(&PlanConsumer::reserved)) {
      return add_sum(row, sums_.reserved[at_], value.has_value());
    }
    if (row.is(&PlanConsumer::rank) && !value) {
      return list_.add(row, plan_.default_rank, plan_.default_rank != 0, "",
                       KeyRef(&Plan::default_rank));
    }
    // An absent limit means none without borrow_from, and unlimited with it.
    const bool unlimited = row.is(&PlanConsumer::borrow_limit) && consumer_.borrow_from;
    list_.add(row, setting_json(value || unlimited ? value : row.notes.absent), value.has_value());
  }

  void add_sum(const KeyRow& row, int64_t value, bool named) {
    if (!named && sums_.parent[at_]) return list_.put(row, value, "its children");
    list_.add(row, value, named);
  }

  void add(const auto& row, const std::optional<ConsumerList>& value) {
    const bool any = row.is(&PlanConsumer::lend_to) || consumer_.borrow_limit.value_or(0) > 0;
    const Json absent = any ? Json::array({"*"}) : Json::array();
    list_.add(row, value ? paths_of(plan_, *value) : absent, value.has_value());
  }

  template <class Value>
  void add(const auto& row, const Value& value) {
    list_.add(row, setting_json(row, consumer_), value != PlanConsumer{}.*row.member);
  }

  const Plan& plan_;
  const PlanConsumer& consumer_;
  const PlanSums& sums_;
  uint32_t at_;
  SettingList& list_;
};

}  // namespace

PlanSums::PlanSums(const Plan& plan)
    : parent(plan.consumers.size(), false),
      owned(plan.consumers.size(), 0),
      reserved(plan.consumers.size(), 0) {
  for (size_t c = plan.consumers.size(); c-- > 0;) {  // parents come before their children
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
  SettingList list(plan.name, plan.consumers[at].path, source);
  ConsumerSettings settings(plan, sums, at, list);
  for_each_key(kConsumerKeys, [&](const auto& row) {
    if constexpr (is_of<std::remove_cvref_t<decltype(row)>, PlanConsumer>) {
      if (row.notes.listed) settings.add(row);
    }
  });
  return list.take();
}

Json group_settings(const ResourceGroup& group, const Plan& plan, const PlanSource& source) {
  static const std::string kOfTheGroup;
  static const ResourceGroup kPlainGroup;
  static const Plan kPlain;
  SettingList list(group.name, kOfTheGroup, source);
  for_each_key(kResourceGroupKeys, [&](const auto& row) {
    if (!row.notes.listed) return;
    const auto& owner = part_of<typename std::remove_cvref_t<decltype(row)>::Of>(group, plan);
    const auto& plain =
        part_of<typename std::remove_cvref_t<decltype(row)>::Of>(kPlainGroup, kPlain);
    const bool given = !row.notes.wanted.empty() || owner.*row.member != plain.*row.member;
    list.add(row, setting_json(row, owner), given);
  });
  return list.take();
}

}  // namespace leasehold
