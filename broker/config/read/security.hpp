// Reads who may connect from a configuration: [security], [[operator]], public keys of clusters.
#pragma once

#include <string>
#include <vector>

#include "broker/config/daemon.hpp"
#include "broker/config/draft.hpp"
#include "common/config/file.hpp"

namespace leasehold {

/// Reads `public_key = "…"`, or a list of them while a key is exchanged for another. Reports
/// mistakes.
std::vector<std::string> read_public_keys(const ConfigTable& table);

/// Reads [security] and the operators. True: every TCP listener speaks CURVE.
bool read_security(const ConfigTable& root, const std::string& file, DaemonConfig& daemon);

/// Every TCP listener speaks CURVE where there is [security]; ipc is guarded by the file system.
bool speaks_curve(const DaemonConfig& daemon, const std::string& endpoint);

/// Checks that each key has one owner: a cluster can speak only for itself. It warns of keys that
/// nobody asks for, and of missing keys.
void check_keys(const Drafts& drafts, const DaemonConfig& daemon, Findings& findings);

}  // namespace leasehold
