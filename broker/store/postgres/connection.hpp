// ServerConnection is a connection of libpqxx that also keeps the last message libpq received. If a
// server ends a connection, libpqxx says that it "could not obtain client encoding" and drops the
// server's reason.
#pragma once

#include <optional>
#include <pqxx/pqxx>
#include <string>

namespace leasehold {

/// Connects as pqxx::connection does, and keeps what libpq knows the connection by.
class ConnectsToServer : public pqxx::connect_direct {
 public:
  using connect_direct::connect_direct;
  handle do_startconnect(handle before) override {
    return handle_ = connect_direct::do_startconnect(before);
  }
  handle do_disconnect(handle before) noexcept override {
    handle_ = nullptr;
    return connect_direct::do_disconnect(before);
  }
  handle get() const { return handle_; }

 private:
  handle handle_ = nullptr;
};

/// A base class of its own, so that the policy exists before connection_base refers to it.
struct HasServerPolicy {
  explicit HasServerPolicy(const std::string& url) : policy(url) {}
  ConnectsToServer policy;
};

class ServerConnection : private HasServerPolicy, public pqxx::connection_base {
 public:
  /// Throws what pqxx::connection throws.
  explicit ServerConnection(const std::string& url)
      : HasServerPolicy(url), connection_base(policy) {
    init();
    notices_.emplace(*this);  // of one that is not connected yet libpqxx passes none on
  }
  ServerConnection(const ServerConnection&) = delete;
  ServerConnection& operator=(const ServerConnection&) = delete;
  ~ServerConnection() { close(); }

  /// The first line of why the connection is lost, as the server or, where that said nothing, libpq
  /// says it; "": nothing was said.
  std::string loss_reason() const;

 private:
  /// Keeps the server's last FATAL or PANIC message: what it says between queries comes as a
  /// notice.
  class Notices : public pqxx::errorhandler {
   public:
    using errorhandler::errorhandler;
    bool operator()(const char message[]) noexcept override;
    const std::string& last_word() const { return last_word_; }

   private:
    std::string last_word_;
  };
  std::optional<Notices> notices_;
};

}  // namespace leasehold
