// Opens the endpoints of a broker and admits keys there. broker/ports handles the messages.
#pragma once

#include <memory>
#include <optional>

#include "broker/config/daemon.hpp"
#include "broker/config/read/security.hpp"
#include "broker/core/model/config.hpp"
#include "broker/ports/access.hpp"
#include "common/channel/channel.hpp"

namespace leasehold {

/// These open the endpoints. With CURVE no key is admitted before AdmittedKeys::set_admitted().
/// `own` is nullopt if neither speaks CURVE.
Result<Channel> listen_for_agents(const DaemonConfig& daemon, const std::optional<KeyPair>& own);
Result<Channel> listen_for_operators(const DaemonConfig& daemon, const std::optional<KeyPair>& own);

/// Raises the limit of open files, or warns that it is too low: connections that take them all
/// would keep the broker from opening its database's files.
void raise_file_limit(int64_t connections, int64_t http_connections);

/// The listening channels with the key that they answer under.
class AdmittedKeys {
 public:
  AdmittedKeys(const DaemonConfig& daemon, std::optional<KeyPair> own, Channel* agents,
               Channel* operators)
      : agents_(speaks_curve(daemon, daemon.listen) ? agents : nullptr),
        operators_(speaks_curve(daemon, daemon.control) ? operators : nullptr),
        own_(std::move(own)) {}

  void set_admitted(const BrokerConfig& config, const Access& access);

 private:
  Channel* agents_;
  Channel* operators_;
  std::optional<KeyPair> own_;
};

}  // namespace leasehold
