#include "broker/ports/http/listener.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "common/channel/endpoint.hpp"

namespace leasehold {

namespace {

constexpr int kBacklog = 512;
using Found = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

struct Name {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
};

Name name_of(const sockaddr_storage& address, socklen_t length) {
  Name name;
  ::getnameinfo(reinterpret_cast<const sockaddr*>(&address), length, name.host.data(),
                name.host.size(), name.port.data(), name.port.size(),
                NI_NUMERICHOST | NI_NUMERICSERV);
  return name;
}

std::string bound_address(const OpenFile& file) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  ::getsockname(file.fd(), reinterpret_cast<sockaddr*>(&address), &length);
  const Name name = name_of(address, length);
  const std::string host = name.host.data();
  const bool six = host.find(':') != std::string::npos;
  return (six ? "[" + host + "]" : host) + ":" + name.port.data();
}

tl::unexpected<Error> no_listener(const std::string& address, const std::string& why) {
  return fail(ErrorCode::io, "cannot listen on " + address + ": " + why);
}

OpenFile bound(const addrinfo& at) {
  OpenFile file(
      ::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at.ai_protocol));
  const int yes = 1;
  if (file.fd() < 0) return file;
  ::setsockopt(file.fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const bool listens =
      ::bind(file.fd(), at.ai_addr, at.ai_addrlen) == 0 && ::listen(file.fd(), kBacklog) == 0;
  if (listens) return file;
  const int why = errno;
  file = OpenFile();
  errno = why;
  return file;
}

}  // namespace

Result<HttpSocket> listen_http(const std::string& address) {
  const Result<Endpoint> endpoint = parse_endpoint("tcp://" + address);
  if (!endpoint) return no_listener(address, endpoint.error().message);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* first = nullptr;
  const std::string port = std::to_string(endpoint->port);
  const int asked = ::getaddrinfo(endpoint->host.c_str(), port.c_str(), &hints, &first);
  if (asked != 0) return no_listener(address, ::gai_strerror(asked));
  const Found found(first, &::freeaddrinfo);
  int why = 0;
  for (const addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
    OpenFile file = bound(*each);
    if (file.fd() < 0) {
      why = errno;
      continue;
    }
    std::string name = bound_address(file);
    return HttpSocket{std::move(file), std::move(name)};
  }
  return no_listener(address, std::strerror(why));
}

std::optional<Newcomer> accept_http(const OpenFile& listener) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  OpenFile socket(::accept4(listener.fd(), reinterpret_cast<sockaddr*>(&address), &length,
                            SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket.fd() < 0) return std::nullopt;
  const int yes = 1;
  ::setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return Newcomer{std::move(socket), name_of(address, length).host.data()};
}

}  // namespace leasehold
