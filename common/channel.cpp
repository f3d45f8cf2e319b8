#include "common/channel.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <zmq.hpp>

#include "common/check.hpp"
#include "common/clock.hpp"
#include "common/door.hpp"
#include "common/handshake.hpp"

namespace leasehold {

namespace {

constexpr int kReconnectMs = 100;
constexpr int kReconnectMaxMs = 5'000;
constexpr int kHandshakeMs = 5'000;
constexpr int kKeepAliveIdleS = 30;
constexpr int kKeepAliveEveryS = 10;
constexpr int kKeepAliveTries = 3;
constexpr int64_t kRebindMs = 2'000;

/// One context for all connecting channels of the process while one lives; ended with the last,
/// which waits for what lingers. A listening channel has its own, because of its door.
std::shared_ptr<zmq::context_t> new_context() {
  auto context = std::make_shared<zmq::context_t>(1);
  context->set(zmq::ctxopt::max_sockets, context->get(zmq::ctxopt::socket_limit));
  return context;
}

std::shared_ptr<zmq::context_t> shared_context() {
  static std::mutex mutex;
  static std::weak_ptr<zmq::context_t> shared;
  const std::scoped_lock lock(mutex);
  auto context = shared.lock();
  if (!context) {
    context = new_context();
    shared = context;
  }
  return context;
}

int as_int(int64_t value) {
  return static_cast<int>(std::clamp<int64_t>(value, -1, std::numeric_limits<int>::max()));
}

/// Only where the endpoint asks for it: otherwise 127.0.0.1 would be shown as [::ffff:127.0.0.1].
bool wants_ipv6(const std::string& endpoint) {
  return endpoint.rfind("tcp://[", 0) == 0 || endpoint.rfind("tcp://*:", 0) == 0;
}

void set_options(zmq::socket_t& socket, const ChannelLimits& limits) {
  socket.set(zmq::sockopt::maxmsgsize, limits.message_bytes_max);
  socket.set(zmq::sockopt::sndhwm, limits.queue_messages_max);
  socket.set(zmq::sockopt::rcvhwm, limits.unread_messages_max);
  socket.set(zmq::sockopt::linger, as_int(limits.linger_ms));
  socket.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
  socket.set(zmq::sockopt::tcp_keepalive, 1);
  socket.set(zmq::sockopt::tcp_keepalive_idle, kKeepAliveIdleS);
  socket.set(zmq::sockopt::tcp_keepalive_intvl, kKeepAliveEveryS);
  socket.set(zmq::sockopt::tcp_keepalive_cnt, kKeepAliveTries);
}

std::string right_endpoint(const char* example) {
  return std::string("an endpoint as in \"") + example + "\" or \"ipc:///run/leasehold/broker\"";
}

/// What would be right, for the errors that people meet.
std::string advice(int error, const char* example) {
  switch (error) {
    case EADDRINUSE:
      return "; another program has it: stop that one or choose another port";
    case EADDRNOTAVAIL:
    case ENODEV:
      return "; this machine has no such address: choose one of its own, or tcp://127.0.0.1:PORT";
    case EACCES:
    case EPERM:
      return "; this user may not: choose a port above 1023 or another folder";
    case EINVAL:
    case EPROTONOSUPPORT:
      return "; " + right_endpoint(example) + " is right";
    case ENAMETOOLONG:
      return "; the path of an ipc endpoint must be shorter";
    default:
      return "";
  }
}

tl::unexpected<Error> refuse(const char* what, const std::string& endpoint, const char* example,
                             const zmq::error_t& error) {
  return fail(ErrorCode::io, std::string(what) + " " + endpoint + ": " + error.what() +
                                 advice(error.num(), example));
}

/// False: nothing came in time, or a signal did.
bool poll_once(std::vector<zmq_pollitem_t>& items, int64_t timeout_ms) {
  try {
    return zmq::poll(items.data(), items.size(), std::chrono::milliseconds(timeout_ms)) > 0;
  } catch (const zmq::error_t& error) {
    LEASEHOLD_CHECK(error.num() == EINTR, "waiting fails only when interrupted");
    return false;
  }
}

void copy(const zmq::message_t& message, Bytes& bytes) {
  const auto* first = message.data<uint8_t>();
  bytes.assign(first, first + message.size());
}

}  // namespace

struct Channel::Socket {
  enum class Kind { router, dealer };

  Socket(Kind kind_of_socket, const ChannelLimits& limits)
      : context(kind_of_socket == Kind::router ? new_context() : shared_context()),
        kind(kind_of_socket),
        socket(*context, kind == Kind::router ? ZMQ_ROUTER : ZMQ_DEALER),
        addresses(limits.addresses) {
    set_options(socket, limits);
    if (kind == Kind::router) {
      socket.set(zmq::sockopt::router_mandatory, true);
      door.emplace(*context, socket, limits.connections_max, limits.connections_per_key_max);
    } else {
      socket.set(zmq::sockopt::reconnect_ivl, kReconnectMs);
      socket.set(zmq::sockopt::reconnect_ivl_max, kReconnectMaxMs);
      socket.set(zmq::sockopt::immediate, !limits.keep_while_away);
      handshakes.emplace(*context, socket);
    }
  }

