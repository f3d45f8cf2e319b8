#include "broker/ports/http/connection.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace leasehold {

Connection::Connection(OpenFile socket, std::string peer, int64_t now_ms)
    : socket_(std::move(socket)),
      peer_(std::move(peer)),
      since_ms_(now_ms),
      deadline_ms_(now_ms + kHead_ms) {}

void Connection::enter(Stage stage, int64_t now_ms, int64_t deadline_ms) {
  stage_ = stage;
  since_ms_ = now_ms;
  deadline_ms_ = deadline_ms;
}

uint32_t Connection::events() const {
  switch (stage_) {
    case Stage::reading:
    case Stage::closing:
      return EPOLLIN;
    case Stage::waiting:
      return EPOLLRDHUP;
    case Stage::writing:
      return EPOLLOUT;
    case Stage::streaming:
      return EPOLLIN | (has_unsent() ? uint32_t{EPOLLOUT} : 0U);
  }
  return 0;
}

bool Connection::receive(int64_t now_ms) {
  std::array<char, 4096> bytes{};
  const ssize_t got = ::recv(fd(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  if (stage_ != Stage::reading) return true;  // bytes that nobody asked for are dropped
  if (unread_.empty()) deadline_ms_ = now_ms + kHead_ms;
  unread_.append(bytes.data(), static_cast<size_t>(got));
  return true;
}

void Connection::wait(int64_t now_ms) {
  enter(Stage::waiting, now_ms, INT64_MAX);
}

void Connection::send(std::shared_ptr<const Reply> reply, const Way& how, int64_t now_ms) {
  head_ = head_text(*reply, how.keep_alive, how.date);
  reply_ = std::move(reply);
  with_body_ = how.with_body && reply_->status != 304;
  keep_alive_ = how.keep_alive;
  sent_ = sent_at_deadline_ = 0;
  enter(Stage::writing, now_ms, now_ms + kWrite_ms);
}

void Connection::begin_stream(Stream begun, Instant date, int64_t now_ms) {
  stream.emplace(begun);
  head_.clear();
  reply_.reset();
  with_body_ = false;
  sent_ = sent_at_deadline_ = 0;
  enter(Stage::streaming, now_ms, INT64_MAX);
  add(stream_head_text(date), now_ms);
}

void Connection::add(std::string_view text, int64_t now_ms) {
  if (!has_unsent()) deadline_ms_ = now_ms + kWrite_ms;
  head_.erase(0, sent_);
  sent_ = 0;
  head_ += text;
}

bool Connection::has_unsent() const {
  return !next_part().empty();
}

std::string_view Connection::next_part() const {
  if (sent_ < head_.size()) return std::string_view(head_).substr(sent_);
  if (!with_body_ || reply_ == nullptr) return {};
  return reply_->body().substr(sent_ - head_.size());
}

bool Connection::write(int64_t now_ms) {
  for (std::string_view part = next_part(); !part.empty(); part = next_part()) {
    const ssize_t put = ::send(fd(), part.data(), part.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put < 0) return errno == EAGAIN || errno == EINTR;
    sent_ += static_cast<size_t>(put);
    if (sent_ - sent_at_deadline_ < kWriteBytes) continue;
    sent_at_deadline_ = sent_;
    deadline_ms_ = now_ms + kWrite_ms;
  }
  written(now_ms);
  return true;
}

void Connection::written(int64_t now_ms) {
  if (stage_ == Stage::streaming) {
    deadline_ms_ = INT64_MAX;
    return;
  }
  if (stage_ != Stage::writing) return;
  reply_.reset();
  head_.clear();
  with_body_ = false;
  sent_ = 0;
  if (keep_alive_) return enter(Stage::reading, now_ms, now_ms + kIdle_ms);
  ::shutdown(fd(), SHUT_WR);  // closing at once could lose what it has not read yet
  enter(Stage::closing, now_ms, now_ms + kClosing_ms);
}

}  // namespace leasehold
