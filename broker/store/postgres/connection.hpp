// ServerConnection: a connection of libpqxx that also says what libpq heard last. Where a server
// ends one, libpqxx says that it "could not obtain client encoding" and drops the server's reason.
#pragma once

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

/// A base class, since the other one uses it from its beginning on.
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
  }
  ServerConnection(const ServerConnection&) = delete;
  ServerConnection& operator=(const ServerConnection&) = delete;
  ~ServerConnection() { close(); }

  /// The first line of what went wrong last, as the server or libpq says it; "": nothing did.
  std::string heard() const;
};

}  // namespace leasehold
