#include "broker/ports/http/worker.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/log.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

// Numbers below Connections::kFirst are of files that are no connections.
constexpr uint64_t kListener = 1;
constexpr uint64_t kTurnEnded = 2;
constexpr uint64_t kAnswers = 3;
constexpr uint64_t kOver = 4;

constexpr int kAcceptsPerTurn = 64;
constexpr int64_t kAcceptAgain_ms = 1'000;

}  // namespace

HttpWorker::HttpWorker(HttpSocket socket, HttpParts parts)
    : socket_(std::move(socket)), bulletin_(parts.bulletin), requests_(std::move(parts), poll_) {
  poll_.watch(socket_.file.fd(), kListener, EPOLLIN);
  poll_.watch(bulletin_->turn_fd(), kTurnEnded, EPOLLIN);
  for (const int fd : requests_.answer_fds()) poll_.watch(fd, kAnswers, EPOLLIN);
  poll_.watch(over_signal_.fd(), kOver, EPOLLIN);
}

void HttpWorker::begin() {
  thread_ = std::thread([this] { run(); });
}

void HttpWorker::end() {
  over_ = true;
  over_signal_.wake();
  if (thread_.joinable()) thread_.join();
  requests_.end();
}

void HttpWorker::run() {
  while (!over_) {
    const std::vector<Poll::Ready> all = poll_.wait(wait_ms());
    now_ms_ = boottime_ms();
    requests_.begin_turn(now_ms_);
    for (const Poll::Ready& ready : all) handle(ready);
    requests_.end_turn();
    accept_again();
  }
}

int64_t HttpWorker::wait_ms() {
  int64_t next = requests_.next_ms();
  if (accept_from_ms_ != 0) next = std::min(next, accept_from_ms_);
  return next - boottime_ms();
}

void HttpWorker::handle(const Poll::Ready& ready) {
  if (ready.id == kListener) return let_in();
  if (ready.id == kTurnEnded) return bulletin_->clear_turn();
  if (ready.id == kAnswers) return requests_.send_answers();
  if (ready.id >= Connections::kFirst) requests_.go_on(ready.id, ready.events);
}

void HttpWorker::let_in() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    std::optional<Newcomer> newcomer = accept_http(socket_.file);
    if (newcomer) {
      requests_.let_in(*std::move(newcomer));
      continue;
    }
    const int why = errno;
    if (why != EMFILE && why != ENFILE && why != ENOMEM && why != ENOBUFS) return;
    accept_from_ms_ = now_ms_ + kAcceptAgain_ms;
    poll_.change(socket_.file.fd(), kListener, 0);
    return log_warn(
        "http-file-limit-reached",
        {{"connections", requests_.connections()},
         {"why", std::strerror(why)},
         {"then", "new connections wait"},
         {"do", "raise LimitNOFILE or give it more memory, or lower [http] connections"}});
  }
}

void HttpWorker::accept_again() {
  if (accept_from_ms_ == 0 || now_ms_ < accept_from_ms_) return;
  accept_from_ms_ = 0;
  poll_.change(socket_.file.fd(), kListener, EPOLLIN);
}

}  // namespace leasehold
