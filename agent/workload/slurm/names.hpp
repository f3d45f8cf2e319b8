// Which nodes of a Slurm cluster stand for hosts of other clusters: those that the table of names
// gives, and those that look like what the rule makes. They are closed before any lease is known.
// Pure.
#pragma once

#include <set>
#include <string>

#include "agent/core/limits/host_names.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

class ImportedNames {
 public:
  /// A rule by which any node of the cluster's own could be an imported one is refused.
  static Result<ImportedNames> of(const HostNames& names);

  bool contains(const std::string& node) const;
  /// Of the table; each must be a node.
  const std::set<std::string>& named() const { return named_; }

 private:
  std::set<std::string> named_;
  std::string before_;  // what names made by the rule begin and end with
  std::string after_;
  bool by_rule_ = false;
};

}  // namespace leasehold::agent
