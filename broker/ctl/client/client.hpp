// BrokerClient: one question to a running broker, one answer (schema/json/README.md).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "broker/ctl/client/address.hpp"
#include "broker/views/json.hpp"
#include "broker/views/standing.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

class BrokerClient {
 public:
  /// Connects nothing yet. `unreachable` if there is surely nobody at `endpoint`. Nothing is waited
  /// for any more once `over_fd` is readable; -1: it never is.
  static Result<BrokerClient> connect(const BrokerAddress& address, int64_t timeout_ms,
                                      int over_fd = -1);
  BrokerClient(BrokerClient&&) noexcept;
  ~BrokerClient();

  /// Sends `request`, waits for its answer. `unreachable`: none within the time-out, or the broker
  /// does not let this key in. Errors of the broker come back as they are.
  Result<Json> ask(const Json& request);
  /// The result as the text that came, for who only shows it.
  Result<std::string> ask_text(const Json& request);
  /// What the last answer says of that nobody leads; nullopt: nothing, or none came.
  const std::optional<NobodyLeads>& nobody() const;

 private:
  struct Line;
  explicit BrokerClient(std::unique_ptr<Line> line);
  Result<std::string> exchange(const Json& request);
  std::unique_ptr<Line> line_;
};

/// Whether somebody listens at `endpoint`: an error only if surely nobody does. At once, where
/// waiting for ZeroMQ's next attempt would take the whole time-out. `over_fd` as of connect().
Status probe(const std::string& endpoint, int64_t timeout_ms, int over_fd = -1);
/// It is readable; -1 never is.
bool is_over(int over_fd);

}  // namespace leasehold::ctl
