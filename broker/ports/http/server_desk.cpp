#include "broker/ports/http/server_desk.hpp"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "common/check.hpp"
#include "common/clock.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

// What is no connection has a number below these.
constexpr uint64_t kListener = 1;
constexpr uint64_t kTold = 2;
constexpr uint64_t kPresent = 3;
constexpr uint64_t kPast = 4;
constexpr uint64_t kOver = 5;
constexpr uint64_t kConnections = 16;

constexpr int kAcceptsPerTurn = 64;
constexpr int64_t kAcceptAgain_ms = 1'000;
/// What the loop knows of its agents may be so old.
constexpr int64_t kLivenessMs = 500;
/// A question waits so long for the loop's word and then takes what there is; readyz does not.
constexpr int64_t kTurnMs = 5'000;

}  // namespace

HttpServer::Desk::Desk(HttpSocket socket, Parts parts)
    : socket_(std::move(socket)),
      bulletin_(std::move(parts.bulletin)),
      front_(parts.page),
      answers_(std::move(parts.lookups)),
      over_signal_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      begun_(wall_time()),
      id_next_(kConnections) {
  LEASEHOLD_CHECK(over_signal_.fd() >= 0, "the process may open one more file");
  poll_.watch(socket_.file.fd(), kListener, EPOLLIN);
  poll_.watch(bulletin_->told_fd(), kTold, EPOLLIN);
  poll_.watch(answers_.fds()[0], kPresent, EPOLLIN);
  poll_.watch(answers_.fds()[1], kPast, EPOLLIN);
  poll_.watch(over_signal_.fd(), kOver, EPOLLIN);
}

void HttpServer::Desk::begin() {
  thread_ = std::thread([this] { run(); });
}

void HttpServer::Desk::end() {
  over_ = true;
  give_signal(over_signal_.fd());
  if (thread_.joinable()) thread_.join();
  answers_.end();
}

void HttpServer::Desk::run() {
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

/// A stream that was told of something lately looks by itself when it may be told again: the loop
/// has not to say of each commit that there is one.
bool HttpServer::Desk::waits_for_loop() const {
  if (!deferred_.empty()) return true;
  bool waits = false;
  for (const auto& [id, each] : connections_) {
    if (!each->stream) continue;
    waits = true;
    const int64_t due_ms = each->stream->due_ms(notice_);
    if (due_ms <= now_ms_ + Stream::kBetween_ms) return false;
  }
  return waits;
}

/// What the loop said before it knew that somebody waits for it is looked at now.
int64_t HttpServer::Desk::wait_ms() {
  if (waits_for_loop()) {
    bulletin_->want_told();
    if (bulletin_->turn() != notice_.turn) return 0;
  }
  return next_ms() - boottime_ms();
}

void HttpServer::Desk::look_at_notice() {
  notice_ = bulletin_->read();
  if (notice_.liveness_turn == liveness_seen_) return;
  liveness_seen_ = notice_.liveness_turn;
  liveness_seen_ms_ = now_ms_;
}

int64_t HttpServer::Desk::next_ms() const {
  int64_t next = now_ms_ + 60'000;
  if (accept_from_ms_ > now_ms_) next = std::min(next, accept_from_ms_);
  for (const auto& [id, each] : connections_) {
    next = std::min(next, each->deadline_ms());
    if (each->stream && !each->has_unsent()) next = std::min(next, each->stream->due_ms(notice_));
  }
  for (const auto& [id, each] : deferred_) next = std::min(next, each.until_ms);
  return next;
}

void HttpServer::Desk::handle(const Poll::Ready& ready) {
  if (ready.id == kListener) return let_in();
  if (ready.id == kTold) return take_signals(bulletin_->told_fd());
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

void HttpServer::Desk::let_in() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    std::optional<Newcomer> newcomer = accept_http(socket_.file);
    if (!newcomer) {
      if (errno != EMFILE && errno != ENFILE) return;
      accept_from_ms_ = now_ms_ + kAcceptAgain_ms;
      poll_.change(socket_.file.fd(), kListener, 0);
      return log_warn("http-no-files", {{"connections", front_.counts.connections}});
    }
    if (!make_room()) {
      turn_away(*std::move(newcomer));
      continue;
    }
    const Id id = id_next_++;
    auto connection = std::make_unique<Connection>(std::move(newcomer->socket),
                                                   std::move(newcomer->peer), now_ms_);
    poll_.watch(connection->fd(), id, connection->events());
    connections_.emplace(id, std::move(connection));
    ++front_.counts.connections;
  }
}

