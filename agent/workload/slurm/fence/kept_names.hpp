// KeptNames: names of hosts in a file of their own, a line each. They are stored before the change
// that they tell of is made, so that whoever starts next knows of it, whatever ended this process.
#pragma once

#include <set>
#include <string>

#include "common/result.hpp"

namespace leasehold::agent {

class KeptNames {
 public:
  /// Opens the file; a missing one has no names.
  static Result<KeptNames> open(const std::string& path);
  /// Replaces the names; they are durable when it returns. Unchanged names write nothing.
  Status keep(std::set<std::string> names);
  const std::set<std::string>& names() const { return names_; }

 private:
  std::string path_;
  std::set<std::string> names_;
};

}  // namespace leasehold::agent
