// MemberSide: one member of a slot group as its simulated agent knows it. The caps of the cluster's
// job model are its limits.
//
// It answers an order at once, except that slots which an evaluation takes from it are on their way
// for the scenario's transfer time: it closes them at once and answers when they have arrived.
// Until then it states nothing, because the order is a single one, whatever hosts it names. Under a
// resource plan, and for a lease with provider_first, its limits are those of a PlannedSide for
// each host (side.hpp), and a reclaim on one host arrives without waiting for another.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "broker/lab/agent_side.hpp"
#include "broker/lab/simulate/side.hpp"
#include "broker/lab/virtual_site.hpp"
#include "common/jobs/job_model.hpp"

namespace leasehold {

class MemberSide {
 public:
  /// `model` is the cluster's and must outlive this object. `by_host`: each host has its
  /// PlannedSide.
  MemberSide(uint32_t cluster, uint64_t generation, JobModel& model, bool by_host)
      : cluster_(cluster), agent_{generation}, model_(&model), by_host_(by_host) {}

  uint32_t cluster() const { return cluster_; }
  bool by_host() const { return by_host_; }
  /// Adds the next host of the group: the one with this position in the model.
  void add_host(uint32_t host);
  size_t hosts() const { return hosts_.size(); }
  int32_t cap(size_t row) const { return model_->cap(hosts_[row].host); }

  struct Taken {
    bool more = false;     // the cluster may use more slots than before
    bool answers = false;  // at once
  };
  /// Carries out an order; one that is not newer than the last one changes nothing.
  Taken take(const CoreOrder& order, int64_t transfer_ms, Instant now);
  /// To be called after completions and before starts: ends work whose grace is over, and lets
  /// nothing start on slots that are to be given up. Returns the number of runs that it ended.
  int64_t end_overdue(int64_t transfer_ms, Instant now);
  /// Returns true if slots have arrived or it has to answer: it is to state then.
  bool deliver(Instant now);
  Instant next_delivery() const;
  int64_t slot_ms_lost() const;

  bool owes_answer() const { return agent_.owes_answer(); }
  /// True if it may state, and has something new to state.
  bool has_news() const;
  void state(wire::StateBlock& block);

 private:
  struct SideHost {
    uint32_t host = 0;  // in the model
    int32_t used_reported = 0;
    int32_t limit_reported = 0;
    std::optional<PlannedSide> planned;
  };
  Taken take_lease(const CoreOrder& order, int64_t transfer_ms, Instant now);
  Taken take_by_host(const CoreOrder& order, int64_t transfer_ms, Instant now);
  int32_t lease_limit(uint32_t host, int32_t ordered) const;

  uint32_t cluster_;
  AgentSide agent_;
  JobModel* model_;
  bool by_host_;
  std::vector<SideHost> hosts_;  // in the order of the group's hosts
};

}  // namespace leasehold
