#include "broker/config/lsf/import.hpp"

#include <algorithm>
#include <filesystem>

#include "broker/config/check/check.hpp"
#include "broker/config/load.hpp"
#include "broker/config/lsf/exports.hpp"
#include "broker/config/toml_text.hpp"
#include "broker/config/windows.hpp"

namespace leasehold {

namespace {

/// Returns the CLUSTER of …/CLUSTER/configdir/FILE, or "" if the path has another shape.
std::string provider_of(const std::string& file) {
  const auto folder = std::filesystem::path(file).parent_path();
  return folder.filename() == "configdir" ? folder.parent_path().filename().string() : "";
}

std::string provider_for(const std::vector<std::string>& files, const ImportOptions& options,
                         Findings& findings) {
  if (!options.provider.empty()) return options.provider;
  std::string provider;
  for (const std::string& file : files) {
    const std::string named = provider_of(file);
    if (!named.empty() && !provider.empty() && named != provider) {
      findings.error({file, {}}, "is of cluster " + in_quotes(named) + ", another file of " +
                                     in_quotes(provider) + "; import one provider at a time");
    }
    if (!named.empty()) provider = named;
  }
  if (provider.empty() && !files.empty()) {
    findings.error({files.front(), {}},
                   "which cluster is this? Give the provider's name, or a path as "
                   "…/CLUSTER/configdir/lsb.resources");
  }
  return provider;
}

void add_cluster(Drafts& drafts, const std::string& name, const Spot& spot) {
  for (const ClusterDraft& known : drafts.clusters) {
    if (known.cluster.name == name) return;
  }
  ClusterDraft draft;
  draft.cluster.name = name;
  draft.spot = spot;
  drafts.clusters.push_back(std::move(draft));
}

/// Adds the provider, then every consumer in the order of mention: LSF names them in lsf.shared.
void add_clusters(Drafts& drafts, const std::string& provider, const Spot& spot) {
  add_cluster(drafts, provider, spot);
  const auto add_shares = [&](const Shares& shares, const Written& written) {
    for (size_t i = 0; i < shares.size(); ++i) {
      add_cluster(drafts, shares[i].cluster, written.element(&ExportPolicy::distribution, i));
    }
  };
  for (const auto& draft : drafts.policies) add_shares(draft.policy.distribution, draft.written);
  for (const auto& draft : drafts.resources) add_shares(draft.resource.distribution, draft.written);
}

/// Makes a comment; bytes that might be no UTF-8 must not make the whole TOML unreadable: '?'
/// stands for each.
std::string comment_of(const Spot& spot) {
  std::string text = spot_text(spot);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return "\n# " + text + "\n";
}

std::string toml_of(const Drafts& drafts, bool with_delay) {
  std::string text;
  for (const ClusterDraft& draft : drafts.clusters) {
    const bool is_provider = &draft == &drafts.clusters.front();
    text += (text.empty() ? "" : "\n") + toml_cluster(draft.cluster, is_provider && with_delay);
  }
  for (const PolicyDraft& draft : drafts.policies) {
    text += comment_of(draft.written.section) + toml_policy(draft.policy);
  }
  for (const ResourceDraft& draft : drafts.resources) {
    text += comment_of(draft.written.section) + toml_resource(draft.resource);
  }
  return text;
}

std::vector<std::string> report_of(const LsfExports& exports, const ImportOptions& options,
                                   const Findings& findings) {
  std::vector<Error> rows = findings.notes;
  rows.insert(rows.end(), findings.warnings.begin(), findings.warnings.end());
  Findings more;
  for (const auto& [name, spot] : exports.other_parameters) {
    more.note(spot, "parameter " + name + " has no counterpart and is left out");
  }
  if (exports.timed) {
    more.note(*exports.timed, "#if time is taken as " + options.timezone +
                                  "; LSF means the local time of its master");
  }
  rows.insert(rows.end(), more.notes.begin(), more.notes.end());
  std::stable_sort(rows.begin(), rows.end(), [](const Error& a, const Error& b) {
    return std::pair(a.file, a.line) < std::pair(b.file, b.line);
  });
  std::vector<std::string> report;
  for (Error& row : rows) {
    row.column = 0;
    report.push_back(describe(row));
  }
  return report;
}

/// Comments of the TOML name files: a line break in a path must not end the comment.
bool printable(const std::string& path) {
  return std::all_of(path.begin(), path.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

}  // namespace

Imported import_lsf(const std::vector<std::string>& files, const ImportOptions& options) {
  Findings findings;
  LsfExports exports;
  Drafts drafts;
  if (files.empty()) findings.error({}, "name lsb.resources and/or lsb.params of one provider");
  const std::string provider = provider_for(files, options, findings);
  const Status zone = check_timezone(options.timezone);
  if (!zone) findings.error({}, zone.error().message);
  std::vector<LsfSection> sections;
  for (const std::string& file : files) {
    if (!printable(file)) findings.error({file, {}}, "has control characters in its name");
    auto read = read_lsf_file(file, findings, Pipes::allowed);
    sections.insert(sections.end(), std::make_move_iterator(read.begin()),
                    std::make_move_iterator(read.end()));
  }
  take_lsf_sections(sections, provider, options.timezone, exports, findings);
  drafts.policies = exports.policies;
  drafts.resources = exports.resources;
  if (!provider.empty() && !files.empty()) add_clusters(drafts, provider, {files.front(), {}});
  check_drafts(drafts, findings);
  if (!findings.errors.empty()) return {"", {}, std::move(findings.errors)};
  if (exports.reclaim_delay_ms) {
    drafts.clusters.front().cluster.reclaim_delay_ms = *exports.reclaim_delay_ms;
  }
  Imported imported{toml_of(drafts, exports.reclaim_delay_ms.has_value()),
                    report_of(exports, options, findings),
                    {}};
  imported.errors = parse_broker_config(imported.toml, "imported.toml").errors;
  if (!imported.errors.empty()) imported.toml.clear();
  return imported;
}

}  // namespace leasehold
