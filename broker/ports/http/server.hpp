// HttpServer: a broker's answers by HTTP, on a thread of its own with one epoll for all visitors,
// and two more that make answers (answers.hpp). It shares with the loop a bulletin alone, which
// neither waits for: a visitor who is slow, gone or one of hundreds delays no lease. Nothing is
// changed by HTTP.
#pragma once

#include <memory>
#include <string>

#include "broker/ports/http/parts.hpp"
#include "common/result.hpp"

namespace leasehold {

class HttpDesk;

class HttpServer {
 public:
  /// Listens, and answers from now on; until the bulletin's first notice, that it is too early.
  static Result<std::unique_ptr<HttpServer>> start(HttpParts parts);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// Ends its threads: waits for the answers under way, for no visitor.
  ~HttpServer();

  /// What is really bound.
  const std::string& address() const;

 private:
  explicit HttpServer(std::unique_ptr<HttpDesk> desk);
  std::unique_ptr<HttpDesk> desk_;
};

}  // namespace leasehold
