// Audit: what operators did and tried, in the words of leasectl, and what became of jobs. Pure
// text, no decisions.
#pragma once

#include "broker/core/model/effect.hpp"
#include "broker/core/model/event.hpp"

namespace leasehold {

Audit audit_of(const OperatorCommand& command);
Audit audit_of(const OperatorRefused& refused);
Audit audit_of(const TablesFailed& failed);
Audit audit_of(const ConfigLoaded& loaded);
Audit audit_of(const wire::EndedWork& work);

}  // namespace leasehold
