// Sessions: which agents have a session, on which connection, and with which key. Over CURVE a
// cluster's messages count only from a connection that has proved one of the cluster's own keys.
// Greeter decides who gets a session; LossWatch decides when one is over.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/ports/agents/peer.hpp"
#include "broker/ports/agents/replies.hpp"
#include "broker/ports/agents/turn.hpp"

namespace leasehold {

/// True if a connection with that key may speak for the cluster. A plain endpoint is this machine's
/// own: its file system or its users are trusted.
bool speaks_for(const State& state, const std::string& cluster, const std::string& key);

class Sessions {
 public:
  explicit Sessions(Replies& replies) : replies_(replies) {}

  /// The cluster's agent, also after its session was over; nullptr: it has never had one.
  Peer* find(const std::string& cluster);
  const Peer* find(const std::string& cluster) const;
  /// Returns the cluster that greeted on that connection last; "": none did.
  std::string cluster_of(const std::string& route) const;

  /// The peer that sent the message as part of that session. Where there is none, it answers with a
  /// welcome or a refusal, and returns nullptr.
  Peer* speaker(const Incoming& in, uint64_t session);

  /// Opens a session in place of the one that the cluster had.
  Peer& open(const Incoming& in, const wire::Hello& hello);
  /// Ends sessions whose key is no longer one of their cluster's; returns those clusters.
  std::vector<std::string> end_removed_keys(const State& state);
  /// Returns the connections of all open sessions.
  std::vector<std::string> routes() const;
  void clear();

 private:
  Replies& replies_;
  std::unordered_map<std::string, Peer> peers_;              // by cluster
  std::unordered_map<std::string, std::string> cluster_of_;  // by route
};

}  // namespace leasehold
