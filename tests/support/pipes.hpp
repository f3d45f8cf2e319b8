// Makes a pipe that nobody writes to, where a test wants a file: a program that opens it must not
// wait.
#pragma once

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <string>

namespace leasehold::test {

/// Makes the pipe at `path`, which it returns.
inline std::string make_pipe(const std::string& path) {
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  return path;
}

}  // namespace leasehold::test
