// Opens the file: connection, pragmas, schema. For broker/store and broker/follow.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>
#include <string>

#include "broker/store/sqlite/file_rights.hpp"
#include "broker/store/sqlite/options.hpp"
#include "common/result.hpp"

namespace leasehold {

/// The timeout of every connection to a broker's database. A reader may lock it briefly: the first
/// one after a broker was killed recovers the WAL, and the last one to close checkpoints it.
inline constexpr int kBusyTimeoutMs = 2000;

/// Returns the reason why opening failed: from the file system where that knows it, else by
/// SQLite's code.
tl::unexpected<Error> opening_error(const std::string& path, FileUse use,
                                    const SQLite::Exception& error);

/// Returns a connection with the pragmas and the schema that `mode` asks for.
Result<std::unique_ptr<SQLite::Database>> open_connection(const std::string& path, OpenMode mode,
                                                          const StoreOptions& options);

/// Returns a connection that reads, to a file that is there, in the schema of the last migration.
/// `migrations`: empty, those built in.
Result<std::unique_ptr<SQLite::Database>> open_to_read(const std::string& path,
                                                       std::span<const Migration> migrations);

}  // namespace leasehold
