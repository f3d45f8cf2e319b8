// The tables of the agent's state that keep what becomes of work that had to end (Fates). Inside
// state_file.cpp's transactions; throws what SQLiteCpp throws.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include "agent/core/reclaim/fates.hpp"

namespace leasehold::agent {

/// Of a file that is read only and was not migrated: none.
SavedFates load_fates(SQLite::Database& db);
/// In place of those before.
void put_fates(SQLite::Database& db, const SavedFates& fates);

}  // namespace leasehold::agent
