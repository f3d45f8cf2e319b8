#include "common/channel/channel.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/channel/endpoint.hpp"
#include "common/channel/ipc_path.hpp"
#include "common/channel/socket.hpp"
#include "common/check.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

std::string right_endpoint(const char* example) {
  return std::string("an endpoint as in \"") + example + "\" or \"ipc:///run/leasehold/broker\"";
}

/// Says what would be right, for errors that people meet often.
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

/// Checks ipc:// paths only: the system itself guards TCP ports.
Status check_free(const std::string& text) {
  const Result<Endpoint> endpoint = parse_endpoint(text);
  if (!endpoint && text.starts_with("ipc://")) return tl::unexpected(endpoint.error());
  return endpoint && endpoint->ipc ? check_ipc_free(endpoint->path) : Status{};
}

/// Returns false if nothing came in time or a signal interrupted the wait.
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

Channel::Channel(std::unique_ptr<ChannelSocket> socket) : socket_(std::move(socket)) {}
Channel::Channel(Channel&&) noexcept = default;
Channel& Channel::operator=(Channel&&) noexcept = default;
Channel::~Channel() = default;

Result<Channel> Channel::listen(const std::string& endpoint, const ChannelLimits& limits,
                                const std::optional<ListenKeys>& keys) {
  if (Status free = check_free(endpoint); !free) return tl::unexpected(free.error());
  try {
    auto socket = std::make_unique<ChannelSocket>(ChannelSocket::Kind::router, limits);
    if (keys) socket->set_keys(*keys);
    socket->listen(endpoint);
    return Channel(std::move(socket));
  } catch (const zmq::error_t& error) {
    return refuse("cannot listen on", endpoint, "tcp://127.0.0.1:7440", error);
  }
}

Result<Channel> Channel::connect(const std::string& endpoint, const ChannelLimits& limits,
                                 const std::optional<ConnectKeys>& keys) {
  try {
    auto socket = std::make_unique<ChannelSocket>(ChannelSocket::Kind::dealer, limits);
    if (keys) socket->set_keys(*keys);
    socket->connect(endpoint);
    return Channel(std::move(socket));
  } catch (const zmq::error_t& error) {
    return refuse("cannot connect to", endpoint, "tcp://broker.example:7440", error);
  }
}

bool Channel::receive_into(Frame& frame) {
  ChannelSocket& own = *socket_;
  if (take_frame(own, frame)) return true;
  if (own.admission) own.admission->serve();  // also for callers that never wait
  return false;
}

bool Channel::take_frame(ChannelSocket& own, Frame& frame) {
  for (;;) {
    frame.peer.clear();
    if (own.kind == ChannelSocket::Kind::router) {
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
    if (own.admission && !own.take_key(frame.key)) {
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
  ChannelSocket& own = *socket_;
  if (own.kind == ChannelSocket::Kind::router &&
      !own.put(peer.data(), peer.size(), zmq::send_flags::sndmore)) {
    return false;
  }
  return own.put(bytes.data(), bytes.size(), zmq::send_flags::none);
}

bool Channel::send_whole(const std::string& peer, std::string bytes) {
  ChannelSocket& own = *socket_;
  if (own.kind == ChannelSocket::Kind::router &&
      !own.put(peer.data(), peer.size(), zmq::send_flags::sndmore)) {
    return false;
  }
  auto kept = std::make_unique<std::string>(std::move(bytes));
  // The message is freed when its last byte has left, in a thread of the sockets.
  const auto over = [](void*, void* whole) { delete static_cast<std::string*>(whole); };
  zmq::message_t message(kept->data(), kept->size(), over, kept.get());
  kept.release();
  return own.put(message);
}

uint64_t Channel::malformed() const {
  return socket_->malformed;
}

const std::string& Channel::endpoint() const {
  return socket_->endpoint;
}

int64_t Channel::connections() const {
  return socket_->admission ? socket_->admission->connections() : 0;
}

uint64_t Channel::turned_away() const {
  const ChannelSocket& own = *socket_;
  return own.admission ? own.turned_away_before + own.admission->turned_away() : 0;
}

uint64_t Channel::unknown_keys() const {
  const ChannelSocket& own = *socket_;
  return own.admission ? own.unknown_keys_before + own.admission->unknown_keys() : 0;
}

void Channel::admit(std::unordered_set<std::string> keys) {
  LEASEHOLD_CHECK(socket_->admission && socket_->admission->asks_for_keys(),
                  "a listening channel with keys");
  socket_->admission->admit(std::move(keys));
}

Handshake Channel::handshake() const {
  return socket_->handshakes ? socket_->handshakes->last() : Handshake::none;
}

/// Opens another socket, because a ZeroMQ socket can listen only one time (number_peers).
Status Channel::rekey(const KeyPair& own) {
  LEASEHOLD_CHECK(socket_->admission && socket_->admission->asks_for_keys(),
                  "a listening channel with keys");
  ChannelSocket& old = *socket_;
  try {
    auto fresh = std::make_unique<ChannelSocket>(ChannelSocket::Kind::router, old.limits);
    fresh->set_keys(ListenKeys{own, old.admission->admitted()});
    old.leave();
    fresh->listen_when_free(old.endpoint);
    fresh->count_on(old);
    socket_ = std::move(fresh);
    return {};
  } catch (const zmq::error_t& error) {
    return refuse("cannot listen on", old.endpoint, "tcp://127.0.0.1:7440", error);
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
  const size_t asked = items.size();  // items of the Admission objects follow; no caller sees them
  for (const Channel* channel : channels) {
    ChannelSocket& own = *channel->socket_;
    if (own.handshakes) items.push_back(own.handshakes->item());
    if (!own.admission) continue;
    for (const zmq_pollitem_t& item : own.admission->items()) items.push_back(item);
  }
  const int64_t until_ms = timeout_ms < 0 ? 0 : boottime_ms() + timeout_ms;
  for (int64_t left_ms = timeout_ms;; left_ms = std::max<int64_t>(until_ms - boottime_ms(), 0)) {
    if (!poll_once(items, timeout_ms < 0 ? -1 : left_ms)) return false;
    // Admission objects are served first and on every call: under a flood there is always input,
    // and a peer that connects must not wait for a pause in it.
    bool refused = false;
    for (const Channel* channel : channels) {
      ChannelSocket& own = *channel->socket_;
      if (own.admission) own.admission->serve();
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
