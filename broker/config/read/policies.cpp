#include "broker/config/read/policies.hpp"

#include "broker/config/keys/daemon.hpp"
#include "broker/config/lsf/exports.hpp"
#include "broker/config/read/key_reader.hpp"
#include "broker/config/read/security.hpp"
#include "broker/config/windows.hpp"
#include "common/key.hpp"
#include "common/text/joined.hpp"

namespace leasehold {

namespace {

PolicyDraft read_policy(const ConfigTable& table, const std::string& file) {
  PolicyDraft draft;
  KeyReader reader(table, file, draft.written);
  ExportPolicy& policy = draft.policy;
  policy.source = source_of(draft.written.section);
  reader.read(kExportPolicyKeys, policy);
  policy.rule = usual_rule(policy.type);
  reader.read_one(&ExportPolicy::rule, policy);
  policy.rule_by_default = !is_exclusive(policy.type) && !draft.written.has(&ExportPolicy::rule);
  const std::string_view shadow = KeyRef(&ExportPolicy::shadow).name;
  if (!table.text(shadow).empty()) reader.read_one(&ExportPolicy::shadow, policy);
  reader.refuse_later("export_policy");
  return draft;
}

ResourceDraft read_resource(const ConfigTable& table, const std::string& file) {
  ResourceDraft draft;
  KeyReader reader(table, file, draft.written);
  draft.resource.source = source_of(draft.written.section);
  reader.read(kSharedResourceKeys, draft.resource);
  return draft;
}

/// Reads a cluster and the LSF files of this provider.
class ClusterReader {
 public:
  ClusterReader(const ConfigTable& table, const std::string& file, Findings& findings)
      : table_(table), file_(file), findings_(findings) {}

  void read(int64_t reclaim_delay_ms, Drafts& drafts) {
    ClusterDraft draft;
    ClusterFiles files;
    KeyReader reader(table_, file_, written_);
    reader.read(kClusterKeys, draft.cluster, files);
    draft.spot = written_.at(&ClusterConfig::name);
    draft.cluster.source = source_of(written_.section);
    draft.cluster.public_key = joined(read_public_keys(table_), " ");
    LsfExports exports = read_lsf(draft.cluster.name, files);
    draft.cluster.reclaim_delay_ms = exports.reclaim_delay_ms.value_or(reclaim_delay_ms);
    if (exports.reclaim_delay_ms) draft.delay_spot = exports.reclaim_delay_spot;
    take_delay(reader, exports, draft);
    drafts.clusters.push_back(std::move(draft));
    for (auto& policy : exports.policies) drafts.policies.push_back(std::move(policy));
    for (auto& resource : exports.resources) drafts.resources.push_back(std::move(resource));
  }

 private:
  LsfExports read_lsf(const std::string& provider, const ClusterFiles& files) {
    const Status known = check_timezone(files.timezone);
    if (!known) table_.error("timezone", known.error().message);
    LsfExports exports;
    for (const std::string& path : {files.lsb_resources, files.lsb_params}) {
      if (path.empty()) continue;
      const auto sections = read_lsf_file(relative_to(file_, path), findings_);
      take_lsf_sections(sections, provider, files.timezone, exports, findings_);
    }
    if (exports.timed && !written_.has(&ClusterFiles::timezone)) {
      findings_.warn(*exports.timed,
                     "#if time is taken as UTC; LSF means the local time of its "
                     "master: give the cluster a 'timezone'");
    }
    return exports;
  }

  /// Takes the reclaim_delay: the cluster's own beats LSF's, which beats [broker].
  void take_delay(KeyReader& reader, const LsfExports& exports, ClusterDraft& draft) {
    if (!written_.has(&ClusterConfig::reclaim_delay_ms)) return;
    draft.delay_spot = written_.at(&ClusterConfig::reclaim_delay_ms);
    reader.read_one(&ClusterConfig::reclaim_delay_ms, draft.cluster);
    if (!exports.reclaim_delay_ms || *exports.reclaim_delay_ms == draft.cluster.reclaim_delay_ms) {
      return;
    }
    findings_.warn(exports.reclaim_delay_spot,
                   "MC_RECLAIM_DELAY is another than 'reclaim_delay' at " +
                       spot_text(*draft.delay_spot) + ", which is in force; make them agree");
  }

  const ConfigTable& table_;
  const std::string& file_;
  Findings& findings_;
  Written written_;
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
