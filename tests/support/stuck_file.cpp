// A file system that answers nothing: preloaded into a program (LD_PRELOAD), it makes whoever opens
// the file named by LEASEHOLD_STUCK_FILE wait while a file of that name and ".stuck" lies beside
// it, and shows that it waits by a file of that name and ".waits".
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <ctime>
#include <string>

namespace {

using Open = int (*)(const char*, int, ...);

void wait_for(const char* path) {
  const char* stuck = std::getenv("LEASEHOLD_STUCK_FILE");
  if (stuck == nullptr || std::string(path) != stuck) return;
  const std::string while_there = std::string(stuck) + ".stuck";
  const std::string waits = std::string(stuck) + ".waits";
  while (::access(while_there.c_str(), F_OK) == 0) {
    ::close(::creat(waits.c_str(), 0600));
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

extern "C" int open(const char* path, int flags, ...) {
  static const auto real = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "open"));
  wait_for(path);
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return real(path, flags, mode);
}
