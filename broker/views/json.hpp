// Json: the value that every view returns. Keys keep the order in which they were written, so that
// people see them as schema/json lists them. This is a forward declaration: code that uses members
// includes <nlohmann/json.hpp>, as headers with inline JSON code do.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace leasehold {

using Json = nlohmann::ordered_json;

}  // namespace leasehold
