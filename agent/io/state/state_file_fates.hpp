// The tables of the agent's state that keep what becomes of work that had to end (Fates), and for
// which waiting work others were preempted (Served). Called in state_file.cpp's transactions;
// throws what SQLiteCpp throws.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <vector>

#include "agent/core/preemption/served.hpp"
#include "agent/core/reclaim/fates.hpp"

namespace leasehold::agent {

/// Reads none from a read-only file that was not migrated.
SavedFates load_fates(SQLite::Database& db);
/// Replaces the fates that were kept before.
void put_fates(SQLite::Database& db, const SavedFates& fates);

/// Sets `boot` to the machine's boot when they were saved. Reads none from a read-only file that
/// was not migrated.
std::vector<SavedServed> load_served(SQLite::Database& db, std::string& boot);
/// Replaces the entries that were kept before.
void put_served(SQLite::Database& db, const std::vector<SavedServed>& served,
                const std::string& boot);

}  // namespace leasehold::agent
