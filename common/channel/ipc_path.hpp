// What lies where a channel is to listen at ipc://PATH. ZeroMQ removes it before it binds, whatever
// it is: a file of somebody's, or the socket of a broker that is running.
#pragma once

#include <string>

#include "common/result.hpp"

namespace leasehold {

/// Refused (io) where something else than a socket lies at `path`.
Status check_ipc_path(const std::string& path);

/// The same, and refused where a process listens at that socket, or where that cannot be told. A
/// process that is stopped listens: the kernel keeps who connects to it until it goes on. A socket
/// whose process has ended is free to be taken. Two processes that ask at the same moment may both
/// find it free.
Status check_ipc_free(const std::string& path);

}  // namespace leasehold
