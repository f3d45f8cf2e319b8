#include "broker/config/read/policies.hpp"

#include "broker/config/lsf/exports.hpp"
#include "broker/config/read/security.hpp"
#include "broker/config/read/window.hpp"
#include "broker/config/windows.hpp"
#include "common/key.hpp"

namespace leasehold {

namespace {

constexpr int64_t kDayMs = 86'400'000;
constexpr int64_t kMbMax = 1'000'000'000'000;

/// Reads one section of TOML, noting where each field stands.
class SectionReader {
 public:
  SectionReader(const ConfigTable& table, const std::string& file, Written& written)
      : table_(table), file_(file), written_(written) {
    written_.section = {file, table.place()};
  }

  bool has(Field field) {
    const std::string key = field_name(field, Dialect::toml);
    if (!table_.has(key)) return false;
    written_.set(field, {file_, table_.place(key)});
    return true;
  }

  std::string text(Field field) {
    has(field);
    return table_.text(field_name(field, Dialect::toml));
  }

  std::string required(Field field, std::string_view wanted) {
    has(field);
    return table_.required_text(field_name(field, Dialect::toml), wanted);
  }

  /// Below 1 is told by the checks, in the words that both kinds of file share.
  int32_t count(Field field, int32_t fallback) {
    has(field);
    return static_cast<int32_t>(
        table_.integer(field_name(field, Dialect::toml), fallback, {INT32_MIN, 1'000'000'000}));
  }

  int64_t size(Field field, int64_t min) {
    has(field);
    return table_.integer(field_name(field, Dialect::toml), 0, {min, kMbMax});
  }

  std::vector<Share> distribution() {
    std::vector<Share> shares;
    const std::string key = field_name(Field::distribution, Dialect::toml);
    if (!has(Field::distribution)) return shares;
    written_.shares_broken = table_.kind(key) != ConfigKind::list;
    for (const ConfigTable& entry : table_.tables(key)) {
      Share share;
      share.cluster = entry.required_text("cluster", "the name of a consumer");
      share.shares = entry.integer("shares", 1);
      written_.shares.push_back({file_, entry.place()});
      shares.push_back(std::move(share));
    }
    return shares;
  }

 private:
  const ConfigTable& table_;
  const std::string& file_;
  Written& written_;
};

void read_choice(const ConfigTable& table, const std::string& file, SectionReader& reader,
                 PolicyDraft& draft) {
  ExportPolicy& policy = draft.policy;
  if (reader.has(Field::hosts)) {
    for (auto& host : table.placed_texts("hosts")) {
      policy.hosts.push_back(std::move(host.value));
      draft.written.hosts.push_back({file, host.place});
    }
  }
  policy.slots_per_host = reader.count(Field::slots_per_host, 0);
  policy.select = reader.text(Field::select);
  policy.nhosts = reader.count(Field::nhosts, 0);
  reader.has(Field::reselect);
  policy.reselect = table.flag("reselect", false);
  reader.has(Field::by_host);
  policy.by_host = table.flag("by_host", false);
}

void read_rule(const ConfigTable& table, SectionReader& reader, ExportPolicy& policy) {
  reader.has(Field::type);
  policy.type = table.choice("type", LeaseType::exclusive);
  reader.has(Field::rule);
  const RuleKind usual =
      policy.type == LeaseType::shared ? RuleKind::idle_comparison : RuleKind::exclusive;
  policy.rule = table.choice("rule", usual);
}

void read_policy_windows(const ConfigTable& table, const std::string& file, SectionReader& reader,
                         PolicyDraft& draft) {
  reader.has(Field::window);
  for (const ConfigTable& entry : table.tables("window")) {
    const std::optional<WeekWindow> window = read_window(entry);
    if (!window) continue;
    draft.policy.windows.push_back(*window);
    draft.written.windows.push_back({file, entry.place()});
  }
  reader.has(Field::timezone);
  draft.policy.timezone = table.text("timezone", "UTC");
}

/// Later parts of a policy: known, so that they are not called unknown, and refused.
void refuse_anti_flap(const ConfigTable& table) {
  for (const char* key : {"min_hold", "max_share_moved", "dead_zone", "reclaim_backoff"}) {
    if (!table.has(key)) continue;
    table.error(key,
                "'" + std::string(key) + "' is not supported by this version yet; leave it out");
  }
}

PolicyDraft read_policy(const ConfigTable& table, const std::string& file) {
  PolicyDraft draft;
  SectionReader reader(table, file, draft.written);
  ExportPolicy& policy = draft.policy;
  policy.source = source_of(draft.written.section);
  policy.name = reader.required(Field::name, "the name of the policy");
  policy.provider = reader.required(Field::provider, "the cluster that exports");
  read_choice(table, file, reader, draft);
  policy.distribution = reader.distribution();
  read_rule(table, reader, policy);
  policy.initial_slots = reader.count(Field::initial_slots, 1);
  policy.reclaim_grace_ms = table.duration_ms("reclaim_grace", 0, {0, 365 * kDayMs});
  policy.mem_mb = reader.size(Field::mem, 0);
  policy.swap_mb = reader.size(Field::swap, 0);
  read_policy_windows(table, file, reader, draft);
  refuse_anti_flap(table);
  return draft;
}

ResourceDraft read_resource(const ConfigTable& table, const std::string& file) {
  ResourceDraft draft;
  SectionReader reader(table, file, draft.written);
  draft.resource.source = source_of(draft.written.section);
  draft.resource.name = reader.text(Field::name);
  draft.resource.provider = reader.required(Field::provider, "the cluster that exports");
  draft.resource.instances = reader.size(Field::instances, INT64_MIN);
  draft.resource.distribution = reader.distribution();
  return draft;
}

/// A cluster, and what the LSF files of this provider say.
class ClusterReader {
 public:
  ClusterReader(const ConfigTable& table, const std::string& file, Findings& findings)
      : table_(table), file_(file), findings_(findings) {}

  void read(int64_t reclaim_delay_ms, Drafts& drafts) {
    ClusterDraft draft;
    draft.spot = {file_, table_.place("name")};
    draft.cluster.source = source_of({file_, table_.place()});
    draft.cluster.name = table_.required_text("name", "the name of the cluster");
    draft.cluster.public_key = join_keys(read_public_keys(table_));
    LsfExports exports = read_lsf(draft.cluster.name);
    draft.cluster.reclaim_delay_ms = delay(exports, reclaim_delay_ms);
    drafts.clusters.push_back(std::move(draft));
    for (auto& policy : exports.policies) drafts.policies.push_back(std::move(policy));
    for (auto& resource : exports.resources) drafts.resources.push_back(std::move(resource));
  }

 private:
  LsfExports read_lsf(const std::string& provider) {
    const std::string zone = table_.text("timezone", "UTC");
    const Status known = check_timezone(zone);
    if (!known) table_.error("timezone", known.error().message);
    LsfExports exports;
    for (const char* key : {"lsb_resources", "lsb_params"}) {
      const std::string path = table_.text(key);
      if (path.empty()) continue;
      const auto sections = read_lsf_file(relative_to(file_, path), findings_);
      take_lsf_sections(sections, provider, zone, exports, findings_);
    }
    if (exports.timed && !table_.has("timezone")) {
      findings_.warn(*exports.timed,
                     "#if time is taken as UTC; LSF means the local time of its "
                     "master: give the cluster a 'timezone'");
    }
    return exports;
  }

  int64_t delay(const LsfExports& exports, int64_t reclaim_delay_ms) {
    const int64_t usual = exports.reclaim_delay_ms.value_or(reclaim_delay_ms);
    if (!table_.has("reclaim_delay")) return usual;
    const int64_t own = table_.duration_ms("reclaim_delay", usual, {1, 365 * kDayMs});
    if (exports.reclaim_delay_ms && own != usual) {
      findings_.warn(exports.reclaim_delay_spot,
                     "MC_RECLAIM_DELAY is another than 'reclaim_delay' at " +
                         spot_text({file_, table_.place("reclaim_delay")}) +
                         ", which is in force; make them agree");
    }
    return own;
  }

  const ConfigTable& table_;
  const std::string& file_;
  Findings& findings_;
};

}  // namespace

void read_policies(const ConfigTable& root, const std::string& file, int64_t reclaim_delay_ms,
                   Drafts& drafts, Findings& findings) {
  for (const ConfigTable& table : root.tables("cluster")) {
    ClusterReader(table, file, findings).read(reclaim_delay_ms, drafts);
  }
  for (const ConfigTable& table : root.tables("export_policy")) {
    drafts.policies.push_back(read_policy(table, file));
  }
  for (const ConfigTable& table : root.tables("shared_resource")) {
    drafts.resources.push_back(read_resource(table, file));
  }
}

}  // namespace leasehold
