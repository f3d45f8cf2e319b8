#include "agent/workload/slurm/names.hpp"

#include <algorithm>

namespace leasehold::agent {

Result<ImportedNames> ImportedNames::of(const HostNames& names) {
  ImportedNames made;
  for (const auto& [real, local] : names.map) made.named_.insert(local);
  const std::string& rule = names.rule;
  // No name of a node has an @: with such a rule (the default) only the table names hosts.
  if (rule.find('@') != std::string::npos) return made;
  const size_t first = rule.find('{');
  const size_t last = rule.rfind('}');
  made.before_ = rule.substr(0, std::min(first, rule.size()));
  made.after_ = last == std::string::npos ? "" : rule.substr(last + 1);
  made.by_rule_ = true;
  if (made.before_.empty() && made.after_.empty())
    return fail(ErrorCode::usage, "[hosts] rule = \"" + rule +
                                      "\" tells imported hosts from none of our own; right would "
                                      "be a rule that begins or ends with letters of its own, as "
                                      "\"imp-{host}\"");
  return made;
}

bool ImportedNames::contains(const std::string& node) const {
  if (named_.contains(node)) return true;
  return by_rule_ && node.size() > before_.size() + after_.size() &&
         node.compare(0, before_.size(), before_) == 0 &&
         node.compare(node.size() - after_.size(), after_.size(), after_) == 0;
}

}  // namespace leasehold::agent
