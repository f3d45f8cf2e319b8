#include "broker/store/postgres/connection.hpp"

#include <libpq-fe.h>

namespace leasehold {

std::string ServerConnection::heard() const {
  const std::string all = policy.get() == nullptr ? "" : PQerrorMessage(policy.get());
  return all.substr(0, all.find('\n'));
}

}  // namespace leasehold
