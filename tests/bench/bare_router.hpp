// BareRouter uses a ROUTER and msgpack as any program would: it is the limit that ours is compared
// with.
#pragma once

#include <msgpack.hpp>
#include <string>
#include <zmq.hpp>

namespace leasehold::bench {

class BareRouter {
 public:
  BareRouter() : socket_(context_, ZMQ_ROUTER) { socket_.bind("tcp://127.0.0.1:*"); }

  std::string endpoint() { return socket_.get(zmq::sockopt::last_endpoint); }

  /// Unpacks the messages that are there, at most `messages_max`; waits for the first up to
  /// `wait_ms`.
  template <class Each>
  int read(int messages_max, long wait_ms, const Each& each) {
    zmq_pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::chrono::milliseconds(wait_ms));
    int count = 0;
    for (; count < messages_max && socket_.recv(peer_, zmq::recv_flags::dontwait); ++count) {
      static_cast<void>(socket_.recv(body_));
      const msgpack::object_handle message = msgpack::unpack(body_.data<char>(), body_.size());
      each(peer_, message.get());
    }
    return count;
  }

  void send(const std::string& peer, const void* bytes, size_t size) {
    socket_.send(zmq::buffer(peer), zmq::send_flags::sndmore);
    socket_.send(zmq::const_buffer(bytes, size), zmq::send_flags::none);
  }

 private:
  zmq::context_t context_;
  zmq::socket_t socket_;
  zmq::message_t peer_;
  zmq::message_t body_;
};

}  // namespace leasehold::bench
