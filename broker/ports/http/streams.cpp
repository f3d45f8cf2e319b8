// The streams of events: which connections have one, and when the loop must signal something new.
#include "broker/ports/http/worker.hpp"

namespace leasehold {

/// True if the loop must signal its next turn. A stream that was sent something lately looks by
/// itself when it may be sent more, so that the loop need not signal each commit.
bool HttpWorker::waits_for_loop() const {
  if (!deferred_.empty()) return true;
  bool waits = false;
  for (const auto& [id, each] : connections_) {
    if (!each->stream) continue;
    waits = true;
    const int64_t next_ms = each->stream->next_ms(notice_);
    if (next_ms <= now_ms_ + Stream::kBetween_ms) return false;
  }
  return waits;
}

OrRefusal<void> HttpWorker::room_for_stream(const std::string& address) const {
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

void HttpWorker::begin_stream(Id id, Connection& connection, Outcome outcome) {
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

void HttpWorker::feed_streams() {
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
    if (connection.has_unsent()) continue;  // it gets the newest event when it has read this
    const std::string text = connection.stream->next(notice_, begun_, now_ms_);
    if (text.empty()) continue;
    connection.add(text, now_ms_);
    write(id, connection);
  }
}

}  // namespace leasehold
