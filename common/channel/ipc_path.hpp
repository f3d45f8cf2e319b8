// Checks of the path that a channel is to listen at with ipc://PATH. ZeroMQ removes whatever lies
// there before it binds: a person's file, or the socket of a running broker.
#pragma once

#include <string>

#include "common/result.hpp"

namespace leasehold {

/// Refuses (io) a `path` at which something other than a socket lies.
Status check_ipc_path(const std::string& path);

/// The same, and refuses a socket at which a process listens, or may listen for all that can be
/// seen. A stopped process counts as listening: the kernel keeps its connections until it
/// continues. A socket whose process has ended is free. Two processes that check at the same moment
/// may both find it free.
Status check_ipc_free(const std::string& path);

}  // namespace leasehold
