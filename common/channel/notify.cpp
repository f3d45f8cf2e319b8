#include "common/channel/notify.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

namespace leasehold {

namespace {

std::optional<int64_t> number_of(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  const char* end = text + std::strlen(text);
  int64_t number = 0;
  const auto [rest, error] = std::from_chars(text, end, number);
  if (error != std::errc() || rest != end || number <= 0) return std::nullopt;
  return number;
}

}  // namespace

Watchdog::Watchdog(int64_t longest_work_ms) {
  std::optional<int64_t> waits_us = number_of("WATCHDOG_USEC");
  if (!waits_us || number_of("WATCHDOG_PID").value_or(getpid()) != getpid()) return;
  if (const int64_t needed_us = longest_work_ms * 1000; *waits_us < needed_us) {
    notify_supervisor("WATCHDOG_USEC=" + std::to_string(needed_us));
    waits_us = needed_us;
  }
  interval_ms_ = std::max<int64_t>(1, *waits_us / 2000);
}

int64_t Watchdog::longest_wait_ms(int64_t otherwise_ms) const {
  return std::min(otherwise_ms, interval_ms_.value_or(otherwise_ms));
}

void Watchdog::alive(int64_t now_ms) {
  if (!interval_ms_ || now_ms - reported_ms_ < *interval_ms_ / 2) return;
  reported_ms_ = now_ms;
  notify_supervisor("WATCHDOG=1");
}

bool notify_supervisor(std::string_view state) {
  const char* name = std::getenv("NOTIFY_SOCKET");
  if (name == nullptr || *name == '\0') return true;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t length = std::strlen(name);
  if (length >= sizeof(address.sun_path)) return false;
  std::memcpy(address.sun_path, name, length);
  if (name[0] == '@') address.sun_path[0] = '\0';  // it is an abstract socket
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return false;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  const ssize_t sent = ::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr*>(&address), size);
  ::close(socket);
  return sent == static_cast<ssize_t>(state.size());
}

}  // namespace leasehold
