#include "agent/io/pause_point.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <string>

namespace leasehold::agent {
namespace {

TEST_CASE("a step that does not exist is refused, naming those that do") {
  const auto pause = PausePoint::at("fence");
  REQUIRE_FALSE(pause);
  CHECK(pause.error().code == ErrorCode::usage);
  CHECK(pause.error().message.find("fence-enforced") != std::string::npos);
}

TEST_CASE("a program pauses at its step, says so, and stays until it is killed") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    auto pause = PausePoint::at("limit-persisted");
    pause->reached(Step::fence_enforced);
    pause->reached(Step::limit_persisted);
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said(64, '\0');
  const ssize_t size = ::read(ends[0], said.data(), said.size());
  REQUIRE(size > 0);
  CHECK(said.substr(0, static_cast<size_t>(size)) == "paused at limit-persisted\n");
  CHECK(::waitpid(child, nullptr, WNOHANG) == 0);
  ::kill(child, SIGKILL);
  CHECK(::waitpid(child, nullptr, 0) == child);
  ::close(ends[0]);
}

}  // namespace
}  // namespace leasehold::agent
