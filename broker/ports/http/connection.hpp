// Connection: one visitor's socket: bytes come in up to the end of a head, an answer or a stream
// goes out as fast as the visitor reads. Nothing here waits; who is too slow is told so by
// deadline_ms(). What is answered is the server's (server.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "broker/ports/http/reply.hpp"
#include "broker/ports/http/stream.hpp"
#include "broker/ports/http/visitor.hpp"
#include "common/open_file.hpp"

namespace leasehold {

class Connection {
 public:
  static constexpr int64_t kHead_ms = 10'000;   // for a head, from its first byte
  static constexpr int64_t kIdle_ms = 60'000;   // between two requests
  static constexpr int64_t kWrite_ms = 30'000;  // for each kWriteBytes of an answer
  static constexpr size_t kWriteBytes = 64 << 10;
  static constexpr int64_t kClosing_ms = 2'000;  // until the visitor has seen the end

  enum class Stage : uint8_t {
    reading,    // a head; nothing of it may be there yet
    waiting,    // the answer is being made
    writing,    // it goes out
    streaming,  // events do
    closing,    // all is written: until the visitor ends it, too
  };

  Connection(OpenFile socket, std::string peer, int64_t now_ms);

  int fd() const { return socket_.fd(); }
  Stage stage() const { return stage_; }
  const std::string& peer() const { return peer_; }
  /// What epoll is to look for.
  uint32_t events() const;
  /// Nothing is lost by ending it: no request has begun.
  bool idle() const { return stage_ == Stage::reading && unread_.empty(); }
  /// Nothing is under way for it: at the most a part of a head is there.
  bool asks_nothing() const { return stage_ == Stage::reading; }
  int64_t since_ms() const { return since_ms_; }  // of the stage
  /// When it has been too slow; INT64_MAX: it cannot be.
  int64_t deadline_ms() const { return deadline_ms_; }

  /// False: it has ended.
  bool receive(int64_t now_ms);
  std::string_view unread() const { return unread_; }
  void took(size_t bytes) { unread_.erase(0, bytes); }
  void wait(int64_t now_ms);

  struct Way {
    bool with_body = true;  // false: HEAD
    bool keep_alive = true;
    Instant date;
  };
  void send(std::shared_ptr<const Reply> reply, const Way& way, int64_t now_ms);
  void begin_stream(Stream stream, Instant date, int64_t now_ms);
  /// Of a stream.
  void add(std::string_view text, int64_t now_ms);
  bool has_unsent() const;
  /// As much as the visitor takes now. False: it has ended.
  bool write(int64_t now_ms);

  /// It came where every place was taken, and may ask what probes ask.
  bool in_reserve = false;

  // Of what is asked, for the server.
  Way way;
  std::string if_none_match;
  Visitor visitor;
  std::optional<Stream> stream;

 private:
  void enter(Stage stage, int64_t now_ms, int64_t deadline_ms);
  void written(int64_t now_ms);
  std::string_view next_part() const;

  OpenFile socket_;
  std::string peer_;
  Stage stage_ = Stage::reading;
  int64_t since_ms_ = 0;
  int64_t deadline_ms_ = 0;
  std::string unread_;
  std::string head_;  // or text of a stream
  std::shared_ptr<const Reply> reply_;
  bool with_body_ = false;
  bool keep_alive_ = true;
  size_t sent_ = 0;              // of both
  size_t sent_at_deadline_ = 0;  // when that was set
};

}  // namespace leasehold
