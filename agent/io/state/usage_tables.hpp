// The tables of the agent's state that keep whose work used borrowed slots (UsageCount). Called in
// state_file.cpp's transactions; throws what SQLiteCpp throws.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include "agent/core/usage/usage_count.hpp"

namespace leasehold::agent {

/// Reads none from a read-only file that was not migrated.
SavedUsage load_usage(SQLite::Database& db);
/// Replaces what is counted and not closed.
void put_open_usage(SQLite::Database& db, const SavedUsage& usage);
/// Replaces what is closed.
void put_closed_usage(SQLite::Database& db, const SavedUsage& usage);

}  // namespace leasehold::agent
