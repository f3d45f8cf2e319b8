// Door: who may come in at a listening channel. ZeroMQ asks before it completes a handshake (ZAP,
// RFC 27) and tells of connections (its monitor); the door answers the one by the other:
// - with keys, only peers that have proved one of the admitted public keys come in; their messages
//   carry it;
// - only so many connections are held, and of those that have said nothing yet only some, the
//   oldest of which make room for newcomers: who connects and is silent keeps nobody out.
// Inside common/ only: it is ZeroMQ behind channel.hpp. Each door needs a context of its own (ZAP
// has one address a context), and the channel's thread must call serve() when one of items() has
// input.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <zmq.hpp>

namespace leasehold {

class Door {
 public:
  /// Before `router` is bound. Throws zmq::error_t.
  Door(zmq::context_t& context, zmq::socket_t& router, int connections_max,
       int connections_per_key_max);
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  /// From now on who proves none of these is refused; who came in with another is sent away.
  void admit(std::unordered_set<std::string> keys);
  bool asks_for_keys() const { return admitted_.has_value(); }
  /// Only of a door that asks for keys.
  const std::unordered_set<std::string>& admitted() const { return *admitted_; }

  std::array<zmq_pollitem_t, 2> items();
  /// Answers what is asked, never waits.
  void serve();
  /// A message came in over the connection `fd`, with the key that it proved.
  void heard(int fd, const char* key);

  int64_t connections() const { return static_cast<int64_t>(connections_.size()); }
  uint64_t turned_away() const { return turned_away_; }
  uint64_t unknown_keys() const { return unknown_keys_; }

 private:
  struct Connection {
    std::string address;
    std::string key;
    uint64_t number = 0;  // of its arrival
    bool heard = false;
  };
  struct Answer {
    const char* status;
    const char* words;
    std::string key;
  };

  void hear_monitor();
  void accepted(int fd);
  void disconnected(int fd);
  void send_away(int fd);
  void limit_silent(const std::string& address);
  void limit_of_key(const std::string& key);
  Answer judge(const std::string& mechanism, const zmq::message_t* credential);
  bool answer_one();

  size_t connections_max_;
  size_t per_key_max_;
  size_t silent_max_;
  zmq::socket_t questions_;
  zmq::socket_t monitor_;
  std::unordered_map<int, Connection> connections_;    // by file descriptor; in the handshake too
  std::map<uint64_t, int> silent_;                     // by arrival: nothing heard yet
  std::unordered_map<std::string, size_t> silent_at_;  // how many of these, by address
  std::optional<std::unordered_set<std::string>> admitted_;
  size_t heard_ = 0;
  uint64_t arrivals_ = 0;
  uint64_t turned_away_ = 0;
  uint64_t unknown_keys_ = 0;
};

}  // namespace leasehold
