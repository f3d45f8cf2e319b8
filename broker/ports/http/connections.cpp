#include "broker/ports/http/connections.hpp"

namespace leasehold {

bool Connections::let_in(Newcomer& newcomer, int64_t most, int64_t now_ms) {
  const bool in_reserve = !make_room(most);
  if (in_reserve && in_reserve_ >= kReserve && !end_oldest(true)) return false;
  const Id id = id_next_++;
  Connection& connection =
      all_.try_emplace(id, std::move(newcomer.socket), std::move(newcomer.peer), now_ms)
          .first->second;
  connection.in_reserve = in_reserve;
  in_reserve_ += in_reserve ? 1 : 0;
  poll_.watch(connection.fd(), id, connection.events());
  return true;
}

bool Connections::make_room(int64_t most) {
  if (static_cast<int64_t>(all_.size()) - in_reserve_ < most) return true;
  ++turned_away_;
  return end_oldest(false);
}

/// Ends the connection that gives way. False: all have requests under way.
bool Connections::end_oldest(bool in_reserve) {
  const Connection* oldest = nullptr;
  Id id = 0;
  for (const auto& [each_id, each] : all_) {
    if (!each.asks_nothing() || each.in_reserve != in_reserve) continue;
    const bool gives_way =
        oldest == nullptr ||
        (each.idle() != oldest->idle() ? each.idle() : each.since_ms() < oldest->since_ms());
    if (!gives_way) continue;
    oldest = &each;
    id = each_id;
  }
  if (oldest == nullptr) return false;
  end(id);
  return true;
}

Connection* Connections::find(Id id) {
  const auto found = all_.find(id);
  return found == all_.end() ? nullptr : &found->second;
}

void Connections::watch(Id id) {
  const Connection& connection = all_.at(id);
  poll_.change(connection.fd(), id, connection.events());
}

void Connections::end(Id id) {
  const auto found = all_.find(id);
  if (found == all_.end()) return;
  in_reserve_ -= found->second.in_reserve ? 1 : 0;
  poll_.forget(found->second.fd());
  all_.erase(found);
}

}  // namespace leasehold
