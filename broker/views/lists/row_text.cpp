#include "broker/views/lists/row_text.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/json.hpp"

namespace leasehold {

std::string json_escaped(std::string_view text) {
  const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace leasehold