  void set_keys(const ListenKeys& keys) {
    socket.set(zmq::sockopt::curve_server, true);
    socket.set(zmq::sockopt::curve_secretkey, keys.own.secret_key);
    door->admit(keys.admitted);
  }

  void set_keys(const ConnectKeys& keys) {
    socket.set(zmq::sockopt::curve_serverkey, keys.broker_public_key);
    socket.set(zmq::sockopt::curve_publickey, keys.own.public_key);
    socket.set(zmq::sockopt::curve_secretkey, keys.own.secret_key);
  }

  /// Whose message the last part is. False: nobody's who may speak here.
  bool take_key(std::string& key) {
    const char* proved = zmq_msg_gets(body_part.handle(), "User-Id");
    key = proved == nullptr ? "" : proved;
    if (door->asks_for_keys() == key.empty()) return false;
    door->heard(zmq_msg_get(body_part.handle(), ZMQ_SRCFD), key.c_str());
    return true;
  }

  /// The next part, if one is there.
  bool take(zmq::message_t& part) {
    for (;;) {
      try {
        return socket.recv(part, zmq::recv_flags::dontwait).has_value();
      } catch (const zmq::error_t& error) {
        LEASEHOLD_CHECK(error.num() == EINTR, "receiving fails only when interrupted");
      }
    }
  }

  void take_address(std::string& address) {
    const char* told = addresses ? zmq_msg_gets(body_part.handle(), "Peer-Address") : nullptr;
    address = told == nullptr ? "" : told;
  }

  /// The parts after `last`, which are one too many.
  void drop_rest(zmq::message_t& last) {
    while (last.more() && take(last)) {
    }
    ++malformed;
  }

  bool put(const void* data, size_t size, zmq::send_flags flags) {
    for (;;) {
      try {
        return socket.send(zmq::const_buffer(data, size), flags | zmq::send_flags::dontwait)
            .has_value();
      } catch (const zmq::error_t& error) {
        if (error.num() == EINTR) continue;
        // EHOSTUNREACH: a ROUTER's peer is gone. Others (a peer's id of a wrong form): as much.
        return false;
      }
    }
  }

