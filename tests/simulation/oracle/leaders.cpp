// The part of Oracle that watches several brokers of one database.
#include "common/wire/codec.hpp"
#include "tests/simulation/oracle/oracle.hpp"

namespace leasehold::simulation {

/// Rule 8: an agent whose heartbeat is answered keeps its leases, so no other broker may lead then
/// on the server by which this broker leads. A second server beside it does not know of it.
void Oracle::broker_sent(const BrokerProcess& broker, std::span<const uint8_t> bytes) {
  const auto envelope = wire::peek(bytes);
  if (!envelope || envelope->type != wire::MessageType::heartbeat_answer) return;
  const auto message = wire::decode(bytes);
  const auto* answer = message ? std::get_if<wire::HeartbeatAnswer>(&*message) : nullptr;
  if (answer == nullptr || answer->number == 0) return;
  const Reign& by = broker.reign();
  if (by.server != nullptr) {
    const LeaderRow& row = by.server->row();
    // A row that names an earlier server is from a copy: nobody leads by it yet.
    const bool led = by.server->runs() && row.server == row.present;
    if (!led || row.incarnation == by.incarnation) return;
  }
  violated(Invariant::two_lead, broker.name() + " answers a heartbeat by epoch " +
                                    std::to_string(by.epoch) + ", and leads no more");
}

/// Rule 12 holds as long as the agent's process lives: an older state file may be put back.
void Oracle::check_followed(const SimulatedCluster& cluster) {
  const agent::Session& session = cluster.agent->agent()->session();
  const agent::Leadership& followed = session.leadership();
  // The agent was accepted, and could not store which leader it is to greet (seed 4059).
  if (followed.epoch > session.seen().epoch) return;
  Followed& before = followed_[cluster.name];
  if (before.starts != cluster.agent->starts()) before = {{}, cluster.agent->starts()};
  const bool fell = followed.epoch < before.highest.epoch;
  const bool other = followed.epoch == before.highest.epoch && !(followed == before.highest);
  if (followed.epoch != 0 && (fell || other)) {
    violated(Invariant::leader_fell, cluster.name + " follows epoch " +
                                         std::to_string(followed.epoch) +
                                         (other ? " of another incarnation" : "") + ", before it " +
                                         std::to_string(before.highest.epoch));
  }
  if (followed.epoch > before.highest.epoch) before.highest = followed;
}

}  // namespace leasehold::simulation
