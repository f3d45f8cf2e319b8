// AgentPort: the endpoint where agents connect. Reads their messages, keeps sessions, report
// numbers and counters, and turns what is allowed and new into events. Sends configurations and
// orders. Over CURVE a cluster's words count only from that cluster's own keys. Not here: deciding
// (broker/core) and committing (broker/daemon/engine.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "broker/core/admission.hpp"
#include "broker/core/agents/off_hosts.hpp"
#include "broker/core/model/effect.hpp"
#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/metrics/figures.hpp"
#include "broker/ports/agents/budget.hpp"
#include "broker/ports/agents/clock_meter.hpp"
#include "broker/ports/agents/knocks.hpp"
#include "broker/ports/agents/waiting.hpp"
#include "broker/ports/peer_rates.hpp"
#include "broker/views/liveness.hpp"
#include "common/channel/exchange.hpp"
#include "common/wire/codec.hpp"

namespace leasehold {

/// A leadership of several that may be (schema/wire/PROTOCOL.md, "Handshake"); epoch 0: none.
struct Leading {
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  int64_t ttl_ms = 0;
  bool operator==(const Leading&) const = default;
};

class AgentPort {
 public:
  /// Events that messages turned into; the sink steps them at once, and returns how many bytes the
  /// record will have of it.
  using Sink = std::function<int64_t(const Event&)>;

  explicit AgentPort(std::unique_ptr<Exchange> agents);

  /// What it reads the time of a message by; before the first call, the turn's: that is of before
  /// what came in the turn, whose difference of clocks it may make wrong by as much.
  void go_by(std::function<Instant()> clock) { clock_ = std::move(clock); }

  /// What it measures the loop's work by, in microseconds; before the first call peers may take as
  /// much of the loop's time as they like.
  void measure_by(std::function<int64_t()> work_us) { work_us_ = std::move(work_us); }

  const Liveness& liveness() const { return liveness_; }
  Liveness& liveness() { return liveness_; }

  /// Reads at most `messages_max` messages. Statements of one agent within a call are merged, the
  /// last one of each group counts: use is recorded once a turn (broker/README.md, "What is
  /// recorded").
  void read(const State& state, Instant now, int messages_max, const Sink& sink);

  /// Agents not heard for agent_timeout, and those that are being stopped, become AgentLost events.
  void find_lost(const State& state, Instant now, const Sink& sink);
  /// When find_lost() may next find one, or sooner; kNever: no agent is connected.
  Instant next_loss() const;

  /// From now on what is sent says so, and heartbeats are answered while `may_answer`, which is
  /// asked of each after it was taken (rules 8 and 9). Epoch 0: a broker that is alone.
  void lead(const Leading& leading, std::function<bool()> may_answer);
  /// Of a broker that stands by: answers at most `messages_max` with where to go instead.
  void refer(Instant now, int64_t boottime_ms, const std::string& whither, int messages_max);
  /// Who came to it of late while it stands by; what is given as `clusters` alone counts by name.
  const Knocks& knocks() const { return knocks_; }
  void know_clusters(const std::vector<ClusterConfig>& clusters) { knocks_.know(clusters); }
  /// The clusters that a leader hears: not since before it began to lead, nor `agent_timeout` ago.
  std::vector<std::string> heard(const State& state, Instant now) const;
  /// Of one that steps down: every session is void, as of forget_sessions(). Who had one is not
  /// sent away by refer() before `until_ms` (CLOCK_BOOTTIME, as of all that waits here for a while:
  /// a clock that is set leaves nobody without a word), but all at once by send_off(), when another
  /// leads: who comes there sooner has to ask again.
  void part(int64_t until_ms);
  void send_off(const std::string& whither);
  /// Of one that leads from now on: whoever was told a moment ago that it does not, waits there
  /// yet.
  void welcome_waiting(const State& state, int64_t boottime_ms);
  /// Epochs above it are no agent's honest word: an epoch rises by one a take-over, and one that a
  /// broker went above must leave room (broker/SECURITY.md).
  void believe_epochs_to(uint64_t epoch) { epoch_believed_ = epoch; }
  /// A leadership other than this broker's, and not below it, that an agent has told of.
  const Leading& outranked_by() const { return outranked_by_; }

  /// Sends the configurations first, then the orders. Contract: their batch is committed.
  void send(const State& state, Instant now, const Effects& effects);

  /// A new start of the core: every session is void, agents must say hello again.
  void forget_sessions();

