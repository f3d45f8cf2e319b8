// A wall clock that tests step: preloaded into a program (LD_PRELOAD), it adds to CLOCK_REALTIME
// the milliseconds that stand in the file named by LEASEHOLD_CLOCK_FILE. Every other clock is the
// machine's. The machine's own clock is never touched.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

int64_t offset_ms() {
  const char* name = std::getenv("LEASEHOLD_CLOCK_FILE");
  if (name == nullptr) return 0;
  const int file = ::open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 32> text{};
  const ssize_t size = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  return size > 0 ? std::strtoll(text.data(), nullptr, 10) : 0;
}

}  // namespace

extern "C" int clock_gettime(clockid_t id, struct timespec* time) noexcept {
  const long done = ::syscall(SYS_clock_gettime, id, time);
  if (done != 0 || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) {
    return static_cast<int>(done);
  }
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t shown = time->tv_sec * kSecond + time->tv_nsec + offset_ms() * 1'000'000;
  time->tv_sec = shown / kSecond;
  time->tv_nsec = shown % kSecond;
  return 0;
}
