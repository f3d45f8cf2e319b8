// CutLine is a connection to a server that can be cut at the worst moment: when the server has
// answered and nobody has read it. It takes one connection at a time, in a thread of its own.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "common/files/open_file.hpp"

namespace leasehold::test {

class CutLine {
 public:
  /// `url` names a server by 127.0.0.1 and a port.
  explicit CutLine(const std::string& url)
      : url_(url), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at = loopback(0);
    REQUIRE(::bind(listener_.fd(), as_address(at), sizeof at) == 0);
    REQUIRE(::listen(listener_.fd(), 8) == 0);
    socklen_t size = sizeof at;
    REQUIRE(::getsockname(listener_.fd(), as_address(at), &size) == 0);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  CutLine(const CutLine&) = delete;
  CutLine& operator=(const CutLine&) = delete;
  ~CutLine() {
    ended_ = true;
    ::shutdown(listener_.fd(), SHUT_RDWR);
    thread_.join();
  }

  /// The server's name by way of this line.
  std::string url() const {
    std::string by_line = url_;
    return by_line.replace(port_at(), port_end() - port_at(), std::to_string(port_));
  }
  /// The next answer is the last thing that comes, and does not arrive.
  void lose_next_answer() { lose_ = true; }

 private:
  static sockaddr_in loopback(int port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(static_cast<uint16_t>(port));
    return at;
  }
  static sockaddr* as_address(sockaddr_in& at) { return reinterpret_cast<sockaddr*>(&at); }
  size_t port_at() const { return url_.find("127.0.0.1:") + std::string("127.0.0.1:").size(); }
  size_t port_end() const { return url_.find('/', port_at()); }

  void serve() {
    while (!ended_) {
      const OpenFile client(::accept(listener_.fd(), nullptr, nullptr));
      if (client.fd() < 0) return;
      const OpenFile server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      sockaddr_in at = loopback(std::stoi(url_.substr(port_at(), port_end() - port_at())));
      if (::connect(server.fd(), as_address(at), sizeof at) == 0) carry(client.fd(), server.fd());
    }
  }
  void carry(int client, int server) {
    while (!ended_) {
      std::array<pollfd, 2> ends{{{client, POLLIN, 0}, {server, POLLIN, 0}}};
      if (::poll(ends.data(), ends.size(), 20) < 0) return;
      if (ends[0].revents != 0 && !pass_on(client, server)) return;
      if (ends[1].revents == 0) continue;
      if (lose_.exchange(false) || !pass_on(server, client)) return;
    }
  }
  static bool pass_on(int from, int to) {
    std::array<char, 65'536> bytes;
    const ssize_t got = ::recv(from, bytes.data(), bytes.size(), 0);
    return got > 0 && ::send(to, bytes.data(), static_cast<size_t>(got), MSG_NOSIGNAL) == got;
  }

  const std::string url_;
  OpenFile listener_;
  int port_ = 0;
  std::atomic<bool> lose_ = false;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace leasehold::test
