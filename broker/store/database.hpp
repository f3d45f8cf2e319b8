// Where a database is, by its name: the file or the server behind a store and a log.
#pragma once

#include <memory>
#include <string>

#include "broker/store/log/log.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Who led on a server last, as it says: "hub-a, at tcp://hub-a:7441, in epoch 7"; "" where nobody
/// did, and of a file.
Result<std::string> last_leader(const std::string& database);

/// To read: a database that is there, in this program's schema, while a broker writes it or not.
Result<std::unique_ptr<Log>> open_log(const std::string& database);

}  // namespace leasehold
