// HttpWorker is the inside of HttpServer: its thread, its connections, and what each waits for.
// Only server.cpp uses it. It is made in worker.cpp (the thread, connections that come and go),
// requests.cpp (how requests are answered) and streams.cpp.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "broker/ports/http/answers/answers.hpp"
#include "broker/ports/http/answers/front.hpp"
#include "broker/ports/http/connection.hpp"
#include "broker/ports/http/listener.hpp"
#include "broker/ports/http/parts.hpp"
#include "broker/ports/http/poll.hpp"

namespace leasehold {

class HttpWorker {
 public:
  HttpWorker(HttpSocket socket, HttpParts parts);

  void begin();
  void end();
  const std::string& address() const { return socket_.address; }

 private:
  using Id = uint64_t;
  /// A question that waits for a turn of the loop: it needs fresh liveness, or that the loop turns.
  struct Deferred {
    Inquiry inquiry;
    uint64_t turn = 0;  // any later turn will do
    int64_t until_ms = 0;
  };

  void run();
  void handle(const Poll::Ready& ready);
  void look_at_notice();
  bool waits_for_loop() const;
  int64_t wait_ms();
  int64_t next_ms() const;

  void let_in();
  bool make_room();
  bool make_room_in_reserve();
  std::map<uint64_t, std::unique_ptr<Connection>>::iterator oldest_asking_nothing(bool in_reserve);
  void turn_away(Newcomer newcomer);

  void read(Id id, Connection& connection);
  void serve(Id id);
  void receive(Id id, Connection& connection, const RequestHead& head);
  void begin_stream(Id id, Connection& connection, Outcome outcome);
  OrRefusal<void> room_for_stream(const std::string& address) const;
  void defer(Id id, Inquiry inquiry);
  void ask(Id id, Connection& connection, Inquiry inquiry);
  void refuse(Id id, Connection& connection, const Refusal& refusal);
  void answer(Id id, std::shared_ptr<const Reply> reply);
  void write(Id id, Connection& connection);
  void close(Id id);

  void send_answers();
  void ask_deferred();
  void feed_streams();
  void end_slow();

  HttpSocket socket_;
  std::shared_ptr<Bulletin> bulletin_;
  Front front_;
  Answers answers_;
  Poll poll_;
  WakeFd over_signal_;
  std::thread thread_;

  // Only the thread uses these, but for over_:
  int64_t now_ms_ = 0;
  Instant begun_;
  Notice notice_;
  std::shared_ptr<const InForce> streams_by_;  // the configuration that streams were let in by
  int64_t liveness_seen_ms_ = 0;
  uint64_t liveness_seen_ = 0;
  int64_t accept_from_ms_ = 0;  // no file could be opened: none is accepted before; 0: now
  std::atomic<bool> over_{false};
  Id id_next_ = 1;
  std::map<Id, std::unique_ptr<Connection>> connections_;
  int64_t in_reserve_ = 0;  // connections
  std::map<Id, Deferred> deferred_;
  std::map<std::string, int64_t> streams_of_;  // by address
};

}  // namespace leasehold
