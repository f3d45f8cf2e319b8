// Poll is epoll with a number for each file.
#pragma once

#include <cstdint>
#include <vector>

#include "common/files/open_file.hpp"

namespace leasehold {

class Poll {
 public:
  struct Ready {
    uint64_t id = 0;
    uint32_t events = 0;
  };

  Poll();
  /// Watches a file, level-triggered; `events` are EPOLLIN and others.
  void watch(int fd, uint64_t id, uint32_t events);
  void change(int fd, uint64_t id, uint32_t events);
  void forget(int fd);
  /// Waits until a file is ready, at most `timeout_ms`.
  std::vector<Ready> wait(int64_t timeout_ms);

 private:
  OpenFile file_;
};

}  // namespace leasehold
