#include "agent/workload/lsf/names.hpp"

#include <string_view>
#include <vector>

namespace leasehold::agent {

namespace {

/// The texts around {host} and {cluster}.
std::vector<std::string_view> fixed_parts(std::string_view rule) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = std::min(rule.find("{host}"), rule.find("{cluster}"));
    parts.push_back(rule.substr(0, at));
    if (at == rule.npos) return parts;
    rule.remove_prefix(rule.find('}', at) + 1);
  }
}

}  // namespace

bool is_imported_name(const HostNames& names, const std::string& local) {
  for (const auto& [real, name] : names.map)
    if (name == local) return true;
  const std::vector<std::string_view> parts = fixed_parts(names.rule);
  size_t fixed = 0;
  for (const std::string_view part : parts) fixed += part.size();
  if (fixed == 0 || local.size() < fixed + parts.size() - 1) return false;
  std::string_view rest = local;
  if (rest.substr(0, parts.front().size()) != parts.front()) return false;
  rest.remove_prefix(parts.front().size());
  if (rest.size() < parts.back().size() ||
      rest.substr(rest.size() - parts.back().size()) != parts.back())
    return false;
  rest.remove_suffix(parts.back().size());
  for (size_t i = 1; i + 1 < parts.size(); ++i) {  // something stands for each {}
    const size_t at = rest.empty() ? rest.npos : rest.find(parts[i], 1);
    if (at == rest.npos) return false;
    rest.remove_prefix(at + parts[i].size());
  }
  return !rest.empty();
}

}  // namespace leasehold::agent
