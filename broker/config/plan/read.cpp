#include "broker/config/plan/read.hpp"

#include "broker/config/read/window.hpp"

namespace leasehold {

namespace {

constexpr int64_t kDayMs = 86'400'000;
constexpr int64_t kYearMs = 365 * kDayMs;
constexpr int64_t kWrong = -1;

constexpr std::array<const char*, kPlanNumberCount> kKeys{
    "rank",         "owned",       "reserved",    "limit",        "lend_limit",
    "borrow_limit", "share_ratio", "share_limit", "reclaim_grace"};

std::optional<std::vector<Placed<std::string>>> read_paths(const ConfigTable& table,
                                                           const char* key) {
  if (table.kind(key) != ConfigKind::list) {
    if (table.has(key)) table.texts(key);  // tells what is wrong
    return std::nullopt;
  }
  auto paths = table.placed_texts(key);
  if (!paths.empty()) return paths;
  table.warn(key, "'" + std::string(key) + "' names nobody, which is as if it were left out");
  return std::nullopt;
}

std::optional<PlanPolicy> read_policy(const ConfigTable& table) {
  if (!table.has("policy")) return std::nullopt;
  return table.choice("policy", PlanPolicy::ownership);
}

PlanSettings read_settings(const ConfigTable& table) {
  PlanSettings settings;
  for (size_t i = 0; i < kPlanNumberCount; ++i) {
    if (!table.has(kKeys[i])) continue;
    settings.places[i] = table.place(kKeys[i]);
    const int64_t value = i == static_cast<size_t>(PlanNumber::reclaim_grace)
                              ? table.duration_ms(kKeys[i], kWrong, {0, kYearMs})
                              : table.integer(kKeys[i], kWrong, {0, kMostSlots});
    if (value != kWrong) settings.numbers[i] = value;  // else told: nothing follows from it
  }
  settings.policy = read_policy(table);
  if (settings.policy) settings.policy_place = table.place("policy");
  settings.lend_to = read_paths(table, "lend_to");
  settings.borrow_from = read_paths(table, "borrow_from");
  return settings;
}

void read_windows(const ConfigTable& table, std::vector<PlanWindowDraft>& windows) {
  for (const ConfigTable& entry : table.tables("window")) {
    PlanWindowDraft window;
    window.place = entry.place();
    window.settings = read_settings(entry);
    const std::optional<WeekWindow> when = read_window(entry);
    if (!when) continue;
    window.when = *when;
    windows.push_back(std::move(window));
  }
}

/// The place of a key that is written; else {0, 0}: the section's stands for it.
Place written_place(const ConfigTable& table, const char* key) {
  return table.has(key) ? table.place(key) : Place{};
}

PlanConsumerDraft read_consumer(const ConfigTable& table, const std::string& file) {
  PlanConsumerDraft draft;
  draft.file = file;
  draft.section = table.place();
  draft.path_place = written_place(table, "path");
  draft.group_place = written_place(table, "group");
  draft.cluster_place = written_place(table, "cluster");
  draft.select_place = written_place(table, "select");
  draft.queues_place = written_place(table, "queues");
  draft.path = table.required_text("path", "where it stands in the tree, as in \"/research/a\"");
  draft.group = table.text("group");
  draft.cluster = table.text("cluster");
  draft.queues = table.texts("queues");
  draft.select = table.text("select");
  draft.rebalance = table.flag("rebalance", true);
  draft.settings = read_settings(table);
  read_windows(table, draft.windows);
  return draft;
}

void read_switches(const ConfigTable& table, PlanGroupDraft& draft) {
  draft.reclaim_before_borrow = table.flag("reclaim_before_borrow", false);
  draft.reclaim_shared = table.flag("reclaim_shared", true);
  draft.share_enforcement_place = written_place(table, "share_enforcement");
  draft.share_enforcement = table.choice("share_enforcement", ShareEnforcement::leaf);
  draft.evenly_distribute_place = written_place(table, "evenly_distribute");
  draft.evenly_distribute = table.flag("evenly_distribute", false);
  draft.disable_reclaim_hybrid_own = table.flag("disable_reclaim_hybrid_own", false);
  draft.use_ancestor_grace_period = table.flag("use_ancestor_grace_period", false);
  draft.siblings_only = table.flag("siblings_only", false);
  draft.net_policy_switch = table.flag("net_policy_switch", true);
  const auto note = [&](const char* key, bool is_switched) {
    if (is_switched) draft.switched.push_back({key, table.place(key)});
  };
  note("reclaim_before_borrow", draft.reclaim_before_borrow);
  note("reclaim_shared", !draft.reclaim_shared);
  note("share_enforcement", draft.share_enforcement != ShareEnforcement::leaf);
  note("evenly_distribute", draft.evenly_distribute);
  note("disable_reclaim_hybrid_own", draft.disable_reclaim_hybrid_own);
  note("siblings_only", draft.siblings_only);
}

void read_anti_flap(const ConfigTable& table, PlanGroupDraft& draft) {
  draft.min_hold_ms = table.duration_ms("min_hold", 0, {0, kYearMs});
  const int64_t share_milli = table.milli("max_share_moved", 1000);
  if (share_milli < 1 || share_milli > 1000) {
    table.error("max_share_moved", "'max_share_moved' must be a part from 0.001 to 1.0");
  }
  draft.max_share_moved_ppm = share_milli * 1000;
  draft.dead_zone_slots = table.integer("dead_zone", 0, {0, kMostSlots});
  draft.reclaim_backoff_ms = table.duration_ms("reclaim_backoff", 0, {0, kYearMs});
}

PlanGroupDraft read_group(const ConfigTable& table, const std::string& file) {
  PlanGroupDraft draft;
  draft.file = file;
  draft.section = table.place();
  draft.name_place = written_place(table, "name");
  draft.policy_place = written_place(table, "policy");
  draft.slots_place = written_place(table, "slots");
  draft.timezone_place = written_place(table, "timezone");
  draft.name = table.required_text("name", "the name of the resource group");
  draft.policies = table.placed_texts("policies");
  if (const auto policy = read_policy(table)) {
    draft.policy = *policy;
  } else {
    table.error("policy", "missing key 'policy': write ownership, share-ratio or hybrid");
  }
  if (table.has("slots")) draft.slots = table.integer("slots", 1, {1, kMostSlots});
  draft.cycle_ms = table.duration_ms("cycle", draft.cycle_ms, {100, kDayMs});
  draft.react_ms = table.duration_ms("react", draft.react_ms, {100, kDayMs});
  draft.placement = table.choice("placement", Placement::stacked);
  read_switches(table, draft);
  draft.default_rank = table.integer("default_rank", 0, {0, kMostSlots});
  draft.timezone = table.text("timezone", "UTC");
  read_anti_flap(table, draft);
  return draft;
}

}  // namespace

const char* key_of(PlanNumber number) {
  return kKeys[static_cast<size_t>(number)];
}

void read_plan(const ConfigTable& root, const std::string& file, PlanDraft& draft) {
  for (const ConfigTable& table : root.tables("resource_group")) {
    draft.groups.push_back(read_group(table, file));
  }
  for (const ConfigTable& table : root.tables("consumer")) {
    draft.consumers.push_back(read_consumer(table, file));
  }
}

}  // namespace leasehold
