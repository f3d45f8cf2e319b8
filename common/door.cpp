#include "common/door.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "common/check.hpp"

namespace leasehold {

namespace {

constexpr const char* kQuestions = "inproc://zeromq.zap.01";  // the name that RFC 27 gives
constexpr const char* kMonitor = "inproc://leasehold.monitor";
constexpr size_t kRequestId = 1;

/// All parts of the next message; empty: none is there.
std::vector<zmq::message_t> take_parts(zmq::socket_t& socket) {
  std::vector<zmq::message_t> parts;
  for (bool more = true; more;) {
    zmq::message_t part;
    try {
      if (!socket.recv(part, zmq::recv_flags::dontwait)) break;
    } catch (const zmq::error_t& error) {
      LEASEHOLD_CHECK(error.num() == EINTR, "receiving fails only when interrupted");
      continue;
    }
    more = part.more();
    parts.push_back(std::move(part));
  }
  return parts;
}

struct Heard {
  uint16_t event = 0;
  int fd = -1;
};

/// The first frame of a monitor's message: 16 bits of event, 32 bits of value.
std::optional<Heard> read_event(const zmq::message_t& part) {
  if (part.size() != 6) return std::nullopt;
  Heard heard;
  int32_t value = 0;
  std::memcpy(&heard.event, part.data(), sizeof heard.event);
  std::memcpy(&value, part.data<char>() + sizeof heard.event, sizeof value);
  heard.fd = value;
  return heard;
}

}  // namespace

Door::Door(zmq::context_t& context, zmq::socket_t& router, int connections_max)
    : connections_max_(static_cast<size_t>(std::max(connections_max, 1))),
      questions_(context, zmq::socket_type::rep),
      monitor_(context, zmq::socket_type::pair) {
  questions_.set(zmq::sockopt::linger, 0);
  questions_.bind(kQuestions);
  router.set(zmq::sockopt::zap_domain, "leasehold");  // without a domain nobody asks
  const int events = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED;
  if (zmq_socket_monitor(router.handle(), kMonitor, events) != 0) throw zmq::error_t();
  monitor_.set(zmq::sockopt::linger, 0);
  monitor_.set(zmq::sockopt::rcvhwm, 0);  // else a full monitor would stop the sockets' thread
  monitor_.connect(kMonitor);
}

std::array<zmq_pollitem_t, 2> Door::items() {
  return {{{questions_.handle(), 0, ZMQ_POLLIN, 0}, {monitor_.handle(), 0, ZMQ_POLLIN, 0}}};
}

void Door::hear_monitor() {
  for (auto parts = take_parts(monitor_); !parts.empty(); parts = take_parts(monitor_)) {
    const auto heard = read_event(parts.front());
    if (!heard) continue;
    if (heard->event == ZMQ_EVENT_ACCEPTED) connections_.insert(heard->fd);
    if (heard->event == ZMQ_EVENT_DISCONNECTED) connections_.erase(heard->fd);
  }
}

bool Door::answer_one() {
  auto parts = take_parts(questions_);
  if (parts.empty()) return false;
  hear_monitor();  // the connection that asks was accepted before it asked
  const bool room = connections_.size() <= connections_max_;
  if (!room) ++turned_away_;
  const std::string id = parts.size() > kRequestId ? parts[kRequestId].to_string() : "";
  // 300: not now. The connection is closed; a channel comes again after its back-off.
  const std::array<std::string, 6> answer{
      "1.0", id, room ? "200" : "300", room ? "" : "too many connections", "", ""};
  for (size_t i = 0; i < answer.size(); ++i) {
    const auto flags = i + 1 < answer.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
    static_cast<void>(questions_.send(zmq::buffer(answer[i]), flags | zmq::send_flags::dontwait));
  }
  return true;
}

void Door::serve() {
  hear_monitor();
  while (answer_one()) {
  }
}

}  // namespace leasehold
