#include "common/time/pause.hpp"

#include <unistd.h>

#include <cstdio>

namespace leasehold {

void pause_here(const std::string& place) {
  std::fprintf(stderr, "paused at %s\n", place.c_str());
  std::fflush(stderr);
  for (;;) ::pause();
}

}  // namespace leasehold
