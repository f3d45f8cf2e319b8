#include "agent/core/limits/host_names.hpp"

#include "common/text/replace_all.hpp"

namespace leasehold::agent {

std::string HostNames::local(const std::string& host, const std::string& cluster) const {
  if (const auto found = map.find(host + "@" + cluster); found != map.end()) return found->second;
  std::string name = rule;
  replace_all(name, "{cluster}", cluster);
  replace_all(name, "{host}", host);
  return name;
}

}  // namespace leasehold::agent
