// Handles visitors' requests: answers them, defers them until the loop has turned, or refuses them.
#include "broker/ports/http/worker.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

/// Liveness that is older than this is asked for again.
constexpr int64_t kLivenessMs = 500;
/// A question waits so long for a turn of the loop and then uses the notice that there is; readyz
/// is refused then.
constexpr int64_t kTurnMs = 5'000;

}  // namespace

/// Handles each request whose head has come, one after the other: the next once this is answered.
void HttpWorker::serve(Id id) {
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

void HttpWorker::receive(Id id, Connection& connection, const RequestHead& head) {
  if (connection.in_reserve) {
    connection.way.keep_alive = false;
    if (!asks_for_probe(head, notice_)) return refuse(id, connection, every_place_taken());
  }
  front_.counts.waiting = static_cast<int64_t>(answers_.waiting());
  Outcome outcome = front_.receive(head, connection.peer(), notice_, now_ms_);
  connection.visitor = outcome.visitor;
  connection.if_none_match = head.field("if-none-match");
  if (outcome.reply) return answer(id, std::move(outcome.reply));
  if (outcome.stream) return begin_stream(id, connection, std::move(outcome));
  const Route& route = outcome.inquiry->route;
  const bool of_agents = tells_of_agents(*outcome.inquiry);
  const bool is_fresh = notice_.liveness != nullptr && now_ms_ - liveness_seen_ms_ < kLivenessMs;
  connection.wait(now_ms_);
  poll_.change(connection.fd(), id, connection.events());
  if (route.kind == RouteKind::readyz || (of_agents && !is_fresh)) {
    return defer(id, *std::move(outcome.inquiry));
  }
  ask(id, connection, *std::move(outcome.inquiry));
}

void HttpWorker::defer(Id id, Inquiry inquiry) {
  const uint64_t turn =
      inquiry.route.kind == RouteKind::readyz ? notice_.turn : notice_.liveness_turn;
  deferred_[id] = {std::move(inquiry), turn, now_ms_ + kTurnMs};
  bulletin_->ask();
}

/// Asks the deferred questions for which the loop has turned, or which have waited for too long.
void HttpWorker::ask_deferred() {
  std::vector<Id> asked;
  for (auto each = deferred_.begin(); each != deferred_.end();) {
    auto& [id, deferred] = *each;
    const bool ready = deferred.inquiry.route.kind == RouteKind::readyz;
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
                         "the broker has made no progress for " + format_duration(kTurnMs),
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

void HttpWorker::ask(Id id, Connection& connection, Inquiry inquiry) {
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

void HttpWorker::refuse(Id id, Connection& connection, const Refusal& refusal) {
  answer(id, front_.refuse(refusal, connection.peer(), now_ms_));
}

void HttpWorker::answer(Id id, std::shared_ptr<const Reply> reply) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = *found->second;
  reply = Front::unless_known(std::move(reply), connection.if_none_match);
  connection.send(std::move(reply), connection.way, now_ms_);
  write(id, connection);
}

void HttpWorker::send_answers() {
  for (Answers::Ready& ready : answers_.collect(now_ms_)) {
    for (const Answers::Waiter waiter : ready.waiters) {
      answer(waiter, ready.reply);
      serve(waiter);
    }
  }
}

}  // namespace leasehold
