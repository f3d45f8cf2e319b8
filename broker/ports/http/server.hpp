// HttpServer: a broker's answers by HTTP, on a thread of its own with one epoll for all visitors,
// and two more that make answers (answers.hpp). It shares with the loop a bulletin alone, which
// neither waits for: a visitor who is slow, gone or one of hundreds delays no lease. Nothing is
// changed by HTTP.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "broker/ports/http/bulletin.hpp"
#include "broker/ports/http/page_files.hpp"
#include "broker/ports/operators/lookups.hpp"
#include "common/result.hpp"

namespace leasehold {

class HttpServer {
 public:
  struct Parts {
    std::string address;  // HOST:PORT
    Lookups lookups;      // called on the server's threads
    std::shared_ptr<Bulletin> bulletin;
    std::span<const PageFile> page;
  };
  /// Listens, and answers from now on; until the bulletin's first notice, that it is too early.
  static Result<std::unique_ptr<HttpServer>> start(Parts parts);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// Ends its threads: waits for the answers under way, for no visitor.
  ~HttpServer();

  /// What is really bound.
  const std::string& address() const;

 private:
  struct Desk;
  explicit HttpServer(std::unique_ptr<Desk> desk);
  std::unique_ptr<Desk> desk_;
};

}  // namespace leasehold
