// Requests are what visitors ask on their connections: each, once its head has come, is answered at
// once, asked of the threads that make answers, deferred until the loop has turned, made a stream
// or refused. Nothing here waits: the server's thread (worker.hpp) says what is ready.
#pragma once

#include <array>
#include <memory>

#include "broker/ports/http/answers/answers.hpp"
#include "broker/ports/http/answers/front.hpp"
#include "broker/ports/http/connections.hpp"
#include "broker/ports/http/deferred.hpp"
#include "broker/ports/http/parts.hpp"
#include "broker/ports/http/streams.hpp"

namespace leasehold {

class Requests {
 public:
  using Id = Connections::Id;

  Requests(HttpParts parts, Poll& poll);

  // A turn of the server's thread is begin_turn(), then what is ready, then end_turn().
  void begin_turn(int64_t now_ms);
  void let_in(Newcomer newcomer);
  /// A connection is ready: `events` are EPOLLIN and others. It may have ended.
  void go_on(Id id, uint32_t events);
  void send_answers();
  void end_turn();

  /// Returns when the next turn is needed though nothing is ready. 0: at once.
  int64_t next_ms();
  /// They are readable when answers are ready: send_answers().
  std::array<int, 2> answer_fds() const { return answers_.fds(); }
  size_t connections() const { return connections_.all().size(); }
  /// Waits for the answers that are being made.
  void end() { answers_.end(); }

 private:
  void serve(Id id);
  void receive(Id id, Connection& connection, const RequestHead& head);
  void begin_stream(Id id, Connection& connection, Outcome outcome);
  void ask(Id id, Connection& connection, Inquiry inquiry);
  void refuse(Id id, Connection& connection, const Refusal& refusal);
  void answer(Id id, std::shared_ptr<const Reply> reply);
  void write(Id id, Connection& connection);
  void close(Id id);

  void count();
  void ask_deferred();
  void feed_streams();
  void end_slow();

  std::shared_ptr<Bulletin> bulletin_;
  Notice notice_;  // read at the beginning of the turn
  int64_t now_ms_ = 0;
  Front front_;
  Answers answers_;
  Connections connections_;
  Deferred deferred_;
  Streams streams_;
};

}  // namespace leasehold
