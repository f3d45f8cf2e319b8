#include <algorithm>
#include <map>

#include "broker/config/check/check.hpp"

namespace leasehold {

namespace {

constexpr size_t kNameMax = 100;

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

/// Tells of bad names and of names that stand twice.
class NameCheck {
 public:
  NameCheck(const char* what, Findings& findings) : what_(what), findings_(findings) {}

  void take(const std::string& name, const Spot& spot, const std::string& scope = "") {
    if (name.empty()) return;  // the reader reported it
    const std::string fault = name_fault(name);
    if (!fault.empty()) {
      findings_.error(spot, std::string(what_) + " " + in_quotes(name) + ": " + fault);
    }
    const auto [entry, is_new] = seen_.try_emplace({scope, name}, spot);
    if (is_new) return;
    findings_.error(spot, std::string(what_) + " " + in_quotes(name) + " is defined at " +
                              spot_text(entry->second) + " already; names must be unique");
  }

 private:
  const char* what_;
  Findings& findings_;
  std::map<std::pair<std::string, std::string>, Spot> seen_;
};

}  // namespace

std::string name_fault(std::string_view name) {
  if (name.size() > kNameMax) {
    return "names have at most " + std::to_string(kNameMax) + " characters";
  }
  if (std::all_of(name.begin(), name.end(), is_name_char)) return "";
  return "a name consists of letters, digits, '.', '_' and '-' (':', '@' and '/' separate names)";
}

void check_names(const Drafts& drafts, Findings& findings) {
  NameCheck clusters("cluster", findings);
  for (const ClusterDraft& draft : drafts.clusters) clusters.take(draft.cluster.name, draft.spot);
  NameCheck policies("export policy", findings);
  for (const PolicyDraft& draft : drafts.policies) {
    policies.take(draft.policy.name, draft.written.at(&ExportPolicy::name));
  }
  NameCheck resources("shared resource", findings);
  for (const ResourceDraft& draft : drafts.resources) {
    resources.take(draft.resource.name, draft.written.at(&SharedResource::name),
                   draft.resource.provider);
  }
}

void check_drafts(Drafts& drafts, Findings& findings) {
  check_names(drafts, findings);
  check_distributions(drafts, findings);
  check_policies(drafts, findings);
  check_shared_hosts(drafts, findings);
}

}  // namespace leasehold
