#include "broker/ports/http/server.hpp"

#include <nlohmann/json.hpp>

#include "broker/ports/http/desk.hpp"

namespace leasehold {

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpParts parts) {
  Result<HttpSocket> socket = listen_http(parts.address);
  if (!socket) return tl::unexpected(socket.error());
  auto desk = std::make_unique<HttpDesk>(*std::move(socket), std::move(parts));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(desk)));
}

HttpServer::HttpServer(std::unique_ptr<HttpDesk> desk) : desk_(std::move(desk)) {
  desk_->begin();
}

HttpServer::~HttpServer() {
  desk_->end();
}

const std::string& HttpServer::address() const {
  return desk_->address();
}

}  // namespace leasehold