  /// Messages a second that each peer may send; 0: unlimited, as it is before the first call.
  void limit_rate(int64_t per_second);
  /// Bytes an hour that each cluster may add to the record; 0: unlimited, as before the first call.
  /// What comes above it is recorded later: the newest inventory, the last state of each group.
  void limit_record(int64_t bytes_per_hour);
  /// A commit is done: so many bytes it has of events, `row` in all. What it has of the rows that
  /// they changed counts for each cluster as what it said does.
  void recorded(int64_t events, int64_t row);
  /// When something that was put off may be recorded, or is read; kNever: nothing was.
  Instant next_late(Instant now);
  /// The configuration in force has changed: a session whose key is no longer its cluster's is over
  /// at once, and find_lost() finds its agent lost.
  void check_keys(const State& state);

  /// What it counted since the start, and what waits.
  void count(LoopFigures& figures) const;
  const std::array<uint64_t, wire::kDecodeFailureCount>& failures() const { return failures_; }
  /// Messages dropped because their peers sent too many.
  uint64_t over_rate() const { return rates_.dropped(); }

 private:
  struct Peer {  // of one cluster, by its name
    std::string route;
    std::string key;  // that its connection has proved; "": a plain one
    uint64_t session = 0;
    uint64_t report = 0;  // number of the last accepted report
    bool report_known = false;
    uint64_t statement = 0;  // number of the last accepted state
    Instant configured;      // when a configuration was last sent to it
    uint64_t known = 0;      // the one that it last said something by
    Instant heard;           // last accepted report, or heartbeat that names it
    Instant renewed;         // the last answer that renews left no later than this
    bool answered = false;   // one left since: when is known at the next turn
    bool degraded = false;   // as its last report said
    bool stale = false;      // its last look was older than agent_timeout when it last said so
    bool stopping = false;   // its last word was that it is being stopped
    uint64_t state_id = 0;   // of its hello: numbers of ended work are its own
    ClockMeter clock;
    Instant off_hosts_told{INT64_MIN};  // or found to be none
    bool clock_warned = false;          // the log tells that it differs
    int64_t ages_off_ms = 0;            // its instants are by a clock that is so much ahead
    std::vector<std::string> host_names;
    uint64_t asked_by = 0;         // the configuration that the next one was found by
    bool asked_elsewhere = false;  // a lease of the cluster goes by what it has idle elsewhere
    bool pending = false;          // `stated` waits to be stepped
    StateReported stated;
    uint64_t stated_by = 0;                            // the configuration that it was said by
    std::unordered_map<uint64_t, size_t> stated_at;    // place in `stated`, by generation
    std::optional<std::vector<wire::HostFacts>> late;  // an inventory that waits to be stepped
  };
  struct Message {
    const State& state;
    Instant now;
    const Frame& frame;
    const Sink& sink;
  };

  void handle(const Message& in);
  bool too_many(const Message& in);
  static const std::string& peer_name(const Frame& frame);
  static const std::string& peer_name(const Peer& peer);
  template <class Work>
  void charged(const std::string& peer, const Work& work);
  bool put_to_wait(const Message& in);
  bool waits(const Message& in) const;
  void take_waiting(const State& state, const Sink& sink);
  void tell_waiting(const std::string& cluster, size_t dropped);
  void note_calm();
  void refuse_key(const Message& in, const std::string& cluster);
  void note_copy(const Message& in, const wire::Hello& hello, const Refused& refused);
  Instant time() const { return clock_ ? clock_() : now_; }
  void mind_clock(const std::string& cluster, Peer& peer);
  void mind_ages(Peer& peer);
  static bool speaks_for(const State& state, const std::string& cluster, const std::string& key);
  bool may_log();
  void undecodable(const Message& in, const wire::DecodeError& error);
  void on(const Message& in, const wire::Hello& hello);
  void on(const Message& in, const wire::Inventory& inventory);
  void on(const Message& in, const wire::Report& report);
  void on(const Message& in, const wire::State& state);
  void on(const Message& in, const wire::Heartbeat& heartbeat);
  void note_ended(const std::string& cluster, const Peer& peer, const wire::Heartbeat& heartbeat);
  void step_ended(const State& state, const Sink& sink);
  uint64_t ended_recorded(const std::string& cluster, const Peer& peer) const;

