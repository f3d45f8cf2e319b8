// import-ego writes EGO's ConsumerTrees.xml as a resource plan in TOML, with a report of what has
// no counterpart or was not understood (Symphony, "ConsumerTrees.xml"). It takes text and gives
// text: the file is not changed.
//
// IBM documents little of the file's structure: the sections ConsumerHierarchy and
// DistributionTree, ResourceGroupName, and PolicyParameter with DistributeBy. The rest is read as
// the names suggest: Consumer, TimeInterval, Policy, Lend, Borrow. Every other element, attribute
// and text is reported with its line, never dropped in silence.
#pragma once

#include <string>

#include "broker/config/lsf/import.hpp"

namespace leasehold {

/// `toml` loads again (load_broker_config) to the same plan; what EGO does not know (export
/// policies, clusters) is left for a person to fill in, as comments.
Imported import_ego(const std::string& file);
Imported import_ego_text(const std::string& text, const std::string& file);

}  // namespace leasehold
