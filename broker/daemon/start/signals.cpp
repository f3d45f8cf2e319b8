#include "broker/daemon/start/signals.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/check.hpp"

namespace leasehold {

Signals::Signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  LEASEHOLD_CHECK(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0, "signals cannot be blocked");
  signal(SIGPIPE, SIG_IGN);
  fd_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  LEASEHOLD_CHECK(fd_ >= 0, "signalfd failed");
}

Signals::~Signals() {
  close(fd_);
}

void Signals::read() {
  signalfd_siginfo info{};
  while (::read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGHUP) {
      reload_ = true;
    } else {
      stop_ = true;
    }
  }
}

bool Signals::take_reload() {
  const bool reload = reload_;
  reload_ = false;
  return reload;
}

}  // namespace leasehold
