// Json: the value that every view returns. Keys keep the order in which they were written, so that
// people see them as schema/json lists them. It is only declared here; .cpp files include
// <nlohmann/json.hpp>.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace leasehold {

using Json = nlohmann::ordered_json;

}  // namespace leasehold
