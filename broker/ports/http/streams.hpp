// Streams are the open streams of events, by connection: how many there may be, what each is sent
// next, and which of them end because a reload took the visitor's rights away.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "broker/ports/http/answers/stream.hpp"
#include "broker/ports/http/request/visitor.hpp"

namespace leasehold {

class Streams {
 public:
  using Id = uint64_t;  // of its connection

  /// `started` is when this broker started.
  explicit Streams(Instant started) : started_(started) {}

  /// Refused: there are as many as may be, of this address or of all.
  OrRefusal<void> begin(Id id, Stream stream, Visitor visitor, const HttpConfig& limits);
  void end(Id id) { all_.erase(id); }
  size_t count() const { return all_.size(); }

  /// Returns the streams whose visitors have lost their rights since the last call.
  std::vector<Id> unwelcome(const Notice& notice);
  std::vector<Id> ids() const;
  /// Returns the text to be sent now; "": nothing. Contract: the stream is open.
  std::string next(Id id, const Notice& notice, int64_t now_ms);
  /// Returns when to call next() again though nothing changed. Contract: the stream is open.
  int64_t next_ms(Id id, const Notice& notice) const { return all_.at(id).stream.next_ms(notice); }
  /// True if the loop must signal its next turn. A stream that was sent something lately looks by
  /// itself when it may be sent more, so that the loop need not signal each commit.
  bool wait_for_loop(const Notice& notice, int64_t now_ms) const;

 private:
  struct Open {
    Stream stream;
    Visitor visitor;
  };

  Instant started_;
  std::map<Id, Open> all_;
  std::shared_ptr<const InForce> let_in_by_;  // the configuration that all have rights by
};

}  // namespace leasehold
