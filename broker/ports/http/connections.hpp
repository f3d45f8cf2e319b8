// Connections are the open ones, by number and watched by a Poll: how many there may be, and which
// of them gives way to a new one.
#pragma once

#include <cstdint>
#include <map>

#include "broker/ports/http/connection.hpp"
#include "broker/ports/http/listener.hpp"
#include "broker/ports/http/poll.hpp"

namespace leasehold {

class Connections {
 public:
  using Id = uint64_t;
  static constexpr Id kFirst = 16;  // lower numbers are of other files in the Poll
  static constexpr int64_t kReserve = 16;

  explicit Connections(Poll& poll) : poll_(poll) {}

  /// Lets a newcomer in where `most` may be there. If they are, the one that has been idle for
  /// longest gives way, else the one that has been sending a head for longest. If all are taken by
  /// requests under way, the newcomer has one of kReserve more places, for probes: a broker that
  /// visitors keep busy must not be taken for a dead one. False: there is no such place either, and
  /// the newcomer is left as it is.
  bool let_in(Newcomer& newcomer, int64_t most, int64_t now_ms);
  /// Returns nullptr if it has ended.
  Connection* find(Id id);
  /// Tells the Poll what the connection waits for now. Contract: it has not ended.
  void watch(Id id);
  void end(Id id);

  const std::map<Id, Connection>& all() const { return all_; }
  /// Returns how many found no free place, or gave theirs up.
  int64_t turned_away() const { return turned_away_; }

 private:
  bool make_room(int64_t most);
  bool end_oldest(bool in_reserve);

  Poll& poll_;
  std::map<Id, Connection> all_;
  Id id_next_ = kFirst;
  int64_t in_reserve_ = 0;
  int64_t turned_away_ = 0;
};

}  // namespace leasehold
