// HttpServer answers by HTTP, on a thread of its own with one epoll for all visitors, and two more
// threads that make answers (answers/answers.hpp). It shares only a bulletin with the loop, and
// neither waits for the other: a visitor who is slow, gone or one of hundreds delays no lease.
// Nothing is changed by HTTP.
#pragma once

#include <memory>
#include <string>

#include "broker/ports/http/parts.hpp"
#include "common/result.hpp"

namespace leasehold {

class HttpWorker;

class HttpServer {
 public:
  /// Listens, and answers from now on: 503 until a configuration is in force, but for /livez.
  static Result<std::unique_ptr<HttpServer>> start(HttpParts parts);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// Ends its threads: waits for the answers that are being made, but for no visitor.
  ~HttpServer();

  /// Returns HOST:PORT as bound, also where port 0 was asked for.
  const std::string& address() const;

 private:
  explicit HttpServer(std::unique_ptr<HttpWorker> worker);
  std::unique_ptr<HttpWorker> worker_;
};

}  // namespace leasehold
