// The tables of the agent's state that keep the limits of its groups. Called in state_file.cpp's
// transactions; throws what SQLiteCpp throws, and DamagedRow.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <vector>

#include "agent/core/limits/limits.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

std::vector<GroupLimits> load_limits(SQLite::Database& db);
/// Throws DamagedRow unless all limits can be added up, and each group with limits has one for each
/// host of the configuration, as it had when both were saved. A group that an earlier release knew
/// only by its fences has none.
void check_limits(const wire::Configuration& configuration, const std::vector<GroupLimits>& limits);
/// Replaces the kept limits of the group.
void put_limits(SQLite::Database& db, const GroupLimits& group);
void forget_limits(SQLite::Database& db, uint64_t generation);

}  // namespace leasehold::agent
