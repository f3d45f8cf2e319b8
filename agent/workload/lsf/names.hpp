// Which hosts of LSF are other clusters' by their names, before a broker has said which are leased.
#pragma once

#include <string>

#include "agent/core/limits/host_names.hpp"

namespace leasehold::agent {

/// The map or the rule of [hosts] could have given this name. A rule that is {host} and no more
/// says nothing.
bool is_imported_name(const HostNames& names, const std::string& local);

}  // namespace leasehold::agent
