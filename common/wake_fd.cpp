#include "common/wake_fd.hpp"

#include <sys/eventfd.h>

#include <cstdint>

#include "common/check.hpp"

namespace leasehold {

WakeFd::WakeFd() : file_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  LEASEHOLD_CHECK(file_.fd() >= 0, "the process may open one more file");
}

void WakeFd::wake() const {
  const uint64_t one = 1;
  const ssize_t put = ::write(file_.fd(), &one, sizeof one);
  LEASEHOLD_CHECK(put == sizeof one, "an eventfd takes 8 bytes");
}

void WakeFd::clear() const {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got =
      ::read(file_.fd(), &count, sizeof count);  // nothing: cleared
}

}  // namespace leasehold