  void watch(uint32_t cluster, Instant at);
  void watch_all(const State& state);
  Instant lost_at(const State& state, uint32_t cluster) const;
  std::vector<uint32_t> take_lost(const State& state, Instant now);
  Peer* peer_of(const Message& in, uint64_t session, std::string& cluster);
  void welcome(const Message& in);
  void welcome(const State& state, const std::string& route);
  void note_referred(const std::string& route, int64_t boottime_ms);
  void refuse(const Message& in, const std::string& cluster, Reason reason,
              const std::string& message);
  bool acceptable(const Message& in, Peer& peer, const std::string& cluster,
                  const wire::Report& report);
  static void state_said(Peer& peer, const wire::StateBlock& block);
  void flush(const State& state, Peer& peer, const Sink& sink);
  bool step_if_left(const std::string& cluster, const Event& event, const Sink& sink);
  void step_recorded(const std::string& cluster, const Event& event, const Sink& sink);
  bool may_record(const std::string& cluster);
  void put_off(const std::string& cluster, const Sink& sink);
  void take_late(const State& state, const Sink& sink);
  StateReported& stated_of(Peer& peer, const Cluster& cluster, uint64_t session);
  void answer(const std::string& route, const wire::Message& message);
  template <class Stamped>
  void stamp(Stamped& message) const;
  bool believes(uint64_t epoch) const;
  void note_seen(std::optional<uint64_t> epoch, std::optional<uint64_t> incarnation);
  bool is_outranked(const Message& in, const wire::Hello& hello);
  void configure(const State& state, const std::string& route, uint32_t cluster);
  void answer_heartbeat(const Peer& peer, uint64_t number, bool resync,
                        std::optional<uint64_t> ended = std::nullopt, const OffHosts& off = {});
  OffHosts off_hosts_for(const Message& in, Peer& peer, uint32_t cluster);
  void renew(Peer& peer, const std::string& cluster);
  void note_look(const Message& in, Peer& peer, uint32_t cluster, std::optional<int64_t> age_ms);
  void ask_for_all(const Peer& peer);
  void outdated(const Message& in, Peer& peer, uint32_t cluster);
  void note_hosts(Peer& peer, const std::string& cluster, const wire::Report& report);

  std::unique_ptr<Exchange> agents_;
  std::function<Instant()> clock_;
  Liveness liveness_;
  std::unordered_map<std::string, Peer> peers_;              // by cluster
  std::unordered_map<std::string, std::string> cluster_of_;  // by route
  std::vector<std::string> with_pending_;                    // clusters, in order of arrival
  std::vector<std::string> answered_;                        // clusters with Peer::answered
  /// Work that has ended, of one state of an agent: up to which number it was given to the core,
  /// and up to which its commit is known to be done. Outlives a session.
  struct Ended {
    uint64_t state_id = 0;
    uint64_t stepped = 0;
    uint64_t recorded = 0;
    std::vector<wire::EndedWork> waits;  // of this turn
  };
  std::unordered_map<std::string, Ended> ended_;  // by cluster
  std::vector<std::string> late_;                 // clusters of which something waits
  // A heap, soonest first: of each agent that is connected an instant no later than that at which
  // it may be lost. What it says meanwhile moves nothing here.
  // One entry counts for each, that of `watched_`; sooner ones take its place, others fall out.
  std::vector<std::pair<Instant, uint32_t>> losses_;
  std::vector<Instant> watched_;     // by cluster; kNever: none
  int64_t watched_timeout_ms_ = -1;  // agent_timeout that they were made by; -1: none yet
  Leading leading_;
  std::function<bool()> may_answer_;  // empty: always
  Leading outranked_by_;
  std::unordered_set<std::string> parted_;  // routes, of part()
  int64_t parted_until_ms_ = INT64_MIN;
  std::unordered_map<std::string, int64_t> referred_;  // routes, and when that was last
  Knocks knocks_;
  uint64_t epoch_believed_ = UINT64_MAX;
  Budget budget_;                                      // of the record, by cluster
  std::unordered_map<std::string, int64_t> recorded_;  // bytes of its events in this batch
  std::function<int64_t()> work_us_;
  Budget loop_time_;                        // by peer: its key, or its route where it has none
  std::map<std::string, Waiting> waiting_;  // by peer
  std::array<uint64_t, wire::kDecodeFailureCount> failures_{};
  CountsByReason refused_{};
  uint64_t messages_ = 0;
  PeerRates rates_;
  PeerRates log_rate_{2, 20};  // of lines that strangers can cause
  Instant now_;
  Frame frame_;
  Bytes out_;
  wire::Report report_;  // reused: a report allocates nothing in the long run
};

template <class Work>
void AgentPort::charged(const std::string& peer, const Work& work) {
  if (!work_us_) return work();
  const int64_t begun_us = work_us_();
  work();
  loop_time_.spend(peer, work_us_() - begun_us, now_.ms);
}

}  // namespace leasehold
