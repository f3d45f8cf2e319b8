// Admission decides which peers a listening channel admits. ZeroMQ asks it before a handshake
// completes (ZAP, RFC 27) and reports connections to it (the socket's monitor).
// - With keys it admits only peers that have proved one of the admitted public keys; their messages
// carry that key.
// - It bounds the number of connections. Those that have sent nothing yet have a bound of their
// own, and the oldest of them make room for newcomers: a silent peer keeps nobody out.
//
// It is used inside common/ only, behind channel.hpp. Each Admission needs a ZeroMQ context of its
// own (ZAP has one address in a context), and the channel's thread must call serve() when one of
// items() has input.
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

class Admission {
 public:
  /// Must be made before `router` is bound. Throws zmq::error_t.
  Admission(zmq::context_t& context, zmq::socket_t& router, int connections_max,
            int connections_per_key_max);
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  /// Refuses peers that prove none of these keys from now on, and disconnects those that came with
  /// another.
  void admit(std::unordered_set<std::string> keys);
  bool asks_for_keys() const { return admitted_.has_value(); }
  /// May be called only if asks_for_keys().
  const std::unordered_set<std::string>& admitted() const { return *admitted_; }

  std::array<zmq_pollitem_t, 2> items();
  /// Answers all pending ZAP requests; never waits.
  void serve();
  /// Records that a message arrived over the connection `fd`, with the key that it proved.
  void note_message(int fd, const char* key);

  int64_t connections() const { return static_cast<int64_t>(connections_.size()); }
  uint64_t turned_away() const { return turned_away_; }
  uint64_t unknown_keys() const { return unknown_keys_; }

 private:
  struct Connection {
    std::string address;
    std::string key;
    uint64_t number = 0;  // its place in the order of arrival
    bool active = false;  // a message has arrived over it
  };
  struct Answer {
    const char* status;
    const char* words;
    std::string key;
  };

  void read_monitor();
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
  // by file descriptor; includes those in the handshake
  std::unordered_map<int, Connection> connections_;
  std::map<uint64_t, int> silent_;                     // by arrival: no message has arrived yet
  std::unordered_map<std::string, size_t> silent_at_;  // number of silent connections, by address
  std::optional<std::unordered_set<std::string>> admitted_;
  size_t active_ = 0;
  uint64_t arrivals_ = 0;
  uint64_t turned_away_ = 0;
  uint64_t unknown_keys_ = 0;
};

}  // namespace leasehold
