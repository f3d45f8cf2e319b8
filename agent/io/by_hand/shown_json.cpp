#include "agent/io/by_hand/shown_json.hpp"

#include <nlohmann/json.hpp>

namespace leasehold::agent {

std::string shown_json(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace leasehold::agent
