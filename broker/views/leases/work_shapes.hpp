// A cluster's work as JSON: waiting work by shape, and when running work is expected to end
// (schema/wire/PROTOCOL.md, "What work looks like"). For the views only.
#pragma once

#include <nlohmann/json.hpp>

#include "broker/core/model/cluster.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Returns `pending`, `demand` and `ending`; each is null where it is not known.
Json work_json(const Cluster& cluster);

}  // namespace leasehold
