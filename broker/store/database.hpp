// Finds the log and the last leader of a database by its name, which is a file's path or a server's
// URL.
#pragma once

#include <memory>
#include <string>

#include "broker/store/log/log.hpp"
#include "common/result.hpp"

namespace leasehold {

/// The server's last leader: "hub-a, at tcp://hub-a:7441, in epoch 7", and whether it stepped down;
/// "" where nobody has led, and for a file.
Result<std::string> last_leader(const std::string& database);

/// Opens the log of an existing database for reading. Its schema must be this program's; a broker
/// may write it meanwhile.
Result<std::unique_ptr<Log>> open_log(const std::string& database);

}  // namespace leasehold
