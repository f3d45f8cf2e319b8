#include "broker/store/postgres/stall_timeout.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace leasehold {

StallTimeout::StallTimeout(int socket)
    : socket_(::fcntl(socket, F_DUPFD_CLOEXEC, 0)), thread_([this] { work(); }) {}

StallTimeout::~StallTimeout() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  earlier_.notify_one();
  thread_.join();
  if (works()) ::close(socket_);
}

/// The thread is woken only where it would sleep too long: about once in `limit`, however many
/// statements there are.
void StallTimeout::begin(std::chrono::milliseconds limit) {
  const std::lock_guard lock(mutex_);
  hung_up_ = false;
  limit_ = limit;
  deadline_ = Clock::now() + limit;
  if (!wakes_ || *wakes_ > *deadline_) earlier_.notify_one();
}

bool StallTimeout::end() {
  const std::lock_guard lock(mutex_);
  deadline_.reset();
  return hung_up_;
}

/// Tells, after `limit` is over, since when the server is silent: a long answer may still be coming
/// in.
StallTimeout::Clock::time_point StallTimeout::silent_since() const {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket_, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return *deadline_ - limit_;
  const std::chrono::milliseconds ago(info.tcpi_last_data_recv);
  return std::max(*deadline_ - limit_, Clock::now() - ago);
}

void StallTimeout::work() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (deadline_ && *deadline_ <= Clock::now()) deadline_ = silent_since() + limit_;
    if (deadline_ && *deadline_ <= Clock::now()) {
      hung_up_ = true;
      deadline_.reset();
      ::shutdown(socket_, SHUT_RDWR);
    }
    wakes_ = deadline_;
    if (wakes_) {
      earlier_.wait_until(lock, *wakes_);
    } else {
      earlier_.wait(lock);
    }
  }
}

}  // namespace leasehold
