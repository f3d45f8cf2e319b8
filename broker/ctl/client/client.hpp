// BrokerClient: sends one question to a running broker and returns one answer
// (schema/json/README.md).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "broker/ctl/client/address.hpp"
#include "broker/views/clusters/leader_view.hpp"
#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

class BrokerClient {
 public:
  /// Probes the endpoint and begins to connect. Errors: `unreachable` if surely nobody listens
  /// there, `usage` if the text cannot be an endpoint. Waiting ends as soon as `over_fd` is
  /// readable; -1: it never is.
  static Result<BrokerClient> connect(const BrokerAddress& address, int64_t timeout_ms,
                                      int over_fd = -1);
  BrokerClient(BrokerClient&&) noexcept;
  ~BrokerClient();

  /// Sends `request` and waits for its answer. `unreachable`: none came within the time-out, or the
  /// broker does not accept this key. Errors of the broker are returned unchanged.
  Result<Json> ask(const Json& request);
  /// Returns the result as the received text, for callers that only show it.
  Result<std::string> ask_text(const Json& request);
  /// Returns what the last answer says about a missing leader; nullopt: it says nothing, or there
  /// was none.
  const std::optional<NobodyLeads>& nobody() const;

 private:
  struct Line;
  explicit BrokerClient(std::unique_ptr<Line> line);
  Result<std::string> exchange(const Json& request);
  std::unique_ptr<Line> line_;
};

/// Returns an error only if surely nobody listens at `endpoint`. A refused connection is noticed at
/// once, where waiting for ZeroMQ's next attempt would take the whole time-out. `over_fd` is that
/// of connect().
Status probe(const std::string& endpoint, int64_t timeout_ms, int over_fd = -1);
/// True if it is readable; -1 never is.
bool is_over(int over_fd);

void pause_before_asking(int64_t ms);

}  // namespace leasehold::ctl
