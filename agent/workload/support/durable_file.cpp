#include "agent/workload/support/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/files/durable.hpp"
#include "common/files/regular_file.hpp"

namespace leasehold::agent {

Status replace_file(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  Result<OpenFile> file = open_regular_file(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0640);
  if (!file) return fail(ErrorCode::io, "cannot be written: " + describe(file.error()));
  const bool written = write_all(file->fd(), text) && ::fsync(file->fd()) == 0;
  const int why = errno;
  *file = OpenFile();
  if (!written) return fail(ErrorCode::io, std::string("cannot be written: ") + std::strerror(why));
  if (Status named = rename_durably(fresh, path); !named) {
    return fail(ErrorCode::io, "cannot be written: " + named.error().message);
  }
  return {};
}

}  // namespace leasehold::agent
