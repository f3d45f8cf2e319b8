// Reads HostExport, SharedResourceExport and MC_RECLAIM_DELAY of LSF's files as drafts. Policies
// are named CLUSTER-1, CLUSTER-2, … in the order of their sections.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "broker/config/draft.hpp"
#include "broker/config/lsf/file.hpp"

namespace leasehold {

/// The exports and parameters in the files of one provider.
struct LsfExports {
  std::vector<PolicyDraft> policies;
  std::vector<ResourceDraft> resources;
  std::optional<int64_t> reclaim_delay_ms;  // MC_RECLAIM_DELAY
  Spot reclaim_delay_spot;
  std::map<std::string, Spot> other_parameters;  // of section Parameters, by name
  std::optional<Spot> timed;                     // a policy that `#if time` limits
};

/// Adds what `sections` hold to `exports`. Sections that are not for us become notes, keys that are
/// not known warnings. `timezone`: what `#if time` is meant in.
void take_lsf_sections(const std::vector<LsfSection>& sections, const std::string& provider,
                       const std::string& timezone, LsfExports& exports, Findings& findings);

}  // namespace leasehold
