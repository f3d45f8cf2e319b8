#include "broker/ports/agents/limits/waiting.hpp"

#include <algorithm>
#include <utility>

namespace leasehold {

namespace {

constexpr size_t kBytesBeside = 256;  // of a message, for names and lists

}  // namespace

bool agents_say(wire::MessageType type) {
  using enum wire::MessageType;
  return type == hello || type == inventory || type == report || type == state || type == heartbeat;
}

Waiting::Kind Waiting::kind_of(wire::MessageType type) {
  if (type == wire::MessageType::report) return kReport;
  return type == wire::MessageType::state ? kState : kOther;
}

size_t Waiting::bytes_of(const Message& message) {
  return message.frame.bytes.size() + kBytesBeside;
}

void Waiting::forget(Place place) {
  bytes_ -= bytes_of(*place);
  messages_.erase(place);
}

bool Waiting::greets(const std::string& route) const {
  const auto& others = by_kind_[kOther];
  return std::any_of(others.begin(), others.end(), [&](const Place& place) {
    return place->type == wire::MessageType::hello && place->frame.peer == route;
  });
}

size_t Waiting::replace(const Frame& frame, wire::MessageType type) {
  if (kind_of(type) != kOther) return 0;
  auto& others = by_kind_[kOther];
  const auto known = std::find_if(others.begin(), others.end(), [&](const Place& place) {
    return place->type == type && place->frame.peer == frame.peer;
  });
  if (known == others.end()) return 0;
  size_t gone = 1;
  auto& reports = by_kind_[kReport];
  while (type == wire::MessageType::inventory && !reports.empty() &&
         reports.back()->number > (*known)->number) {
    forget(reports.back());
    reports.pop_back();
    ++gone;
  }
  forget(*known);
  others.erase(known);
  return gone;
}

/// The last one stays, however long it is.
size_t Waiting::make_room() {
  size_t gone = 0;
  for (; bytes_ > room_bytes_ && messages_.size() > 1; ++gone) {
    const Place last = std::prev(messages_.end());
    const auto kind = std::find_if(by_kind_.begin(), by_kind_.end(), [&](const auto& places) {
      return !places.empty() && places.front() != last;
    });
    forget(kind->front());
    kind->pop_front();
  }
  return gone;
}

size_t Waiting::put(Frame frame, wire::MessageType type) {
  const size_t replaced = replace(frame, type);
  messages_.push_back({std::move(frame), type, ++number_});
  by_kind_[kind_of(type)].push_back(std::prev(messages_.end()));
  bytes_ += bytes_of(messages_.back());
  return replaced + make_room();
}

Frame Waiting::take() {
  const Place first = messages_.begin();
  by_kind_[kind_of(first->type)].pop_front();
  Frame frame = std::move(first->frame);
  bytes_ -= frame.bytes.size() + kBytesBeside;
  messages_.erase(first);
  return frame;
}

}  // namespace leasehold
