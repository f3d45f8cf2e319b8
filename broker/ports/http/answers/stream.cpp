#include "broker/ports/http/answers/stream.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "broker/views/json.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string broker_event(const Notice& notice, Instant begun) {
  const Json broker{{"name", notice.in_force->name},
                    {"version", kVersion},
                    {"mode", std::string(token(notice.in_force->mode))},
                    {"started", format_utc(begun)},
                    {"nobody_leads", nobody_json(notice.leader_view.nobody)}};
  return "retry: 2000\nevent: broker\ndata: " + text_of(broker) + "\n\n";
}

std::string state_event(const Notice& notice) {
  const Json state{{"event", notice.event},
                   {"time", format_utc(notice.event_time)},
                   {"evaluated", format_utc(notice.now)}};
  return "event: state\nid: " + std::to_string(notice.event) + "\ndata: " + text_of(state) + "\n\n";
}

/// Returns the sentence that nobody leads; "": somebody leads, as far as this broker knows.
std::string nobody_of(const Notice& notice) {
  return notice.leader_view.nobody ? describe(*notice.leader_view.nobody) : "";
}

}  // namespace

Stream::Stream(std::string_view last_event_id) {
  int64_t id = 0;
  const char* end = last_event_id.data() + last_event_id.size();
  const auto [rest, code] = std::from_chars(last_event_id.data(), end, id);
  if (!last_event_id.empty() && code == std::errc() && rest == end) seen_ = id;
}

std::string Stream::next(const Notice& notice, Instant begun, int64_t now_ms) {
  std::string text;
  const bool may_send_state = now_ms >= state_from_ms_;
  std::string nobody = nobody_of(notice);
  if (!begun_ || (may_send_state && nobody != nobody_)) {
    if (begun_) state_from_ms_ = now_ms + kBetween_ms;
    begun_ = true;
    nobody_ = std::move(nobody);
    text = broker_event(notice, begun);
  }
  if (seen_ != notice.event && may_send_state) {
    text += state_event(notice);
    seen_ = notice.event;
    state_from_ms_ = now_ms + kBetween_ms;
  }
  if (text.empty() && now_ms >= heartbeat_ms_) text = ": nothing new\n\n";
  if (!text.empty()) heartbeat_ms_ = now_ms + kHeartbeat_ms;
  return text;
}

int64_t Stream::next_ms(const Notice& notice) const {
  const bool is_sent = seen_ == notice.event && nobody_ == nobody_of(notice);
  return is_sent ? heartbeat_ms_ : std::min(state_from_ms_, heartbeat_ms_);
}

}  // namespace leasehold
