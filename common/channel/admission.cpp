#include "common/channel/admission.hpp"

#include <netdb.h>
#include <sys/socket.h>

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
// Positions of the frames of a ZAP request.
constexpr size_t kRequestId = 1;
constexpr size_t kMechanism = 5;
constexpr size_t kCredential = 6;
constexpr size_t kKeyBytes = 32;

/// Returns all parts of the next message, or none if no message is there.
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

struct MonitorEvent {
  uint16_t kind = 0;
  int fd = -1;
};

/// Parses the first frame of a monitor's message: 16 bits of event, 32 bits of value.
std::optional<MonitorEvent> read_event(const zmq::message_t& part) {
  if (part.size() != 6) return std::nullopt;
  MonitorEvent event;
  int32_t value = 0;
  std::memcpy(&event.kind, part.data(), sizeof event.kind);
  std::memcpy(&value, part.data<char>() + sizeof event.kind, sizeof value);
  event.fd = value;
  return event;
}

/// Returns the peer's address, or "" if it has none (a local socket) or is already gone.
std::string address_of(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (::getpeername(fd, plain, &length) != 0 || address.ss_family == AF_UNIX) return "";
  std::array<char, NI_MAXHOST> text{};
  const int found =
      ::getnameinfo(plain, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return found == 0 ? text.data() : "";
}

std::string z85(const zmq::message_t& key) {
  std::array<char, 41> text{};
  return zmq_z85_encode(text.data(), key.data<uint8_t>(), kKeyBytes) == nullptr ? "" : text.data();
}

}  // namespace

Admission::Admission(zmq::context_t& context, zmq::socket_t& router, int connections_max,
                     int connections_per_key_max)
    : connections_max_(static_cast<size_t>(std::max(connections_max, 1))),
      per_key_max_(static_cast<size_t>(std::max(connections_per_key_max, 1))),
      silent_max_(std::clamp<size_t>(connections_max_ / 4, 64, 1024)),
      questions_(context, zmq::socket_type::rep),
      monitor_(context, zmq::socket_type::pair) {
  questions_.set(zmq::sockopt::linger, 0);
  questions_.bind(kQuestions);
  // ZeroMQ sends no ZAP request without a domain
  router.set(zmq::sockopt::zap_domain, "leasehold");
  const int events = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED;
  if (zmq_socket_monitor(router.handle(), kMonitor, events) != 0) throw zmq::error_t();
  monitor_.set(zmq::sockopt::linger, 0);
  // with a limit, a full monitor would stop the sockets' thread
  monitor_.set(zmq::sockopt::rcvhwm, 0);
  monitor_.connect(kMonitor);
}

std::array<zmq_pollitem_t, 2> Admission::items() {
  return {{{questions_.handle(), 0, ZMQ_POLLIN, 0}, {monitor_.handle(), 0, ZMQ_POLLIN, 0}}};
}

void Admission::admit(std::unordered_set<std::string> keys) {
  admitted_ = std::move(keys);
  for (const auto& [fd, connection] : connections_) {
    if (!connection.key.empty() && !admitted_->contains(connection.key)) send_away(fd);
  }
}

void Admission::read_monitor() {
  for (auto parts = take_parts(monitor_); !parts.empty(); parts = take_parts(monitor_)) {
    const auto event = read_event(parts.front());
    if (!event) continue;
    if (event->kind == ZMQ_EVENT_ACCEPTED) accepted(event->fd);
    if (event->kind == ZMQ_EVENT_DISCONNECTED) disconnected(event->fd);
  }
}

void Admission::accepted(int fd) {
  disconnected(fd);
  const uint64_t number = arrivals_++;
  const std::string address = address_of(fd);
  connections_[fd] = Connection{address, "", number, false};
  silent_[number] = fd;
  ++silent_at_[address];
  limit_silent(address);
}

