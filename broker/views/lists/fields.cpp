#include "broker/views/lists/fields.hpp"

namespace leasehold {

Json& member_at(Json& row, std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return row[std::string(name)];
  return row[std::string(name.substr(0, dot))][std::string(name.substr(dot + 1))];
}

}  // namespace leasehold
