// Orders that take time or need a confirmation: waiting for a drain or a closed host, and showing
// what forgetting a cluster would do. For change.cpp.
#pragma once

#include <optional>

#include "broker/ctl/invocation.hpp"

namespace leasehold::ctl {

void print_done(const Json& done, bool json);

/// After a drain or close was accepted, prints how many slots are left whenever that changes, until
/// none is; of a drained provider also until its agent has stated that it has them back, or is not
/// connected. Returns the exit code; 1: the order was taken back meanwhile.
int wait_until_empty(Invocation& invocation, Json done);

/// Shows which slots the cluster was last seen to use, and asks. Returns nullopt to go on, else the
/// exit code.
std::optional<int> may_forget(Invocation& invocation);

}  // namespace leasehold::ctl