  std::shared_ptr<zmq::context_t> context;
  Kind kind;
  zmq::socket_t socket;                  // goes before the context
  bool addresses;                        // frames tell whence they came
  std::optional<Door> door;              // of a router
  std::optional<Handshakes> handshakes;  // of a dealer
  std::string endpoint;
  uint64_t malformed = 0;
  zmq::message_t peer_part;
  zmq::message_t body_part;
};

Channel::Channel(std::unique_ptr<Socket> socket) : socket_(std::move(socket)) {}
Channel::Channel(Channel&&) noexcept = default;
Channel& Channel::operator=(Channel&&) noexcept = default;
Channel::~Channel() = default;

Result<Channel> Channel::listen(const std::string& endpoint, const ChannelLimits& limits,
                                const std::optional<ListenKeys>& keys) {
  try {
    auto socket = std::make_unique<Socket>(Socket::Kind::router, limits);
    if (keys) socket->set_keys(*keys);
    socket->socket.set(zmq::sockopt::ipv6, wants_ipv6(endpoint));
    socket->socket.bind(endpoint);
    socket->endpoint = socket->socket.get(zmq::sockopt::last_endpoint);
    return Channel(std::move(socket));
  } catch (const zmq::error_t& error) {
    return refuse("cannot listen on", endpoint, "tcp://127.0.0.1:7440", error);
  }
}

Result<Channel> Channel::connect(const std::string& endpoint, const ChannelLimits& limits,
                                 const std::optional<ConnectKeys>& keys) {
  try {
    auto socket = std::make_unique<Socket>(Socket::Kind::dealer, limits);
    if (keys) socket->set_keys(*keys);
    socket->socket.set(zmq::sockopt::ipv6, wants_ipv6(endpoint));
    socket->socket.connect(endpoint);
    socket->endpoint = endpoint;
    return Channel(std::move(socket));
  } catch (const zmq::error_t& error) {
    return refuse("cannot connect to", endpoint, "tcp://broker.example:7440", error);
  }
}

bool Channel::receive_into(Frame& frame) {
  Socket& own = *socket_;
  if (take_frame(own, frame)) return true;
  if (own.door) own.door->serve();  // also for callers that never wait
  return false;
}

bool Channel::take_frame(Socket& own, Frame& frame) {
  for (;;) {
    frame.peer.clear();
    if (own.kind == Socket::Kind::router) {
      if (!own.take(own.peer_part)) return false;
      frame.peer.assign(own.peer_part.data<char>(), own.peer_part.size());
      if (!own.peer_part.more()) {
        ++own.malformed;
        continue;
      }
    }
    if (!own.take(own.body_part)) return false;
    if (own.body_part.more()) {
      own.drop_rest(own.body_part);
      continue;
    }
    if (own.door && !own.take_key(frame.key)) {
      ++own.malformed;
      continue;
    }
    own.take_address(frame.address);
    copy(own.body_part, frame.bytes);
    return true;
  }
}

std::optional<Frame> Channel::receive() {
  Frame frame;
  if (!receive_into(frame)) return std::nullopt;
  return frame;
}

bool Channel::send(const std::string& peer, std::span<const uint8_t> bytes) {
  Socket& own = *socket_;
  if (own.kind == Socket::Kind::router &&
      !own.put(peer.data(), peer.size(), zmq::send_flags::sndmore)) {
    return false;
  }
  return own.put(bytes.data(), bytes.size(), zmq::send_flags::none);
}

bool Channel::wait_ready(int64_t timeout_ms) {
  try {
    zmq_pollitem_t item{socket_->socket.handle(), 0, ZMQ_POLLOUT, 0};
    return zmq::poll(&item, 1, std::chrono::milliseconds(timeout_ms)) > 0;
  } catch (const zmq::error_t& error) {
    LEASEHOLD_CHECK(error.num() == EINTR, "waiting fails only when interrupted");
    return false;
  }
}

uint64_t Channel::malformed() const {
  return socket_->malformed;
}

const std::string& Channel::endpoint() const {
  return socket_->endpoint;
}

int64_t Channel::connections() const {
  return socket_->door ? socket_->door->connections() : 0;
}

uint64_t Channel::turned_away() const {
  return socket_->door ? socket_->door->turned_away() : 0;
}

uint64_t Channel::unknown_keys() const {
  return socket_->door ? socket_->door->unknown_keys() : 0;
}

void Channel::admit(std::unordered_set<std::string> keys) {
  LEASEHOLD_CHECK(socket_->door && socket_->door->asks_for_keys(), "a listening channel with keys");
  socket_->door->admit(std::move(keys));
}

Handshake Channel::handshake() const {
  return socket_->handshakes ? socket_->handshakes->last() : Handshake::none;
}

Status Channel::rekey(const KeyPair& own) {
  LEASEHOLD_CHECK(socket_->door && socket_->door->asks_for_keys(), "a listening channel with keys");
  zmq::socket_t& socket = socket_->socket;
  try {
    socket.unbind(socket_->endpoint);
  } catch (const zmq::error_t& error) {
    if (error.num() != ENOENT) return refuse("cannot leave", socket_->endpoint, "", error);
  }
  socket.set(zmq::sockopt::curve_secretkey, own.secret_key);
  // The old listener is closed by the sockets' thread: a moment passes until its port is free.
  for (const int64_t until_ms = boottime_ms() + kRebindMs;;) {
    try {
      socket.bind(socket_->endpoint);
      return {};
    } catch (const zmq::error_t& error) {
      if (error.num() != EADDRINUSE || boottime_ms() > until_ms) {
        return refuse("cannot listen on", socket_->endpoint, "tcp://127.0.0.1:7440", error);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool Channel::wait(std::span<Channel* const> channels, std::span<const int> fds,
                   int64_t timeout_ms) {
  thread_local std::vector<zmq_pollitem_t> items;
  items.clear();
  for (const Channel* channel : channels) {
    items.push_back({channel->socket_->socket.handle(), 0, ZMQ_POLLIN, 0});
  }
  for (const int fd : fds) items.push_back({nullptr, fd, ZMQ_POLLIN, 0});
  const size_t asked = items.size();  // after these stand the doors, which concern nobody else
  for (const Channel* channel : channels) {
    Socket& own = *channel->socket_;
    if (own.handshakes) items.push_back(own.handshakes->item());
    if (!own.door) continue;
    for (const zmq_pollitem_t& item : own.door->items()) items.push_back(item);
  }
  const int64_t until_ms = timeout_ms < 0 ? 0 : boottime_ms() + timeout_ms;
  for (int64_t left_ms = timeout_ms;; left_ms = std::max<int64_t>(until_ms - boottime_ms(), 0)) {
    if (!poll_once(items, timeout_ms < 0 ? -1 : left_ms)) return false;
    // Doors first, and always: under a flood there is never a moment without input, and who wants
    // to come in must not wait for one.
    bool refused = false;
    for (const Channel* channel : channels) {
      Socket& own = *channel->socket_;
      if (own.door) own.door->serve();
      if (own.handshakes) refused |= own.handshakes->serve();
    }
    const auto end = items.begin() + static_cast<std::ptrdiff_t>(asked);
    if (std::any_of(items.begin(), end, [](const auto& item) { return item.revents != 0; })) {
      return true;
    }
    if (refused) return true;
  }
}

}  // namespace leasehold
