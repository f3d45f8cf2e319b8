// leasectl: the operators' program. Everything is in commands.hpp; here are its signals.
#include <unistd.h>

#include <csignal>

#include "broker/ctl/commands.hpp"

namespace {

/// Nothing is half done here: what changes, changes at the broker in one commit.
void interrupted(int) {
  _exit(130);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, interrupted);
  std::signal(SIGPIPE, SIG_DFL);  // `leasectl history | head` ends quietly
  return leasehold::ctl::run(argc, argv);
}
