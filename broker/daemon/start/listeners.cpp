#include "broker/daemon/start/listeners.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "broker/ports/operators/permission.hpp"
#include "broker/ports/operators/port.hpp"
#include "common/channel/endpoint.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

/// Messages that may wait for an agent who reads none; the rest is dropped, and orders are
/// repeated.
constexpr int kAgentQueueMax = 1000;
/// An agent has one connection, and another while the first is dying.
constexpr int kAgentConnectionsMax = 4;
/// Unread bytes of one connection while the broker is busy; more waits at the sender.
constexpr int64_t kUnreadBytesMax = int64_t{64} << 20;

std::unordered_set<std::string> cluster_keys(const BrokerConfig& config) {
  std::unordered_set<std::string> keys;
  for (const ClusterConfig& cluster : config.clusters) {
    for (std::string& key : split_keys(cluster.public_key)) keys.insert(std::move(key));
  }
  return keys;
}

std::optional<ListenKeys> listen_keys(const DaemonConfig& daemon, const std::string& endpoint,
                                      const std::optional<KeyPair>& own) {
  if (!speaks_curve(daemon, endpoint)) return std::nullopt;
  return ListenKeys{*own, {}};  // no key yet: the configuration is not in force
}

}  // namespace

void AdmittedKeys::set_admitted(const BrokerConfig& config, const Access& access) {
  if (agents_ != nullptr) agents_->admit(cluster_keys(config));
  if (operators_ != nullptr) operators_->admit(Operators(access.operators).keys());
  if (!access.own || access.own == own_) return;
  own_ = access.own;
  for (Channel* channel : {agents_, operators_}) {
    if (channel == nullptr) continue;
    if (const Status done = channel->rekey(*own_); !done) {
      own_.reset();  // the next reload tries again
      log_error("listener-lost", {{"why", describe(done.error())},
                                  {"then", "agents cannot connect, and nothing moves"},
                                  {"do", "free the address, then systemctl reload lease-broker"}});
    }
  }
  if (own_) log_info("broker-key-changed", {{"public_key", own_->public_key}});
}

void raise_file_limit(int64_t connections, int64_t http_connections) {
  constexpr int64_t kOthers = 256;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  // Both listeners, and at each a quarter more that have said nothing yet
  // (common/channel/admission.hpp).
  const auto wanted = static_cast<rlim_t>(connections * 5 / 2 + http_connections + kOthers);
  if (files.rlim_cur < wanted && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &files) != 0) return;
  }
  if (files.rlim_cur >= wanted) return;
  log_warn("file-limit-low", {{"limit", static_cast<uint64_t>(files.rlim_cur)},
                              {"wanted", static_cast<uint64_t>(wanted)},
                              {"why",
                               "[limits] connections needs more open files than this process may "
                               "have"},
                              {"then", "later connections may fail"},
                              {"do", "lower [limits] connections, or raise LimitNOFILE"}});
}

Result<Channel> listen_for_agents(const DaemonConfig& daemon, const std::optional<KeyPair>& own) {
  ChannelLimits limits;
  limits.message_bytes_max = daemon.limits.message_bytes;
  limits.connections_max = daemon.limits.connections;
  limits.connections_per_key_max = kAgentConnectionsMax;
  limits.queue_messages_max = kAgentQueueMax;
  limits.unread_messages_max =
      static_cast<int>(std::clamp<int64_t>(kUnreadBytesMax / daemon.limits.message_bytes, 4, 1000));
  return Channel::listen(daemon.listen, limits, listen_keys(daemon, daemon.listen, own));
}

Result<Channel> listen_for_operators(const DaemonConfig& daemon,
                                     const std::optional<KeyPair>& own) {
  return OperatorPort::listen(daemon.control, daemon.limits.connections,
                              listen_keys(daemon, daemon.control, own));
}

}  // namespace leasehold
