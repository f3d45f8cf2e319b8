// HostNames: what a host of another cluster is called by this cluster's workload manager.
#pragma once

#include <map>
#include <string>

namespace leasehold::agent {

struct HostNames {
  std::string rule = "{host}@{cluster}";   // must contain {host}
  std::map<std::string, std::string> map;  // "big1@west" -> "w-big1"; beats the rule

  std::string local(const std::string& host, const std::string& cluster) const;
};

}  // namespace leasehold::agent
