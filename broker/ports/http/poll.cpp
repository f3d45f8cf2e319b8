#include "broker/ports/http/poll.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <array>

#include "common/check.hpp"

namespace leasehold {

namespace {

constexpr int kReadyMax = 256;

void control(int epoll, int what, int fd, uint64_t id, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  const int done = ::epoll_ctl(epoll, what, fd, &event);
  LEASEHOLD_CHECK(done == 0, "an open socket can be watched");
}

}  // namespace

Poll::Poll() : file_(::epoll_create1(EPOLL_CLOEXEC)) {
  LEASEHOLD_CHECK(file_.fd() >= 0, "the process may open one more file");
}

void Poll::watch(int fd, uint64_t id, uint32_t events) {
  control(file_.fd(), EPOLL_CTL_ADD, fd, id, events);
}

void Poll::change(int fd, uint64_t id, uint32_t events) {
  control(file_.fd(), EPOLL_CTL_MOD, fd, id, events);
}

void Poll::forget(int fd) {
  control(file_.fd(), EPOLL_CTL_DEL, fd, 0, 0);
}

std::vector<Poll::Ready> Poll::wait(int64_t timeout_ms) {
  std::array<epoll_event, kReadyMax> events{};
  const int wait_ms = static_cast<int>(std::clamp<int64_t>(timeout_ms, 0, 60'000));
  const int count = ::epoll_wait(file_.fd(), events.data(), kReadyMax, wait_ms);
  std::vector<Ready> ready;
  for (int i = 0; i < count; ++i) {
    ready.push_back(
        {events[static_cast<size_t>(i)].data.u64, events[static_cast<size_t>(i)].events});
  }
  return ready;
}

}  // namespace leasehold
