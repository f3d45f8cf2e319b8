// Agent carries out the broker's messages at the workload manager. It keeps the order of
// schema/wire/PROTOCOL.md, "Orders": fence, wait until the fence has taken effect, read used again,
// persist, answer; persist, then open. Nothing is said that is not on disk. It blocks only in the
// adapter and the state file; while the adapter blocks, another thread may beat(). The socket and
// the signals are agent/io/loop.hpp's; decisions are agent/core's.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/demand/endings.hpp"
#include "agent/core/lease_clock.hpp"
#include "agent/core/lease_end.hpp"
#include "agent/core/limits/book.hpp"
#include "agent/core/limits/divide.hpp"
#include "agent/core/limits/fences.hpp"
#include "agent/core/reclaim/choice.hpp"
#include "agent/core/reclaim/scheduling.hpp"
#include "agent/core/reclaim/sets.hpp"
#include "agent/core/session.hpp"
#include "agent/io/agent/fate_reports.hpp"
#include "agent/io/agent/host_waker.hpp"
#include "agent/io/agent/other_leaders.hpp"
#include "agent/io/agent/preemptions.hpp"
#include "agent/io/agent/reclaims.hpp"
#include "agent/io/agent/reports.hpp"
#include "agent/io/agent/session_notes.hpp"
#include "agent/io/agent/workload_failures.hpp"
#include "agent/io/metrics/figures.hpp"
#include "agent/io/pause_point.hpp"
#include "agent/io/state_file.hpp"
#include "agent/workload/workload.hpp"
#include "common/clock.hpp"

namespace leasehold::agent {

struct AgentSettings {
  std::string cluster;
  HostNames names;
  int64_t report_interval_ms = 5'000;
  int degraded_after = 3;
  SessionTimes session;
  SchedulingSettings scheduling = {};
  Divide divide = Divide::as_found;            // [hosts] divisible
  std::string interrupt_signal = {};           // for work that asks for none itself
  std::vector<std::string> cautions = {};      // of its file, for people
  bool tell_users = false;                     // whose jobs had to end
  wire::Identity identity = {};                // where it runs
  const TimeSource* clocks = &machine_time();  // of its machine; outlive it
};

class Agent {
 public:
  using Send = std::function<void(const wire::Message&)>;
  /// Called at each step of an order, for tests that stop an agent there.
  using Reached = std::function<void(Step)>;

  /// `workload` and `send` outlive it. `now_ms`, here and below: CLOCK_BOOTTIME.
  Agent(AgentSettings settings, Workload& workload, StateFile state, SavedState saved,
        Reached reached, Send send);
  Agent(const Agent&) = delete;  // its parts refer to each other
  Agent& operator=(const Agent&) = delete;

  void on_message(const wire::Message& message, int64_t now_ms);
  /// Does whatever is due: a look at the workload, orders whose fence has taken effect, reports,
  /// heartbeats.
  void on_time(int64_t now_ms);
  /// Sends a heartbeat if one is due, and nothing else. The thread of beats.hpp calls it while
  /// on_time() or on_message() waits for the workload manager.
  void beat(int64_t now_ms);
  /// Says that the agent is being stopped, so that the broker need not wait for agent_timeout;
  /// fences and limits stay as they are.
  void say_stopping();
  /// Returns when on_time() has something to do.
  int64_t next_ms() const;

  const Session& session() const { return session_; }
  /// Returns true once if this broker does not lead and another one is to be asked.
  bool take_leave() { return session_.take_leave(); }
  /// Notes that another connection was begun.
  void on_connecting(int64_t now_ms) { session_.on_connecting(now_ms); }
  /// True once it has seen the workload manager and restored its state.
  bool started() const { return started_; }
  const Book& book() const { return book_; }
  AgentFigures figures(int64_t now_ms) const;

 private:
  struct PendingOrder {
    wire::Order order;
    bool fenced = false;
    int64_t ready_ms = 0;  // from then on it is tried again
    GroupLimits before;    // as they were when it was begun
  };

