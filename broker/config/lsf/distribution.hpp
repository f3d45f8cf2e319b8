// Reads DISTRIBUTION of LSF's export sections: ([cluster, shares] [cluster, shares] …).
#pragma once

#include <vector>

#include "broker/config/draft.hpp"
#include "broker/config/lsf/file.hpp"

namespace leasehold {

/// Adds to `shares` and, place by place, to `written`. The outer parentheses may be left out, as in
/// LSF's own samples; what cannot be read is an error at its column.
void take_lsf_distribution(const LsfEntry& entry, Shares& shares, Written& written,
                           Findings& findings);

}  // namespace leasehold
