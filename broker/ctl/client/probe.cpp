// Tries to connect with a plain socket, so that a missing broker is noticed at once.
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "broker/ctl/client/client.hpp"

namespace leasehold::ctl {

namespace {

tl::unexpected<Error> nobody(const std::string& endpoint, const std::string& why) {
  return fail(ErrorCode::unreachable, "the broker at " + endpoint + " cannot be reached: " + why +
                                          "; is lease-broker running there? --broker or "
                                          "LEASEHOLD_BROKER names another");
}

struct Patience {
  int64_t timeout_ms;
  int over_fd;  // poll() ignores -1
};

/// Returns 0 if somebody listens, or if that cannot be known; else errno.
int connect_error(int family, const sockaddr* address, socklen_t length, const Patience& until) {
  const int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return 0;
  int error = connect(fd, address, length) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    std::array<pollfd, 2> waiting{pollfd{fd, POLLOUT, 0}, pollfd{until.over_fd, POLLIN, 0}};
    const int ready = poll(waiting.data(), waiting.size(),
                           static_cast<int>(std::min<int64_t>(until.timeout_ms, INT32_MAX)));
    socklen_t size = sizeof error;
    if (ready <= 0 || waiting[0].revents == 0) {
      error = ready < 0 ? 0 : ETIMEDOUT;
    } else {
      getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    }
  }
  close(fd);
  return error;
}

Status probe_tcp(const std::string& endpoint, const Patience& until) {
  std::string host = endpoint.substr(6);
  const size_t colon = host.rfind(':');
  if (colon == std::string::npos) return {};  // ZeroMQ says what is wrong with it
  const std::string port = host.substr(colon + 1);
  host.resize(colon);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int failed = getaddrinfo(host.c_str(), port.c_str(), &wanted, &list);
  if (failed != 0) return nobody(endpoint, gai_strerror(failed));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, freeaddrinfo);
  int error = 0;
  for (const addrinfo* a = list; a != nullptr; a = a->ai_next) {
    error = connect_error(a->ai_family, a->ai_addr, a->ai_addrlen, until);
    if (error == 0) return {};
  }
  return nobody(endpoint, strerror(error));
}

Status probe_ipc(const std::string& endpoint, const Patience& until) {
  const std::string path = endpoint.substr(6);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path || path[0] == '@') return {};
  path.copy(address.sun_path, path.size());
  const int error =
      connect_error(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address, until);
  return error == 0 ? Status{} : nobody(endpoint, strerror(error));
}

/// Says what the text is instead, where that can be seen.
std::string no_endpoint(const std::string& text) {
  const std::string start = "'" + text + "' is not an endpoint; ";
  if (text.starts_with("http://") || text.starts_with("https://")) {
    return start +
           "that is the address of a page: leasectl asks the control endpoint, "
           "tcp://HOST:7441 as a rule";
  }
  if (text.starts_with("/")) return start + "of a socket's path it would be ipc://" + text;
  if (text.find("://") == text.npos && text.find(':') != text.npos) {
    return start + "it would be tcp://" + text;
  }
  return start + "it would be tcp://HOST:PORT or ipc://PATH";
}

}  // namespace

bool is_over(int over_fd) {
  pollfd waiting{over_fd, POLLIN, 0};
  return over_fd >= 0 && poll(&waiting, 1, 0) > 0;
}

Status probe(const std::string& endpoint, int64_t timeout_ms, int over_fd) {
  const Patience until{timeout_ms, over_fd};
  if (endpoint.starts_with("tcp://")) return probe_tcp(endpoint, until);
  if (endpoint.starts_with("ipc://")) return probe_ipc(endpoint, until);
  return fail(ErrorCode::usage, no_endpoint(endpoint));
}

}  // namespace leasehold::ctl
