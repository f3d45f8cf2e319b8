// Orders that take time or somebody's word: waiting for what a drain or a closed host has left, and
// what forgetting a cluster would do. For change.cpp.
#pragma once

#include <optional>

#include "broker/ctl/invocation.hpp"

namespace leasehold::ctl {

/// What was done, in a line or as JSON.
void print_done(const Json& done, bool json);

/// After a drain or close was accepted: tells how many slots are left, whenever that changes, until
/// none is. The exit code; 1: the order was taken back meanwhile.
int wait_until_empty(Invocation& invocation, Json done);

/// Shows which slots the cluster was last seen to use. nullopt: forget it; else the exit code.
std::optional<int> may_forget(Invocation& invocation);

}  // namespace leasehold::ctl
