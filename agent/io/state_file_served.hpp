// The table of the agent's state that keeps for which waiting work others were preempted (Served).
// Inside state_file.cpp's transactions; throws what SQLiteCpp throws.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <vector>

#include "agent/core/reclaim/served.hpp"

namespace leasehold::agent {

/// With the machine's boot when they were saved. Of a file that is read only and was not migrated:
/// none.
std::vector<SavedServed> load_served(SQLite::Database& db, std::string& boot);
/// In place of those before.
void put_served(SQLite::Database& db, const std::vector<SavedServed>& served,
                const std::string& boot);

}  // namespace leasehold::agent
