// The tokens of an export policy's kind and rule, as configuration, JSON and database write them.
#pragma once

#include "broker/core/config.hpp"

namespace leasehold {

const char* token(LeaseType type);
const char* token(RuleKind rule);

}  // namespace leasehold
