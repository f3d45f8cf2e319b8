// SimulatedAgents: an agent beside each simulated cluster, with its sides of slot groups. They
// carry out orders and say what agents say, as schema/wire/PROTOCOL.md does, without messages.
// Sides are numbered in the order in which the core made their groups and members.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/core/demand/endings.hpp"
#include "broker/lab/simulate/consumers.hpp"
#include "broker/lab/simulate/hosts.hpp"
#include "broker/lab/simulate/member_side.hpp"
#include "broker/lab/simulate/outcome/watcher.hpp"
#include "broker/lab/simulate/rules.hpp"
#include "broker/lab/simulate/scenario/scenario.hpp"
#include "broker/lab/virtual_site.hpp"

namespace leasehold {

class SimulatedAgents {
 public:
  /// Adds hosts to the models, as SimulatedSite says. `watcher` may be null; all must outlive this
  /// object.
  SimulatedAgents(const Scenario& scenario, const SimulationRule& rule, const VirtualSite& site,
                  std::vector<JobModel>& models, Watcher* watcher);

  AgentHello hello(uint32_t cluster) const;
  InventoryReported inventory(uint32_t cluster) const;
  const HostNames& names() const { return names_; }

  /// Adopts the groups, members and hosts that the core has made since; each member gives its agent
  /// a side.
  void adopt_groups();
  uint32_t sides() const { return static_cast<uint32_t>(sides_.size()); }
  const std::vector<uint32_t>& sides_of(uint32_t cluster) const { return agents_[cluster].sides; }
  MemberSide& side(uint32_t side) { return sides_[side]; }
  uint32_t side_of(const CoreOrder& order) const;

  /// Returns the report in which this side answers; it is valid until the next one.
  Event& answer(uint32_t side, Instant now);
  /// Returns the report of that cluster's agent; nullptr: it has nothing new.
  Event* news(uint32_t cluster, Instant now);

  /// Calls MemberSide::end_overdue() of all sides by host, and counts for the plans' consumers.
  void end_overdue(Instant now, ConsumerMeter& meter);
  Instant next_delivery() const;
  /// Returns what the cluster may use of the policy's hosts.
  int64_t cap(uint32_t cluster, const ScenarioPolicy& policy) const;
  /// Runs that a reclaim ended, and the slot-time that they had taken until then.
  int64_t jobs_requeued() const { return jobs_requeued_; }
  int64_t slot_ms_lost() const;

 private:
  struct Agent {
    Event report;  // a StateReported, reused
    std::vector<uint32_t> sides;
    int64_t pending_known = 0;  // of the model, at the last report
    agent::Endings endings;     // what it learnt from work that ended
    /// The first of the policy's hosts in the model, [policy][consumer of the policy]; a policy in
    /// the plan has one, whoever holds its slots.
    std::vector<std::vector<uint32_t>> first_hosts;
  };

  void add_policy_hosts(uint32_t cluster);
  bool tells_work() const;
  size_t index_of(const ScenarioPolicy& policy) const;
  bool by_host(const SlotGroup& group) const;
  void add_side(uint32_t group, uint32_t member);
  void add_rows(uint32_t group, MemberSide& side);
  uint32_t policy_of(const SlotGroup& group) const;
  uint32_t first_host(const SlotGroup& group, uint32_t cluster) const;
  wire::StateBlock& fresh_block(uint32_t cluster, Instant now);

  const Scenario& scenario_;
  const SimulationRule rule_;
  const VirtualSite& site_;
  const HostNames names_;
  std::vector<JobModel>& models_;
  Watcher* watcher_;
  std::vector<Agent> agents_;
  std::vector<MemberSide> sides_;
  std::vector<std::vector<uint32_t>> sides_of_;  // [index of the group][member]
  int64_t jobs_requeued_ = 0;
};

}  // namespace leasehold
