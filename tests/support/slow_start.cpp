// A library that is preloaded into every program of a run by scripts/test --state slow-start: each
// program takes half a second to start, whatever it is.
#include <ctime>

namespace {

[[gnu::constructor]] void start_slowly() {
  const timespec half{0, 500'000'000};
  nanosleep(&half, nullptr);
}

}  // namespace
