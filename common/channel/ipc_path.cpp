#include "common/channel/ipc_path.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "common/files/open_file.hpp"

namespace leasehold {

namespace {

tl::unexpected<Error> not_free(const std::string& path, const std::string& why) {
  return fail(ErrorCode::io, "cannot listen at ipc://" + path + ": " + why);
}

bool is_there(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0;
}

/// Returns 0 if the kernel has taken a connection for a process that listens there, else errno.
int error_of_connecting(const std::string& path) {
  sockaddr_un address{};
  if (path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  const OpenFile asking(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (asking.fd() < 0) return errno;
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(asking.fd(), to, sizeof address) == 0 ? 0 : errno;
}

}  // namespace

/// A link is refused too, because ZeroMQ would remove the link.
Status check_ipc_path(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0 || S_ISSOCK(found.st_mode)) return {};
  return not_free(path,
                  "a file that is not a socket is there; it is left as it is: move it away, or "
                  "choose another path");
}

Status check_ipc_free(const std::string& path) {
  if (!is_there(path)) return {};
  if (Status socket = check_ipc_path(path); !socket) return socket;
  switch (const int error = error_of_connecting(path)) {
    case ECONNREFUSED:
    case ENOENT:  // the socket has gone meanwhile
      return {};
    case 0:
    case EAGAIN:  // its queue of connections is full
    case EINPROGRESS:
    case EPROTOTYPE:  // it is a datagram socket
      return not_free(path,
                      "another process listens at " + path +
                          "; stop that one (it may be stopped by a signal: kill -CONT lets it go "
                          "on), or choose another path");
    default:
      return not_free(path, "whether another process listens at " + path +
                                " is unknown: " + std::strerror(error) +
                                "; remove the socket if it is nobody's, or choose another path");
  }
}

}  // namespace leasehold
