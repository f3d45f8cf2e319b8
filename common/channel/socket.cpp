#include "common/channel/socket.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <thread>

#include "common/check.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

constexpr int kReconnectMs = 100;
constexpr int kReconnectMaxMs = 5'000;
constexpr int kHandshakeMs = 5'000;
constexpr int kKeepAliveIdleS = 30;
constexpr int kKeepAliveEveryS = 10;
constexpr int kKeepAliveTries = 3;
constexpr int64_t kRebindMs = 2'000;

/// Returns the context that all connecting channels of the process share while one lives. It ends
/// with the last of them, after what lingers. A listening channel has a context of its own, because
/// its Admission needs one.
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

/// IPv6 is enabled only if the endpoint asks for it; otherwise 127.0.0.1 would be shown as
/// [::ffff:127.0.0.1].
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

}  // namespace

ChannelSocket::ChannelSocket(Kind kind_of_socket, const ChannelLimits& of_channel)
    : context(kind_of_socket == Kind::router ? new_context() : shared_context()),
      kind(kind_of_socket),
      limits(of_channel),
      socket(*context, kind == Kind::router ? ZMQ_ROUTER : ZMQ_DEALER) {
  set_options(socket, limits);
  if (kind == Kind::router) {
    socket.set(zmq::sockopt::router_mandatory, true);
    admission.emplace(*context, socket, limits.connections_max, limits.connections_per_key_max);
  } else {
    socket.set(zmq::sockopt::reconnect_ivl, kReconnectMs);
    socket.set(zmq::sockopt::reconnect_ivl_max, kReconnectMaxMs);
    socket.set(zmq::sockopt::immediate, !limits.keep_while_away);
    handshakes.emplace(*context, socket);
  }
}

/// Stops the monitor first. The socket closes a while later, in the sockets' thread; if it reported
/// that to an Admission or Handshakes that no longer exists, that thread would wait for a reader
/// without end, and every other channel of the context with it.
ChannelSocket::~ChannelSocket() {
  static_cast<void>(zmq_socket_monitor(socket.handle(), nullptr, 0));
}

void ChannelSocket::set_keys(const ListenKeys& keys) {
  socket.set(zmq::sockopt::curve_server, true);
  socket.set(zmq::sockopt::curve_secretkey, keys.own.secret_key);
  admission->admit(keys.admitted);
}

void ChannelSocket::set_keys(const ConnectKeys& keys) {
  socket.set(zmq::sockopt::curve_serverkey, keys.broker_public_key);
  socket.set(zmq::sockopt::curve_publickey, keys.own.public_key);
  socket.set(zmq::sockopt::curve_secretkey, keys.own.secret_key);
}

void ChannelSocket::connect(const std::string& where) {
  socket.set(zmq::sockopt::ipv6, wants_ipv6(where));
  socket.connect(where);
  endpoint = where;
}

void ChannelSocket::listen(const std::string& where) {
  socket.set(zmq::sockopt::ipv6, wants_ipv6(where));
  socket.bind(where);
  endpoint = socket.get(zmq::sockopt::last_endpoint);
  number_peers();
}

void ChannelSocket::leave() {
  try {
    socket.unbind(endpoint);
  } catch (const zmq::error_t& error) {
    if (error.num() != ENOENT) throw;  // it does not listen any more
  }
}

void ChannelSocket::listen_when_free(const std::string& where) {
  for (const int64_t until_ms = boottime_ms() + kRebindMs;;) {
    try {
      return listen(where);
    } catch (const zmq::error_t& error) {
      if (error.num() != EADDRINUSE || boottime_ms() > until_ms) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Makes the ROUTER number its peers. If a peer may choose its own routing id, one that chooses the
/// ROUTER's next number (five bytes, the first of them 0) aborts the process, and one that chooses
/// another peer's id is never received. ZeroMQ has no option for that alone, but its raw mode
/// numbers all peers. It is set after a listener was opened, which keeps the options that it began
/// with, and reset at once, so only the numbering remains.
void ChannelSocket::number_peers() {
  for (const int raw : {1, 0}) {
    if (zmq_setsockopt(socket.handle(), ZMQ_ROUTER_RAW, &raw, sizeof raw) != 0) {
      throw zmq::error_t();
    }
  }
}

bool ChannelSocket::take_key(std::string& key) {
  const char* proved = zmq_msg_gets(body_part.handle(), "User-Id");
  key = proved == nullptr ? "" : proved;
  if (admission->asks_for_keys() == key.empty()) return false;
  admission->note_message(zmq_msg_get(body_part.handle(), ZMQ_SRCFD), key.c_str());
  return true;
}

void ChannelSocket::count_on(const ChannelSocket& before) {
  malformed = before.malformed;
  turned_away_before = before.turned_away_before + before.admission->turned_away();
  unknown_keys_before = before.unknown_keys_before + before.admission->unknown_keys();
}

void ChannelSocket::take_address(std::string& address) {
  const char* peer = limits.addresses ? zmq_msg_gets(body_part.handle(), "Peer-Address") : nullptr;
  address = peer == nullptr ? "" : peer;
}

bool ChannelSocket::take(zmq::message_t& part) {
  for (;;) {
    try {
      return socket.recv(part, zmq::recv_flags::dontwait).has_value();
    } catch (const zmq::error_t& error) {
      LEASEHOLD_CHECK(error.num() == EINTR, "receiving fails only when interrupted");
    }
  }
}

void ChannelSocket::drop_rest(zmq::message_t& last) {
  while (last.more() && take(last)) {
  }
  ++malformed;
}

bool ChannelSocket::put(zmq::message_t& last) {
  for (;;) {
    try {
      return socket.send(last, zmq::send_flags::dontwait).has_value();
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) return false;  // handled as in put() below
    }
  }
}

bool ChannelSocket::put(const void* data, size_t size, zmq::send_flags flags) {
  for (;;) {
    try {
      return socket.send(zmq::const_buffer(data, size), flags | zmq::send_flags::dontwait)
          .has_value();
    } catch (const zmq::error_t& error) {
      if (error.num() == EINTR) continue;
      // EHOSTUNREACH means that a ROUTER's peer is gone. Other errors (a malformed routing id) mean
      // the same to the caller.
      return false;
    }
  }
}

}  // namespace leasehold
