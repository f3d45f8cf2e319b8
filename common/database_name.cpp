#include "common/database_name.hpp"

namespace leasehold {

namespace {

constexpr const char* kSchemes[] = {"postgresql://", "postgres://"};

}  // namespace

bool is_server(const std::string& database) {
  for (const char* scheme : kSchemes) {
    if (database.starts_with(scheme)) return true;
  }
  return false;
}

std::string without_password(const std::string& database) {
  const size_t begin = database.find("://");
  const size_t end = database.find_first_of("/?", begin + 3);
  const size_t at = database.substr(0, end).rfind('@');
  if (begin == std::string::npos || at == std::string::npos) return database;
  const size_t colon = database.find(':', begin + 3);
  if (colon > at) return database;
  return database.substr(0, colon) + database.substr(at);
}

}  // namespace leasehold
