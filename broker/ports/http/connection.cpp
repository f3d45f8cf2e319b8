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

void Connection::send(std::shared_ptr<const Reply> reply, int64_t now_ms) {
  std::string head = head_text(*reply, way.keep_alive, way.date);
  const bool with_body = way.with_body && reply->status != 304;
  sending_ = Sending(std::move(head), with_body ? std::move(reply) : nullptr);
  sent_since_deadline_ = 0;
  enter(Stage::writing, now_ms, now_ms + kWrite_ms);
}

void Connection::begin_stream(int64_t now_ms) {
  sending_ = Sending(stream_head_text(way.date));
  sent_since_deadline_ = 0;
  enter(Stage::streaming, now_ms, now_ms + kWrite_ms);
}

void Connection::add(std::string_view text, int64_t now_ms) {
  if (!has_unsent()) {
    deadline_ms_ = now_ms + kWrite_ms;
    sent_since_deadline_ = 0;
  }
  sending_.add(text);
}

bool Connection::write(int64_t now_ms) {
  for (std::string_view part = sending_.next(); !part.empty(); part = sending_.next()) {
    const ssize_t put = ::send(fd(), part.data(), part.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put < 0) return errno == EAGAIN || errno == EINTR;
    sending_.sent(static_cast<size_t>(put));
    sent_since_deadline_ += static_cast<size_t>(put);
    if (sent_since_deadline_ < kWriteBytes) continue;
    sent_since_deadline_ = 0;
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
  sending_ = {};
  // A part of the next head that came already has to be followed by its rest, as a first one.
  const int64_t most_ms = unread_.empty() ? kIdle_ms : kHead_ms;
  if (way.keep_alive) return enter(Stage::reading, now_ms, now_ms + most_ms);
  ::shutdown(fd(), SHUT_WR);  // closing at once could lose what it has not read yet
  enter(Stage::closing, now_ms, now_ms + kClosing_ms);
}

}  // namespace leasehold
