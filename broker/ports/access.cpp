#include "broker/ports/access.hpp"

namespace leasehold {

Error joined(const std::vector<Error>& errors) {
  Error all = errors.front();
  for (size_t i = 1; i < errors.size(); ++i) all.message += "\n" + describe(errors[i]);
  return all;
}

}  // namespace leasehold
