// Writes drafts as TOML text, as an operator would; read again, it gives the same values.
#pragma once

#include <string>

#include "broker/core/model/config.hpp"

namespace leasehold {

/// Returns a basic string with its quotes; everything is escaped that must be.
std::string toml_quoted(std::string_view text);
std::string toml_cluster(const ClusterConfig& cluster, bool with_delay);
/// Returns the policy's table, with only those keys that are not at their default.
std::string toml_policy(const ExportPolicy& policy);
std::string toml_resource(const SharedResource& resource);

}  // namespace leasehold
