// The tables of the agent's state that keep sets of hosts (ReclaimSets). Called in state_file.cpp's
// transactions; throws what SQLiteCpp throws.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <vector>

#include "agent/core/reclaim/sets.hpp"

namespace leasehold::agent {

/// Reads none from a read-only file that was not migrated.
std::vector<HeldSet> load_sets(SQLite::Database& db);
void put_set(SQLite::Database& db, int64_t number, const HeldSet& held);

}  // namespace leasehold::agent
