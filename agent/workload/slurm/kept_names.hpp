// KeptNames: names of hosts in a file of their own, a line each. They are stored before the change
// that they tell of is made, so that whoever starts next knows of it, whatever ended this process.
#pragma once

#include <set>
#include <string>

#include "common/result.hpp"

namespace leasehold::agent {

class KeptNames {
 public:
  /// No file is no name.
  static Result<KeptNames> open(const std::string& path);
  /// Durable when it returns. Nothing is written where the names are the same.
  Status keep(std::set<std::string> names);
  const std::set<std::string>& names() const { return names_; }

 private:
  std::string path_;
  std::set<std::string> names_;
};

}  // namespace leasehold::agent
