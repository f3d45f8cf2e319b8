#include "broker/ports/http/streams.hpp"

#include <algorithm>

namespace leasehold {

OrRefusal<void> Streams::begin(Id id, Stream stream, Visitor visitor, const HttpConfig& limits) {
  const auto of_address = std::count_if(all_.begin(), all_.end(), [&](const auto& each) {
    return each.second.visitor.address == visitor.address;
  });
  if (of_address >= limits.streams_per_address) {
    return refuse(429, ErrorCode::refused,
                  "more than " + std::to_string(limits.streams_per_address) +
                      " streams of one address ([http] streams_per_address)");
  }
  if (static_cast<int64_t>(all_.size()) >= limits.streams) {
    return refuse(503, ErrorCode::refused,
                  "more than " + std::to_string(limits.streams) + " streams ([http] streams)");
  }
  all_.insert_or_assign(id, Open{std::move(stream), std::move(visitor)});
  return {};
}

std::vector<Streams::Id> Streams::unwelcome(const Notice& notice) {
  std::vector<Id> found;
  if (let_in_by_ == notice.in_force) return found;
  let_in_by_ = notice.in_force;
  for (const auto& [id, each] : all_) {
    if (!still_welcome(each.visitor, *notice.in_force->access)) found.push_back(id);
  }
  return found;
}

std::vector<Streams::Id> Streams::ids() const {
  std::vector<Id> ids;
  for (const auto& [id, each] : all_) ids.push_back(id);
  return ids;
}

std::string Streams::next(Id id, const Notice& notice, int64_t now_ms) {
  return all_.at(id).stream.next(notice, started_, now_ms);
}

bool Streams::wait_for_loop(const Notice& notice, int64_t now_ms) const {
  return !all_.empty() && std::none_of(all_.begin(), all_.end(), [&](const auto& each) {
    return each.second.stream.next_ms(notice) <= now_ms + Stream::kBetween_ms;
  });
}

}  // namespace leasehold
