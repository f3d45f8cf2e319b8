// leasectl: the operators' program. It is all in commands.hpp, except for the signals here.
#include <unistd.h>

#include <csignal>

#include "broker/ctl/commands.hpp"

namespace {

/// An interruption leaves nothing half done: changes are made at the broker in one commit.
void interrupted(int) {
  _exit(130);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, interrupted);
  std::signal(SIGPIPE, SIG_DFL);  // `leasectl history | head` ends quietly
  return leasehold::ctl::run(argc, argv);
}
