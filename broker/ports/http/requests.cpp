#include "broker/ports/http/requests.hpp"

#include <sys/epoll.h>

#include <algorithm>

#include "common/time/clock.hpp"

namespace leasehold {

namespace {

Refusal busy(ErrorCode code, std::string message) {
  return {503, Error{code, std::move(message), {}, 0, 0}};
}

}  // namespace

Requests::Requests(HttpParts parts, Poll& poll)
    : bulletin_(std::move(parts.bulletin)),
      front_(parts.page, parts.guide),
      answers_(std::move(parts.lookups)),
      connections_(poll),
      streams_(wall_time()) {}

void Requests::begin_turn(int64_t now_ms) {
  now_ms_ = now_ms;
  notice_ = bulletin_->read();
  deferred_.look(notice_, now_ms_);
}

void Requests::end_turn() {
  ask_deferred();
  feed_streams();
  end_slow();
}

int64_t Requests::next_ms() {
  if (!deferred_.empty() || streams_.wait_for_loop(notice_, now_ms_)) {
    bulletin_->want_turn();
    if (bulletin_->turn() != notice_.turn) return 0;  // want_turn() came too late for that turn
  }
  int64_t next = std::min(now_ms_ + 60'000, deferred_.next_ms());
  for (const auto& [id, each] : connections_.all()) {
    next = std::min(next, each.deadline_ms());
    const bool is_fed = each.stage() == Connection::Stage::streaming && !each.has_unsent();
    if (is_fed) next = std::min(next, streams_.next_ms(id, notice_));
  }
  return next;
}

void Requests::let_in(Newcomer newcomer) {
  const int64_t most =
      notice_.in_force ? notice_.in_force->access->http.connections : HttpConfig().connections;
  if (connections_.let_in(newcomer, most, now_ms_)) return;
  Connection connection(std::move(newcomer.socket), std::move(newcomer.peer), now_ms_);
  connection.way = {true, false, wall_time(), {}};
  connection.send(front_.refuse(every_place_taken(), connection.peer(), now_ms_), now_ms_);
  connection.write(now_ms_);
}

void Requests::go_on(Id id, uint32_t events) {
  Connection* connection = connections_.find(id);
  if (connection == nullptr) return;
  if ((events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) != 0) return close(id);
  if ((events & EPOLLIN) != 0) {
    if (!connection->receive(now_ms_)) return close(id);
  } else if ((events & EPOLLOUT) != 0) {
    write(id, *connection);
  }
  serve(id);  // after an answer it may have asked for more already
}

/// Handles each request whose head has come, one after the other: the next once this is answered.
void Requests::serve(Id id) {
  while (Connection* connection = connections_.find(id)) {
    if (connection->idle() || connection->stage() != Connection::Stage::reading) return;
    const OrRefusal<std::optional<size_t>> end = head_end(connection->unread());
    if (end && !*end) return;
    OrRefusal<RequestHead> head = end ? read_head(connection->unread().substr(0, **end))
                                      : OrRefusal<RequestHead>(tl::unexpected(end.error()));
    connection->way = {true, false, wall_time(), {}};
    if (!head) return refuse(id, *connection, head.error());
    connection->took(**end);
    connection->way = {head->method != "HEAD", head->keep_alive, wall_time(),
                       head->field("if-none-match")};
    receive(id, *connection, *head);
  }
}

void Requests::receive(Id id, Connection& connection, const RequestHead& head) {
  if (connection.in_reserve) {
    connection.way.keep_alive = false;
    if (!asks_for_probe(head, notice_)) return refuse(id, connection, every_place_taken());
  }
  count();
  Outcome outcome = front_.receive(head, connection.peer(), notice_, now_ms_);
  if (outcome.reply) return answer(id, std::move(outcome.reply));
  if (outcome.stream) return begin_stream(id, connection, std::move(outcome));
  connection.wait(now_ms_);
  connections_.watch(id);
  if (!deferred_.must_wait(*outcome.inquiry, now_ms_)) {
    return ask(id, connection, *std::move(outcome.inquiry));
  }
  deferred_.add(id, *std::move(outcome.inquiry), std::move(outcome.visitor), now_ms_);
  bulletin_->ask();
}

/// Counts what is there now, for an answer that tells of it.
void Requests::count() {
  front_.counts.connections = static_cast<int64_t>(connections_.all().size());
  front_.counts.turned_away = connections_.turned_away();
  front_.counts.streams = static_cast<int64_t>(streams_.count());
  front_.counts.waiting = static_cast<int64_t>(answers_.waiting());
}

void Requests::begin_stream(Id id, Connection& connection, Outcome outcome) {
  if (!connection.way.with_body) {
    Reply reply;
    reply.type = "text/event-stream";
    return answer(id, std::make_shared<const Reply>(std::move(reply)));
  }
  const auto begun = streams_.begin(id, *std::move(outcome.stream), std::move(outcome.visitor),
                                    notice_.in_force->access->http);
  if (!begun) return refuse(id, connection, begun.error());
  connection.begin_stream(now_ms_);
  write(id, connection);
}

void Requests::ask_deferred() {
  for (Deferred::Question& question : deferred_.take(notice_, now_ms_)) {
    Connection& connection = *connections_.find(question.id);
    if (question.rights_changed) {
      refuse(question.id, connection, rights_changed());
    } else if (question.silent) {
      refuse(question.id, connection,
             busy(ErrorCode::io,
                  "the broker has made no progress for " + format_duration(Deferred::kTurn_ms)));
    } else {
      ask(question.id, connection, std::move(question.inquiry));
    }
    serve(question.id);
  }
}

void Requests::ask(Id id, Connection& connection, Inquiry inquiry) {
  if (auto made = answers_.made(inquiry, now_ms_)) return answer(id, std::move(made));
  const int64_t most = notice_.in_force->access->http.answers_mb << 20U;
  if (answers_.held_bytes() >= most) {
    return refuse(id, connection,
                  busy(ErrorCode::refused,
                       "too many answers wait to be read ([http] answers_mb); ask again"));
  }
  if (answers_.ask(std::move(inquiry), id)) return;
  refuse(id, connection,
         busy(ErrorCode::refused, "too many questions wait for answers; ask again"));
}

void Requests::refuse(Id id, Connection& connection, const Refusal& refusal) {
  answer(id, front_.refuse(refusal, connection.peer(), now_ms_));
}

void Requests::answer(Id id, std::shared_ptr<const Reply> reply) {
  Connection* connection = connections_.find(id);
  if (connection == nullptr) return;
  connection->send(Front::unless_known(std::move(reply), connection->way.if_none_match), now_ms_);
  write(id, *connection);
}

void Requests::send_answers() {
  for (Answers::Ready& ready : answers_.collect(now_ms_)) {
    for (const Answers::Waiter waiter : ready.waiters) {
      answer(waiter, ready.reply);
      serve(waiter);
    }
  }
}

void Requests::write(Id id, Connection& connection) {
  if (!connection.write(now_ms_)) return close(id);
  connections_.watch(id);
}

void Requests::close(Id id) {
  const Connection* connection = connections_.find(id);
  if (connection == nullptr) return;
  if (connection->stage() == Connection::Stage::waiting) answers_.leave(id);
  streams_.end(id);
  deferred_.forget(id);
  connections_.end(id);
}

void Requests::feed_streams() {
  if (notice_.in_force == nullptr) return;
  for (const Id id : streams_.unwelcome(notice_)) close(id);
  for (const Id id : streams_.ids()) {
    Connection& connection = *connections_.find(id);
    if (connection.has_unsent()) continue;  // it gets the newest event when it has read this
    const std::string text = streams_.next(id, notice_, now_ms_);
    if (text.empty()) continue;
    connection.add(text, now_ms_);
    write(id, connection);
  }
}

void Requests::end_slow() {
  std::vector<Id> slow;
  for (const auto& [id, each] : connections_.all()) {
    if (each.deadline_ms() > now_ms_) continue;
    slow.push_back(id);
    const bool owes = !each.idle() && each.stage() != Connection::Stage::closing;
    front_.counts.slow += owes ? 1 : 0;
  }
  for (const Id id : slow) close(id);
}

}  // namespace leasehold