/// Who has asked for nothing, the longest, gives up its place.
bool HttpServer::Desk::make_room() {
  const int64_t most =
      notice_.in_force ? notice_.in_force->access->http.connections : HttpConfig().connections;
  if (front_.counts.connections < most) return true;
  auto oldest = connections_.end();
  for (auto each = connections_.begin(); each != connections_.end(); ++each) {
    if (!each->second->idle()) continue;
    if (oldest == connections_.end() || each->second->since_ms() < oldest->second->since_ms()) {
      oldest = each;
    }
  }
  ++front_.counts.turned_away;
  if (oldest == connections_.end()) return false;
  close(oldest->first);
  return true;
}

void HttpServer::Desk::turn_away(Newcomer newcomer) {
  Connection connection(std::move(newcomer.socket), newcomer.peer, now_ms_);
  const Refusal full{
      503, Error{ErrorCode::refused, "every connection is taken ([http] connections)", {}, 0, 0}};
  connection.send(front_.refuse(full, connection.peer(), now_ms_), {true, false, wall_time()},
                  now_ms_);
  connection.write(now_ms_);
}

void HttpServer::Desk::read(Id id, Connection& connection) {
  if (!connection.receive(now_ms_)) return close(id);
  serve(id);
}

/// Every request whose head is there, one after the other: the next when this one is answered.
void HttpServer::Desk::serve(Id id) {
  for (auto found = connections_.find(id); found != connections_.end();
       found = connections_.find(id)) {
    Connection& connection = *found->second;
    if (connection.idle() || connection.stage() != Connection::Stage::reading) return;
    const OrRefusal<std::optional<size_t>> end = head_end(connection.unread());
    if (end && !*end) return;
    OrRefusal<RequestHead> head = end ? read_head(connection.unread().substr(0, **end))
                                      : OrRefusal<RequestHead>(tl::unexpected(end.error()));
    connection.way = {true, false, wall_time()};
    if (!head) return refuse(id, connection, head.error());
    connection.took(**end);
    connection.way = {head->method != "HEAD", head->keep_alive, wall_time()};
    receive(id, connection, *head);
  }
}

void HttpServer::Desk::receive(Id id, Connection& connection, const RequestHead& head) {
  Outcome outcome = front_.receive(head, connection.peer(), notice_, now_ms_);
  connection.visitor = outcome.visitor;
  connection.if_none_match = head.field("if-none-match");
  if (outcome.reply) return answer(id, std::move(outcome.reply));
  if (outcome.stream) return begin_stream(id, connection, std::move(outcome));
  const Route& route = outcome.inquiry->route;
  const bool of_agents =
      route.door == Door::question && route.request.row->of_agents && !is_of_past(*outcome.inquiry);
  const bool heard = notice_.liveness != nullptr && now_ms_ - liveness_seen_ms_ < kLivenessMs;
  connection.wait(now_ms_);
  poll_.change(connection.fd(), id, connection.events());
  if (route.door == Door::readyz || (of_agents && !heard)) {
    return defer(id, *std::move(outcome.inquiry));
  }
  ask(id, connection, *std::move(outcome.inquiry));
}

void HttpServer::Desk::defer(Id id, Inquiry inquiry) {
  const uint64_t turn = inquiry.route.door == Door::readyz ? notice_.turn : notice_.liveness_turn;
  deferred_[id] = {std::move(inquiry), turn, now_ms_ + kTurnMs};
  bulletin_->ask();
}

/// Once the loop has said what they wait for, or has not for too long.
void HttpServer::Desk::ask_deferred() {
  std::vector<Id> asked;
  for (auto each = deferred_.begin(); each != deferred_.end();) {
    auto& [id, deferred] = *each;
    const bool ready = deferred.inquiry.route.door == Door::readyz;
    const uint64_t turn = ready ? notice_.turn : notice_.liveness_turn;
    if (turn <= deferred.turn && now_ms_ < deferred.until_ms) {
      ++each;
      continue;
    }
    const bool silent = turn <= deferred.turn && (ready || !notice_.liveness);
    Inquiry inquiry = std::move(deferred.inquiry);
    const Id asker = id;
    each = deferred_.erase(each);
    Connection& connection = *connections_.at(asker);
    inquiry.notice = notice_;
    if (silent) {
      refuse(asker, connection,
             {503, Error{ErrorCode::io,
                         "the broker's loop has not turned for " + format_duration(kTurnMs),
                         {},
                         0,
                         0}});
    } else {
      ask(asker, connection, std::move(inquiry));
    }
    asked.push_back(asker);
  }
  for (const Id id : asked) serve(id);
}

