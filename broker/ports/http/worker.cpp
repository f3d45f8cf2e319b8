#include "broker/ports/http/worker.hpp"

#include <pthread.h>
#include <sys/epoll.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "common/check.hpp"
#include "common/log.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

// Numbers below kConnections stand for files that are no connections.
constexpr uint64_t kListener = 1;
constexpr uint64_t kTurnEnded = 2;
constexpr uint64_t kPresent = 3;
constexpr uint64_t kPast = 4;
constexpr uint64_t kOver = 5;
constexpr uint64_t kConnections = 16;

constexpr int kAcceptsPerTurn = 64;
constexpr int64_t kAcceptAgain_ms = 1'000;
constexpr int64_t kReserve = 16;  // connections beyond [http] connections

}  // namespace

HttpWorker::HttpWorker(HttpSocket socket, HttpParts parts)
    : socket_(std::move(socket)),
      bulletin_(std::move(parts.bulletin)),
      front_(parts.page, parts.guide),
      answers_(std::move(parts.lookups)),
      begun_(wall_time()),
      id_next_(kConnections) {
  poll_.watch(socket_.file.fd(), kListener, EPOLLIN);
  poll_.watch(bulletin_->turn_fd(), kTurnEnded, EPOLLIN);
  poll_.watch(answers_.fds()[0], kPresent, EPOLLIN);
  poll_.watch(answers_.fds()[1], kPast, EPOLLIN);
  poll_.watch(over_signal_.fd(), kOver, EPOLLIN);
}

void HttpWorker::begin() {
  thread_ = std::thread([this] { run(); });
}

void HttpWorker::end() {
  over_ = true;
  over_signal_.wake();
  if (thread_.joinable()) thread_.join();
  answers_.end();
}

void HttpWorker::run() {
  while (!over_) {
    const std::vector<Poll::Ready> all = poll_.wait(wait_ms());
    now_ms_ = boottime_ms();
    look_at_notice();
    for (const Poll::Ready& ready : all) handle(ready);
    ask_deferred();
    feed_streams();
    end_slow();
  }
}

/// Returns how long to wait for files. 0: the loop has turned since the last look at the bulletin,
/// which want_turn() came too late for.
int64_t HttpWorker::wait_ms() {
  if (waits_for_loop()) {
    bulletin_->want_turn();
    if (bulletin_->turn() != notice_.turn) return 0;
  }
  return next_ms() - boottime_ms();
}

void HttpWorker::look_at_notice() {
  notice_ = bulletin_->read();
  if (notice_.liveness_turn == liveness_seen_) return;
  liveness_seen_ = notice_.liveness_turn;
  liveness_seen_ms_ = now_ms_;
}

int64_t HttpWorker::next_ms() const {
  int64_t next = now_ms_ + 60'000;
  if (accept_from_ms_ > now_ms_) next = std::min(next, accept_from_ms_);
  for (const auto& [id, each] : connections_) {
    next = std::min(next, each->deadline_ms());
    if (each->stream && !each->has_unsent()) next = std::min(next, each->stream->next_ms(notice_));
  }
  for (const auto& [id, each] : deferred_) next = std::min(next, each.until_ms);
  return next;
}

void HttpWorker::handle(const Poll::Ready& ready) {
  if (ready.id == kListener) return let_in();
  if (ready.id == kTurnEnded) return bulletin_->clear_turn();
  if (ready.id == kPresent || ready.id == kPast) return send_answers();
  const auto found = connections_.find(ready.id);
  if (found == connections_.end()) return;
  Connection& connection = *found->second;
  if ((ready.events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) != 0) return close(ready.id);
  if ((ready.events & EPOLLIN) != 0) return read(ready.id, connection);
  if ((ready.events & EPOLLOUT) == 0) return;
  write(ready.id, connection);
  serve(ready.id);  // it may have asked for more already
}

