// Said keeps the standard error of this program, for tests of the log.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent::test {

/// Collects what this program writes to its standard error while it lives.
class Said {
 public:
  Said() : before_(::dup(STDERR_FILENO)) {
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  ~Said() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;
  size_t count(const std::string& part) const {
    std::ifstream file(path_);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

 private:
  Scratch folder_;
  std::string path_ = folder_.file("said");
  int before_;
};

}  // namespace leasehold::agent::test
