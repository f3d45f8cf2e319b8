// PostgresSession is one connection to a PostgreSQL server, used statement by statement. It does
// not connect again by itself: a caller that lost a session does not know what became of its last
// statement. Nothing throws. It uses no prepared statement, SET or LISTEN: a pooler may give each
// transaction to another backend. One thread at a time uses an object.
//
// An answer is waited for with a limit: then the connection is ended, as if the server were gone.
#pragma once

#include <chrono>
#include <memory>
#include <pqxx/pqxx>
#include <string>
#include <utility>

#include "broker/store/postgres/connection.hpp"
#include "broker/store/postgres/stall_timeout.hpp"
#include "common/result.hpp"

namespace leasehold {

class PostgresSession {
 public:
  enum class Use : uint8_t { to_write, to_read };
  static constexpr std::chrono::milliseconds kAnswersWithin{10'000};
  /// Error (io): nobody answers; (refused): the server lets nobody write, or not this user.
  static Result<std::unique_ptr<PostgresSession>> open(
      const std::string& url, Use use, std::chrono::milliseconds answers_within = kAnswersWithin);

  /// Returns the name for errors.
  const std::string& name() const { return name_; }

  /// Runs a statement within the open transaction, or in one of its own.
  template <class... Args>
  Result<pqxx::result> run(const std::string& sql, const Args&... args) {
    return guarded([&] {
      if (open_) return open_->exec_params(sql, args...);
      pqxx::nontransaction alone(*connection_);
      return alone.exec_params(sql, args...);
    });
  }
  /// Runs several statements without parameters.
  Status run_all(const std::string& sql);

  enum class Sees : uint8_t {
    newest,  // each statement sees what is committed by then
    one,     // all statements see one snapshot, and none may write
  };
  Status begin(Sees sees);
  bool has_begun() const { return open_ != nullptr; }
  Status commit();
  void roll_back() noexcept;

  /// Lifts the limit on answers while the object lives, for statements that may take long.
  class Unhurried {
   public:
    explicit Unhurried(PostgresSession& session) : session_(session) { ++session_.unhurried_; }
    Unhurried(const Unhurried&) = delete;
    Unhurried& operator=(const Unhurried&) = delete;
    ~Unhurried() { --session_.unhurried_; }

   private:
    PostgresSession& session_;
  };

 private:
  PostgresSession(std::string name, std::unique_ptr<ServerConnection> connection,
                  std::chrono::milliseconds answers_within)
      : name_(std::move(name)),
        connection_(std::move(connection)),
        answers_within_(answers_within),
        stall_timeout_(connection_->sock()) {}
  tl::unexpected<Error> said(const std::exception& error, bool hung_up) const;
  void expect_answer();
  template <class Do>
  auto guarded(Do act) -> Result<decltype(act())> {
    try {
      if (!connection_->is_open()) throw pqxx::broken_connection("the session is gone");
      expect_answer();
      auto answer = act();
      stall_timeout_.end();
      return answer;
    } catch (const std::exception& error) {
      return said(error, stall_timeout_.end());
    }
  }

  std::string name_;
  std::unique_ptr<ServerConnection> connection_;
  std::unique_ptr<pqxx::dbtransaction> open_;
  std::chrono::milliseconds answers_within_;
  int unhurried_ = 0;
  StallTimeout stall_timeout_;
};

}  // namespace leasehold