void HttpServer::Desk::ask(Id id, Connection& connection, Inquiry inquiry) {
  if (auto made = answers_.made(inquiry, now_ms_)) return answer(id, std::move(made));
  const int64_t most = notice_.in_force->access->http.answers_mb << 20U;
  if (answers_.held_bytes() >= most) {
    return refuse(id, connection,
                  {503, Error{ErrorCode::refused,
                              "too many answers wait to be read ([http] "
                              "answers_mb); ask again",
                              {},
                              0,
                              0}});
  }
  if (answers_.ask(std::move(inquiry), id)) return;
  refuse(
      id, connection,
      {503, Error{ErrorCode::refused, "too many questions wait for answers; ask again", {}, 0, 0}});
}

void HttpServer::Desk::refuse(Id id, Connection& connection, const Refusal& refusal) {
  answer(id, front_.refuse(refusal, connection.peer(), now_ms_));
}

void HttpServer::Desk::answer(Id id, std::shared_ptr<const Reply> reply) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = *found->second;
  reply = Front::unless_known(std::move(reply), connection.if_none_match);
  connection.send(std::move(reply), connection.way, now_ms_);
  write(id, connection);
}

void HttpServer::Desk::write(Id id, Connection& connection) {
  if (!connection.write(now_ms_)) return close(id);
  poll_.change(connection.fd(), id, connection.events());
}

void HttpServer::Desk::close(Id id) {
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
  poll_.forget(connection.fd());
  deferred_.erase(id);
  connections_.erase(found);
  --front_.counts.connections;
}

OrRefusal<void> HttpServer::Desk::room_for_stream(const std::string& address) const {
  const HttpConfig& limits = notice_.in_force->access->http;
  const auto mine = streams_of_.find(address);
  if (mine != streams_of_.end() && mine->second >= limits.streams_per_address) {
    return leasehold::refuse(429, ErrorCode::refused,
                             "more than " + std::to_string(limits.streams_per_address) +
                                 " streams of one address ([http] streams_per_address)");
  }
  if (front_.counts.streams < limits.streams) return {};
  return leasehold::refuse(
      503, ErrorCode::refused,
      "more than " + std::to_string(limits.streams) + " streams ([http] streams)");
}

void HttpServer::Desk::begin_stream(Id id, Connection& connection, Outcome outcome) {
  if (!connection.way.with_body) {
    Reply reply;
    reply.type = "text/event-stream";
    return answer(id, std::make_shared<const Reply>(std::move(reply)));
  }
  if (auto room = room_for_stream(connection.visitor.address); !room) {
    return refuse(id, connection, room.error());
  }
  ++front_.counts.streams;
  ++streams_of_[connection.visitor.address];
  connection.begin_stream(*outcome.stream, connection.way.date, now_ms_);
  write(id, connection);
}

void HttpServer::Desk::send_answers() {
  for (Answers::Ready& ready : answers_.collect(now_ms_)) {
    for (const Answers::Waiter waiter : ready.waiters) {
      answer(waiter, ready.reply);
      serve(waiter);
    }
  }
}

void HttpServer::Desk::feed_streams() {
  if (front_.counts.streams == 0 || notice_.in_force == nullptr) return;
  const bool others = streams_by_ != notice_.in_force;
  streams_by_ = notice_.in_force;
  std::vector<Id> streams;
  for (const auto& [id, each] : connections_) {
    if (each->stream) streams.push_back(id);
  }
  for (const Id id : streams) {
    Connection& connection = *connections_.at(id);
    if (others && !still_welcome(connection.visitor, *notice_.in_force->access)) {
      close(id);
      continue;
    }
    if (connection.has_unsent()) continue;  // it is told the newest when it has read this
    const std::string text = connection.stream->next(notice_, begun_, now_ms_);
    if (text.empty()) continue;
    connection.add(text, now_ms_);
    write(id, connection);
  }
}

void HttpServer::Desk::end_slow() {
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
