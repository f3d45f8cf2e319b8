#include "common/files/umask.hpp"

#include <sys/stat.h>

namespace leasehold {

mode_t given_umask() {
  static const mode_t given = [] {
    const mode_t now = ::umask(0077);
    ::umask(now);
    return now;
  }();
  return given;
}

void keep_files_from_others() {
  ::umask(given_umask() | 0027U);
}

}  // namespace leasehold
