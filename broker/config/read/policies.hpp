// Reads [[cluster]] with the LSF files it names, [[export_policy]] and [[shared_resource]] of the
// broker's TOML, as drafts. Mistakes of TOML go to the file's own errors, those of LSF files to
// `findings`.
#pragma once

#include "broker/config/draft.hpp"
#include "common/config/file.hpp"

namespace leasehold {

/// Policies of LSF files stand first, in the order of their clusters.
void read_policies(const ConfigTable& root, const std::string& file, int64_t reclaim_delay_ms,
                   Drafts& drafts, Findings& findings);

}  // namespace leasehold
