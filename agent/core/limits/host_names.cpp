#include "agent/core/limits/host_names.hpp"

namespace leasehold::agent {

namespace {

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

std::string HostNames::local(const std::string& host, const std::string& cluster) const {
  if (const auto found = map.find(host + "@" + cluster); found != map.end()) return found->second;
  std::string name = rule;
  replace_all(name, "{cluster}", cluster);
  replace_all(name, "{host}", host);
  return name;
}

}  // namespace leasehold::agent
