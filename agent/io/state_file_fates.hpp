// The tables of the agent's state that keep what becomes of work that had to end (Fates), and for
// which waiting work others were preempted (Served). Inside state_file.cpp's transactions; throws
// what SQLiteCpp throws.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <vector>

#include "agent/core/reclaim/fates.hpp"
#include "agent/core/reclaim/served.hpp"

namespace leasehold::agent {

/// Of a file that is read only and was not migrated: none.
SavedFates load_fates(SQLite::Database& db);
/// In place of those before.
void put_fates(SQLite::Database& db, const SavedFates& fates);

/// With the machine's boot when they were saved. Of a file that is read only and was not migrated:
/// none.
std::vector<SavedServed> load_served(SQLite::Database& db, std::string& boot);
/// In place of those before.
void put_served(SQLite::Database& db, const std::vector<SavedServed>& served,
                const std::string& boot);

}  // namespace leasehold::agent
