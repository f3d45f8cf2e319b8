// Generator is the process with the agents (agents.hpp), as the measuring process sees it: another
// run of this program, controlled by lines through pipes.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace leasehold::bench {

class Generator {
 public:
  Generator(const std::string& broker, const std::string& bare);
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  ~Generator();  // ends the process

  void tell(const std::string& line);
  /// Calls `serve` until the generator has written its next line, which must be `line`.
  void await(const std::string& line, const std::function<void()>& serve);
  /// Calls tell() and await("done").
  void have(const std::string& line, const std::function<void()>& serve);

 private:
  bool has_line();

  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string said_;
};

}  // namespace leasehold::bench
