// Checks drafts against the rules of a configuration (HostExport's: LSF, "lsb.resources"): names,
// sharing, hosts, windows. Nothing here reads a file; nothing stops at the first mistake.
#pragma once

#include "broker/config/draft.hpp"

namespace leasehold {

struct DaemonConfig;

/// Runs all checks that need no inventory. Takes the provider out of its own distributions (LSF
/// ignores it there), with a warning.
void check_drafts(Drafts& drafts, Findings& findings);

// The checks follow, each in a file of its own.

/// Names are unique and of allowed characters.
void check_names(const Drafts& drafts, Findings& findings);
/// Providers and distributions name clusters; shares are valid, nothing is named twice, some
/// consumer is left.
void check_distributions(Drafts& drafts, Findings& findings);
/// A policy has hosts or select, and its numbers, type, rule and windows are valid.
void check_policies(const Drafts& drafts, Findings& findings);
/// A host in a shared policy stands in no other policy for another consumer.
void check_shared_hosts(const Drafts& drafts, Findings& findings);

/// Compares what all clusters may add to the history within the retention's age with the room that
/// it has: a note gives the numbers that would do. A start does not print it.
void check_record_room(const std::string& file, size_t clusters, const DaemonConfig& daemon,
                       Findings& findings);

/// "": the name is fine; else what is wrong with it.
std::string name_fault(std::string_view name);

}  // namespace leasehold
