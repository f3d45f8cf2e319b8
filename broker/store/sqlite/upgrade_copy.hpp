// An upgrade copy is a database as the program before left it, kept beside it before a program of
// another version writes its first row: `<database>.core-<version of the core before>`. The way
// back from an upgrade is to restore it (config/packages/RELEASES.md). It has the log alone: the
// tables beside it are made again. It is no backup, which is of a moment that somebody chose
// (`leasectl backup`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/result.hpp"

namespace leasehold {

struct UpgradeCopy {
  std::string path;
  int64_t bytes = 0;
  bool operator==(const UpgradeCopy&) const = default;
};

/// Keeps the copy. It makes none where there is no database, where its newest row and its schema
/// are this version's, or where its copy is there already. Error: there is no room for it, or it
/// cannot be made; then nothing is written at all.
Result<std::optional<UpgradeCopy>> keep_upgrade_copy(const std::string& database);

}  // namespace leasehold
