#include "broker/ports/http/server.hpp"

#include <nlohmann/json.hpp>

#include "broker/ports/http/worker.hpp"

namespace leasehold {

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpParts parts) {
  Result<HttpSocket> socket = listen_http(parts.address);
  if (!socket) return tl::unexpected(socket.error());
  auto worker = std::make_unique<HttpWorker>(*std::move(socket), std::move(parts));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(worker)));
}

HttpServer::HttpServer(std::unique_ptr<HttpWorker> worker) : worker_(std::move(worker)) {
  worker_->begin();
}

HttpServer::~HttpServer() {
  worker_->end();
}

const std::string& HttpServer::address() const {
  return worker_->address();
}

}  // namespace leasehold
