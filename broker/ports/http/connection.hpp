// Connection is one visitor's socket: bytes come in up to the end of a head, an answer or a stream
// goes out as fast as the visitor reads. Nothing here waits; the server ends a connection that
// passes deadline_ms(). What is answered is decided elsewhere (requests.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "broker/ports/http/answers/reply.hpp"
#include "broker/ports/http/sending.hpp"
#include "common/files/open_file.hpp"

namespace leasehold {

class Connection {
 public:
  static constexpr int64_t kHead_ms = 10'000;   // for a head, from its first byte
  static constexpr int64_t kIdle_ms = 60'000;   // between two requests
  static constexpr int64_t kWrite_ms = 30'000;  // for each kWriteBytes of an answer
  static constexpr size_t kWriteBytes = 64 << 10;
  static constexpr int64_t kClosing_ms = 2'000;  // until the visitor has seen the end

  enum class Stage : uint8_t {
    reading,  // a head; nothing of it may be there yet
    waiting,  // the answer is being made
    writing,
    streaming,  // events go out
    closing,    // all is written; the visitor has not ended it yet
  };

  Connection(OpenFile socket, std::string peer, int64_t now_ms);

  int fd() const { return socket_.fd(); }
  Stage stage() const { return stage_; }
  const std::string& peer() const { return peer_; }
  /// Returns the events that epoll is to look for.
  uint32_t events() const;
  /// True if nothing is lost by ending it: no request has begun.
  bool idle() const { return stage_ == Stage::reading && unread_.empty(); }
  /// True if no answer is under way: at the most a part of a head is there.
  bool asks_nothing() const { return stage_ == Stage::reading; }
  int64_t since_ms() const { return since_ms_; }  // when the stage began
  /// From then on it counts as too slow; INT64_MAX: never.
  int64_t deadline_ms() const { return deadline_ms_; }

  /// Reads what has come in. False: the connection has ended.
  bool receive(int64_t now_ms);
  std::string_view unread() const { return unread_; }
  void took(size_t bytes) { unread_.erase(0, bytes); }
  void wait(int64_t now_ms);

  /// The way in which the request is to be answered.
  struct Way {
    bool with_body = true;  // false: HEAD
    bool keep_alive = true;
    Instant date;
    std::string if_none_match = {};
  };
  Way way;
  /// Begins to answer, as `way` says.
  void send(std::shared_ptr<const Reply> reply, int64_t now_ms);
  void begin_stream(int64_t now_ms);
  /// Adds text to a stream. Contract: stage() is streaming.
  void add(std::string_view text, int64_t now_ms);
  bool has_unsent() const { return !sending_.next().empty(); }
  /// Writes as much as the visitor takes now. False: the connection has ended.
  bool write(int64_t now_ms);

  /// It came when every place was taken, and may only ask what probes ask.
  bool in_reserve = false;

 private:
  void enter(Stage stage, int64_t now_ms, int64_t deadline_ms);
  void written(int64_t now_ms);

  OpenFile socket_;
  std::string peer_;
  Stage stage_ = Stage::reading;
  int64_t since_ms_ = 0;
  int64_t deadline_ms_ = 0;
  std::string unread_;
  Sending sending_;
  size_t sent_since_deadline_ = 0;  // bytes, since the deadline was set
};

}  // namespace leasehold
