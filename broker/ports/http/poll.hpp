// Poll: epoll, with a number for each file.
#pragma once

#include <cstdint>
#include <vector>

#include "common/open_file.hpp"

namespace leasehold {

class Poll {
 public:
  struct Ready {
    uint64_t id = 0;
    uint32_t events = 0;
  };

  Poll();
  /// Level-triggered: EPOLLIN and others.
  void watch(int fd, uint64_t id, uint32_t events);
  void change(int fd, uint64_t id, uint32_t events);
  void forget(int fd);
  /// Until something is ready or so long.
  std::vector<Ready> wait(int64_t timeout_ms);

 private:
  OpenFile file_;
};

}  // namespace leasehold
