// AgentPort: the endpoint where agents connect, the small front of the parts in this folder. It
// reads messages and hands each to the part that it concerns; what is allowed and new becomes an
// event. It neither decides (broker/core) nor commits (broker/daemon/engine.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/metrics/figures.hpp"
#include "broker/ports/agents/contacts.hpp"
#include "broker/ports/agents/epochs.hpp"
#include "broker/ports/agents/turn.hpp"
#include "broker/ports/peer_rates.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "common/channel/exchange.hpp"
#include "common/wire/codec.hpp"

namespace leasehold {

class AgentPort {
 public:
  /// Steps an event that a message became, at once. Returns how many bytes the record will have of
  /// it.
  using Sink = EventSink;

  explicit AgentPort(std::unique_ptr<Exchange> agents);
  AgentPort(AgentPort&&) noexcept;
  ~AgentPort();

  /// Sets the clock by which the time of a message is read. Before the first call that is the
  /// turn's, which was read before the messages of the turn came: differences of clocks may then be
  /// wrong by as much.
  void go_by(std::function<Instant()> clock);
  /// Sets the timer of the loop's work, in microseconds. Before the first call peers may take as
  /// much of the loop's time as they like.
  void measure_by(std::function<int64_t()> work_us);

  const Liveness& liveness() const;
  Liveness& liveness();

  /// Reads at most `messages_max` messages, and before them what waited from earlier turns.
  /// Contract: the events of earlier turns are committed.
  void read(const State& state, Instant now, int messages_max, const Sink& sink);
  /// Makes AgentLost events of agents that sent nothing for agent_timeout, or are being stopped.
  void find_lost(const State& state, Instant now, const Sink& sink);
  /// Returns when find_lost() may next find one, or sooner; kNever: no agent is connected.
  Instant next_loss() const;
  /// Sends the configurations first, then the orders. Contract: their batch is committed.
  void send(const State& state, Instant now, const Effects& effects);
  /// Charges a batch that was committed: it has so many bytes of events, `row` in all.
  void recorded(int64_t events, int64_t row);
  /// Returns when something that was put off may be recorded, or is read; kNever: nothing was.
  Instant next_late(Instant now);

  /// Takes up a leadership: messages to agents say so from now on, and heartbeats are answered
  /// while `may_answer`, which is asked about each after it was taken (rules 8 and 9). Epoch 0: a
  /// broker that is alone, or stands by.
  void lead(const Leading& leading, std::function<bool()> may_answer);
  /// Sets the highest epoch that an agent is believed to have seen (Epochs::set_limit).
  void set_epoch_limit(uint64_t epoch);
  /// Returns the leadership that outranks this broker's; epoch 0: none does.
  const Leading& outranked_by() const;

  /// Answers at most `messages_max` messages with `elsewhere`, which tells where to go. Contract:
  /// this broker does not lead.
  void redirect(Instant now, int64_t boottime_ms, const std::string& elsewhere, int messages_max);
  /// Ends all sessions, as forget_sessions(), of a broker that steps down. Their agents are not
  /// redirected before `until_ms` (CLOCK_BOOTTIME) but by redirect_all().
  void release_sessions(int64_t until_ms);
  void redirect_all(const std::string& elsewhere);
  /// Welcomes agents that were redirected a moment ago. Contract: this broker leads from now on.
  void greet_redirected(const State& state, int64_t boottime_ms);
  /// Returns the agents that came to this broker of late while it did not lead.
  const Contacts& contacts() const;
  /// Tells contacts() which clusters there are; check_keys() does so too.
  void know_clusters(const std::vector<ClusterConfig>& clusters);
  /// Returns the clusters whose agents have sent a leader something since it began to lead, and no
  /// longer ago than agent_timeout.
  std::vector<std::string> in_contact(const State& state, Instant now) const;

  /// Ends all sessions, for the core starts again: agents must say hello again.
  void forget_sessions();
  /// Ends each session whose key is no longer its cluster's, after another configuration came into
  /// force; find_lost() finds its agent lost.
  void check_keys(const State& state);

  /// Messages a second that each peer may send; 0: unlimited, as it is before the first call.
  void limit_rate(int64_t per_second);
  /// Bytes an hour that each cluster may add to the record; 0: unlimited, as before the first call.
  void limit_record(int64_t bytes_per_hour);

  /// Fills in the counts since the start, and how much waits.
  void count(LoopFigures& figures) const;
  const std::array<uint64_t, wire::kDecodeFailureCount>& failures() const { return failures_; }
  /// Returns the number of messages dropped because their peers sent too many.
  uint64_t over_rate() const { return rates_.dropped(); }

 private:
  struct Parts;

  bool receive();
  void handle(const Incoming& in);
  bool too_many(const Incoming& in);
  void refuse_undecodable(const Incoming& in, const wire::DecodeError& error);

  std::unique_ptr<Parts> parts_;  // they refer to each other, so that they stay where they are
  std::array<uint64_t, wire::kDecodeFailureCount> failures_{};
  uint64_t messages_ = 0;
  PeerRates rates_;
  Frame frame_;          // reused, as is the next
  wire::Report report_;  // a report allocates nothing in the long run
};

}  // namespace leasehold