  // messages
  void on_welcome(const wire::Welcome& welcome, int64_t now_ms);
  void on_configuration(const wire::Configuration& configuration, int64_t now_ms);
  void on_order(const wire::Order& order, int64_t now_ms);
  void on_part(const wire::Order& part, int64_t now_ms);
  void on_heartbeat_answer(const wire::HeartbeatAnswer& answer, int64_t now_ms);
  void on_refusal(const wire::Refusal& refusal, int64_t now_ms);
  // several brokers on one database
  void send_knock();
  template <class M>
  void say_seen(M& message) const {
    if (session_.seen().epoch == 0) return;
    message.seen_epoch = session_.seen().epoch;
    message.seen_incarnation = session_.seen().incarnation;
  }
  // orders
  void begin(LeasedGroup& group, const wire::Order& order, int64_t now_ms);
  void advance_order(uint64_t generation, int64_t now_ms);
  bool fence(PendingOrder& pending, LeasedGroup& group, int64_t now_ms);
  bool finish(const PendingOrder& pending, LeasedGroup& group);
  void advance_orders(int64_t now_ms);
  void drop_outdated_orders();
  // sets of hosts
  bool comes_late(const wire::Order& order) const;
  bool take_sets(const wire::Order& order);
  void mind_sets();
  void await_set_fences(int64_t now_ms);
  void lower_sets(std::map<uint64_t, GroupLimits>& before);
  bool give_up_whole_hosts(const WorkList& work);
  // the end of leases
  void mind_lease(int64_t now_ms);
  void give_up_ended();
  void renew_workload(int64_t now_ms);
  int64_t lease_ms() const;
  int64_t lease_ms_at_hello(int64_t now_ms) const;
  int64_t longest_grace_ms() const;
  // the workload
  bool look();
  void start();
  void poll(int64_t now_ms);
  void note_use();
  void lower_open();
  // work that ends
  void reclaim(int64_t now_ms);
  int64_t slots_usable() const;
  ReclaimNeeds needs_by_then(const WorkList& work);
  void end_for_reclaims(const WorkList& work, int64_t now_ms);
  int64_t late_ms() const;
  // what is enforced
  bool may_raise() const;
  bool enforce_wanted();
  std::vector<int32_t> fenced_use(size_t index) const;
  bool fences_stand(const LeasedGroup& group) const;
  void fence_resources();
  int64_t may_speak_ms() const;
  bool waits_for_use() const;
  // saying
  void note_contact(std::optional<int64_t> sent_ms, int64_t now_ms);
  std::optional<wire::ClockReading> clocks(const std::optional<wire::ClockReading>& heard) const;
  void send_last_word(int64_t sent_ms, int64_t now_ms);
  void send_hello(int64_t now_ms);
  void send_inventory();
  void send_state(uint64_t generation);
  void send_report(int64_t now_ms);
  void send_heartbeat(int64_t now_ms);
  bool persist(const LeasedGroup& group);
  Picture picture() const;

  AgentSettings settings_;
  Workload& workload_;
  StateFile state_;
  Reached reached_;
  Send send_;
  Session session_;
  Reports reports_;
  WorkloadFailures failures_;
  Endings endings_;
  std::optional<wire::Ending> expected_ends_;  // of the last good look
  Book book_;
  SavedState saved_;  // until started
  uint64_t state_id_ = 0;
  bool lost_ = true;  // no configuration was ever applied to this state
  bool started_ = false;
  std::optional<int64_t> may_speak_ms_;  // the fences of the first enforcement take effect then
  bool confirmed_ = false;               // the broker has sent a configuration to this process
  int64_t now_ms_ = 0;
  int64_t turn_began_ms_ = 0;  // what the clock said at the beginning of the turn of now_ms_
  /// The time that the broker's last welcome or heartbeat answer states, with the time it was
  /// received here; nullopt: it states none.
  std::optional<wire::ClockReading> heard_;
  OtherLeaders other_leaders_;
  Fences fences_;
  View view_;  // the last good look, with caps enforced since
  std::vector<GroupUse> use_;
  HostWaker host_waker_;
  bool resources_due_ = false;
  std::map<uint64_t, PendingOrder> pending_;
  ReclaimSets sets_;
  FateReports fates_;
  SessionNotes work_sessions_;
  Reclaims reclaims_;
  Preemptions preemptions_;
  LeaseClock lease_;
  LeaseEnd lease_end_;
  int64_t ttl_told_ms_ = 0;           // the workload manager goes by it
  bool seen_ = false;                 // the last look was good
  std::optional<int64_t> looked_ms_;  // the last good one
  int64_t poll_due_ms_ = INT64_MIN;
  int64_t workload_due_ms_ = INT64_MAX;
};

}  // namespace leasehold::agent
