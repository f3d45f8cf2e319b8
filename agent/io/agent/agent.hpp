// Agent carries out the broker's messages at the workload manager. It keeps the order of
// schema/wire/PROTOCOL.md, "Orders": fence, wait until the fence has taken effect, read used again,
// persist, answer; persist, then open. Nothing is said that is not on disk. It blocks only in the
// adapter and the state file; while the adapter blocks, another thread may beat(). The socket and
// the signals are agent/io/loop.hpp's; decisions are agent/core's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/core/lease_end.hpp"
#include "agent/io/agent/fate_reports.hpp"
#include "agent/io/agent/host_waker.hpp"
#include "agent/io/agent/known/contact.hpp"
#include "agent/io/agent/known/durable_limits.hpp"
#include "agent/io/agent/known/enforcement.hpp"
#include "agent/io/agent/known/workload_failures.hpp"
#include "agent/io/agent/known/workload_lease.hpp"
#include "agent/io/agent/orders.hpp"
#include "agent/io/agent/statements.hpp"
#include "agent/io/agent/usage_reports.hpp"
#include "agent/io/agent/work_ends.hpp"
#include "agent/io/metrics/figures.hpp"
#include "agent/io/state/state_file.hpp"
#include "agent/workload/workload.hpp"
#include "common/time/clock.hpp"

namespace leasehold::agent {

struct AgentSettings {
  std::string cluster;
  HostNames names;
  int64_t report_interval_ms = 5'000;
  int degraded_after = 3;
  SessionTimes session;
  SchedulingSettings scheduling = {};
  Divide divide = Divide::as_found;        // [hosts] divisible
  std::string interrupt_signal = {};       // for work that asks for none itself
  std::vector<std::string> cautions = {};  // of its file, for people
  /// The workload manager calls hosts by its own names, so hosts of other clusters need a rule or a
  /// map of [hosts].
  bool needs_host_names = false;
  bool report_users = false;     // the broker learns whose jobs had to end
  std::string user_secret = {};  // keys the hashes of users; "": by name
  ReportedNames reported_names() const { return ReportedNames(report_users, user_secret); }
  wire::Identity identity = {};                // where it runs
  const TimeSource* clocks = &machine_time();  // of its machine; they outlive the agent
};

class Agent {
 public:
  using Send = Statements::Send;
  using Reached = Orders::Reached;

  /// `workload` and `send` outlive it. `now_ms`, here and below: CLOCK_BOOTTIME.
  Agent(AgentSettings settings, Workload& workload, StateFile state, SavedState saved,
        Reached reached, Send send);
  Agent(const Agent&) = delete;  // its parts refer to each other
  Agent& operator=(const Agent&) = delete;

  void on_message(const wire::Message& message, int64_t now_ms);
  /// Does what it is time for: a look at the workload, orders whose fence has taken effect,
  /// reports, heartbeats.
  void on_time(int64_t now_ms);
  /// Sends a heartbeat if it is time for one, and nothing else. The thread of
  /// agent/io/broker/beats.hpp calls it while on_time() or on_message() waits for the workload
  /// manager.
  void beat(int64_t now_ms);
  /// Says that the agent is being stopped, so that the broker need not wait for agent_timeout;
  /// fences and limits stay as they are.
  void say_stopping() { statements_.stopping(); }
  /// Returns when on_time() has something to do.
  int64_t next_ms() const;

  const Session& session() const { return contact_.session(); }
  /// Returns true once if this broker does not lead and another one is to be asked.
  bool take_leave() { return contact_.session().take_leave(); }
  void on_connecting(int64_t now_ms) { contact_.session().on_connecting(now_ms); }
  /// True once it has seen the workload manager and restored its state.
  bool started() const { return !saved_.has_value(); }
  const Book& book() const { return limits_.book(); }
  AgentFigures figures(int64_t now_ms) const;

 private:
  /// Pauses between looks that the workload manager asks for itself, and after a failed look.
  static constexpr int64_t kLookGapMs = 50;
  /// From look to look at least so many times what one took, so that a busy workload manager is
  /// not asked without a pause; report_interval_ms holds all the same.
  static constexpr int64_t kPauseOfLooks = 10;
  static constexpr int64_t kRetryMs = 1'000;

  void on_welcome(const wire::Welcome& welcome, int64_t now_ms);
  void on_configuration(const wire::Configuration& configuration, int64_t now_ms);
  void on_heartbeat_answer(const wire::HeartbeatAnswer& answer, int64_t now_ms);
  void on_refusal(const wire::Refusal& refusal, int64_t now_ms);
  bool apply(const wire::Configuration& configuration);
  void greet(int64_t now_ms);
  void end_leases(int64_t now_ms);
  void note_use();
  void report(int64_t now_ms) { statements_.report(workload_lease_.promised_ms(), now_ms); }
  void start(int64_t now_ms);
  void poll(int64_t now_ms);
  void act_on_look(int64_t now_ms);

  AgentSettings settings_;
  Workload& workload_;
  StateFile state_;
  std::optional<SavedState> saved_;  // until started
  WorkloadFailures failures_;
  Contact contact_;
  DurableLimits limits_;
  Enforcement enforcement_;
  WorkloadLease workload_lease_;
  HostWaker host_waker_;
  WorkReports of_work_;
  Statements statements_;
  Orders orders_;
  WorkEnds work_ends_;
  LeaseEnd lease_end_;
};

}  // namespace leasehold::agent