void Admission::disconnected(int fd) {
  const auto found = connections_.find(fd);
  if (found == connections_.end()) return;
  const Connection& gone = found->second;
  if (gone.active) {
    --active_;
  } else {
    silent_.erase(gone.number);
    const auto at = silent_at_.find(gone.address);
    if (--at->second == 0) silent_at_.erase(at);
  }
  connections_.erase(found);
}

/// Shuts the connection down, because ZeroMQ has no call that closes one. The sockets' thread then
/// sees its end as if the peer had gone. If that thread closes it at the same moment and the number
/// already belongs to another connection, that peer has to connect again and nothing else happens.
void Admission::send_away(int fd) {
  ++turned_away_;
  ::shutdown(fd, SHUT_RDWR);
}

/// Limits silent connections. One address may hold half of the room for them.
void Admission::limit_silent(const std::string& address) {
  const bool many_there = silent_at_[address] > silent_max_ / 2;
  if (!many_there && silent_.size() <= silent_max_) return;
  for (const auto& [number, fd] : silent_) {
    if (many_there && connections_[fd].address != address) continue;
    send_away(fd);
    return disconnected(fd);
  }
}

/// Drops the key's oldest connection beyond the limit: the newest is most likely the live one.
void Admission::limit_of_key(const std::string& key) {
  size_t count = 0;
  auto oldest = connections_.end();
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    if (it->second.key != key) continue;
    ++count;
    if (oldest == connections_.end() || it->second.number < oldest->second.number) oldest = it;
  }
  if (count <= per_key_max_) return;
  send_away(oldest->first);
  disconnected(oldest->first);
}

void Admission::note_message(int fd, const char* key) {
  auto found = connections_.find(fd);
  if (found == connections_.end()) {
    read_monitor();
    found = connections_.find(fd);
    if (found == connections_.end()) return;
  }
  Connection& connection = found->second;
  if (connection.active) return;
  connection.active = true;
  connection.key = key;
  silent_.erase(connection.number);
  const auto at = silent_at_.find(connection.address);
  if (--at->second == 0) silent_at_.erase(at);
  ++active_;
  if (active_ > connections_max_) {
    send_away(fd);
    return disconnected(fd);
  }
  if (connection.key.empty()) return;
  if (!admitted_->contains(connection.key)) {  // it connected just before its key was removed
    send_away(fd);
    return disconnected(fd);
  }
  limit_of_key(std::string(key));
}

Admission::Answer Admission::judge(const std::string& mechanism, const zmq::message_t* credential) {
  Answer answer{"200", "", ""};
  if (admitted_) {
    // A plain peer does not get this far: ZeroMQ refuses a mechanism that is not the socket's.
    const bool whole = mechanism == "CURVE" && credential != nullptr;
    if (whole && credential->size() == kKeyBytes) answer.key = z85(*credential);
    if (answer.key.empty() || !admitted_->contains(answer.key)) {
      ++unknown_keys_;
      return {"400", "this key is not known here", ""};
    }
  }
  if (active_ < connections_max_) return answer;
  ++turned_away_;
  // The connection is closed for now; a channel reconnects after its back-off.
  return {"300", "too many connections", ""};
}

bool Admission::answer_one() {
  auto parts = take_parts(questions_);
  if (parts.empty()) return false;
  read_monitor();  // a connection is accepted before it sends its request
  const std::string id = parts.size() > kRequestId ? parts[kRequestId].to_string() : "";
  const std::string mechanism = parts.size() > kMechanism ? parts[kMechanism].to_string() : "";
  const Answer judged =
      judge(mechanism, parts.size() > kCredential ? &parts[kCredential] : nullptr);
  const std::array<std::string, 6> answer{"1.0", id, judged.status, judged.words, judged.key, ""};
  for (size_t i = 0; i < answer.size(); ++i) {
    const auto flags = i + 1 < answer.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
    static_cast<void>(questions_.send(zmq::buffer(answer[i]), flags | zmq::send_flags::dontwait));
  }
  return true;
}

void Admission::serve() {
  read_monitor();
  while (answer_one()) {
  }
}

}  // namespace leasehold
