// HttpWorker is the inside of HttpServer: its thread, which waits until something is ready, accepts
// visitors and hands on what they ask (requests.hpp). Only server.cpp uses it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "broker/ports/http/listener.hpp"
#include "broker/ports/http/parts.hpp"
#include "broker/ports/http/poll.hpp"
#include "broker/ports/http/requests.hpp"
#include "common/wake_fd.hpp"

namespace leasehold {

class HttpWorker {
 public:
  HttpWorker(HttpSocket socket, HttpParts parts);

  void begin();
  void end();
  const std::string& address() const { return socket_.address; }

 private:
  void run();
  int64_t wait_ms();
  void handle(const Poll::Ready& ready);
  void let_in();
  void accept_again();

  HttpSocket socket_;
  std::shared_ptr<Bulletin> bulletin_;
  Poll poll_;
  Requests requests_;
  WakeFd over_signal_;
  std::thread thread_;
  std::atomic<bool> over_{false};
  // Only the thread uses these:
  int64_t now_ms_ = 0;
  int64_t accept_from_ms_ = 0;  // no file could be opened: none is accepted before; 0: now
};

}  // namespace leasehold
