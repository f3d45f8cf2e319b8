// A broker whose database is on a server: how it looks who leads there and takes over.
#pragma once

#include <memory>

#include "broker/config/load.hpp"
#include "broker/daemon/parts.hpp"
#include "broker/daemon/start/open_store.hpp"
#include "broker/store/base_maker.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Fills in what `parts` asks of a database. Error: the server cannot be reached, or its schema is
/// not this program's.
Status prepare_on_server(const Loaded& loaded, std::shared_ptr<BaseMaker> bases,
                         const StartChoices& choices, BrokerParts& parts);

/// Returns the Error with which a start would refuse such a database.
Status check_server(const DaemonConfig& daemon);
/// Returns a note on what a start would check and check_server() cannot; "": there is nothing.
std::string not_checked(const DaemonConfig& daemon);

}  // namespace leasehold