void HttpWorker::let_in() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    std::optional<Newcomer> newcomer = accept_http(socket_.file);
    if (!newcomer) {
      if (errno != EMFILE && errno != ENFILE) return;
      accept_from_ms_ = now_ms_ + kAcceptAgain_ms;
      poll_.change(socket_.file.fd(), kListener, 0);
      return log_warn("http-file-limit-reached",
                      {{"connections", front_.counts.connections},
                       {"why", "the process has too many open files"},
                       {"then", "new connections wait"},
                       {"do", "raise LimitNOFILE, or lower [http] connections"}});
    }
    const bool room = make_room();
    if (!room && !make_room_in_reserve()) {
      turn_away(*std::move(newcomer));
      continue;
    }
    const Id id = id_next_++;
    auto connection = std::make_unique<Connection>(std::move(newcomer->socket),
                                                   std::move(newcomer->peer), now_ms_);
    connection->in_reserve = !room;
    in_reserve_ += room ? 0 : 1;
    poll_.watch(connection->fd(), id, connection->events());
    connections_.emplace(id, std::move(connection));
    ++front_.counts.connections;
  }
}

std::map<uint64_t, std::unique_ptr<Connection>>::iterator HttpWorker::oldest_asking_nothing(
    bool in_reserve) {
  auto oldest = connections_.end();
  const auto gives_way = [&](const Connection& one) {
    if (!one.asks_nothing() || one.in_reserve != in_reserve) return false;
    if (oldest == connections_.end()) return true;
    const Connection& other = *oldest->second;
    return one.idle() != other.idle() ? one.idle() : one.since_ms() < other.since_ms();
  };
  for (auto each = connections_.begin(); each != connections_.end(); ++each) {
    if (gives_way(*each->second)) oldest = each;
  }
  return oldest;
}

/// Ends the connection that has been idle for longest, or, if none is idle, the one that has been
/// sending a head for longest. False: all places are taken by requests under way.
bool HttpWorker::make_room() {
  const int64_t most =
      notice_.in_force ? notice_.in_force->access->http.connections : HttpConfig().connections;
  if (front_.counts.connections - in_reserve_ < most) return true;
  const auto oldest = oldest_asking_nothing(false);
  ++front_.counts.turned_away;
  if (oldest == connections_.end()) return false;
  close(oldest->first);
  return true;
}

/// Makes room for one of a few more connections, for probes: a broker that visitors keep busy must
/// not be taken for a dead one.
bool HttpWorker::make_room_in_reserve() {
  if (in_reserve_ < kReserve) return true;
  const auto oldest = oldest_asking_nothing(true);
  if (oldest == connections_.end()) return false;
  close(oldest->first);
  return true;
}

void HttpWorker::turn_away(Newcomer newcomer) {
  Connection connection(std::move(newcomer.socket), newcomer.peer, now_ms_);
  connection.send(front_.refuse(every_place_taken(), connection.peer(), now_ms_),
                  {true, false, wall_time()}, now_ms_);
  connection.write(now_ms_);
}

void HttpWorker::read(Id id, Connection& connection) {
  if (!connection.receive(now_ms_)) return close(id);
  serve(id);
}

void HttpWorker::write(Id id, Connection& connection) {
  if (!connection.write(now_ms_)) return close(id);
  poll_.change(connection.fd(), id, connection.events());
}

void HttpWorker::close(Id id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  const Connection& connection = *found->second;
  if (connection.stream) {
    --front_.counts.streams;
    if (--streams_of_[connection.visitor.address] == 0) {
      streams_of_.erase(connection.visitor.address);
    }
  }
  if (connection.stage() == Connection::Stage::waiting) answers_.leave(id);
  in_reserve_ -= connection.in_reserve ? 1 : 0;
  poll_.forget(connection.fd());
  deferred_.erase(id);
  connections_.erase(found);
  --front_.counts.connections;
}

void HttpWorker::end_slow() {
  if (accept_from_ms_ != 0 && now_ms_ >= accept_from_ms_) {
    accept_from_ms_ = 0;
    poll_.change(socket_.file.fd(), kListener, EPOLLIN);
  }
  std::vector<Id> slow;
  for (const auto& [id, each] : connections_) {
    if (each->deadline_ms() <= now_ms_) slow.push_back(id);
  }
  for (const Id id : slow) {
    const Connection& connection = *connections_.at(id);
    if (!connection.idle() && connection.stage() != Connection::Stage::closing) {
      ++front_.counts.slow;
    }
    close(id);
  }
}

}  // namespace leasehold
