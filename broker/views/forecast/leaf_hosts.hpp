// The hosts of a resource group in a projection: who is due what of each. Demand is counted and
// moves are placed by the functions of the plan's own cycle. Where no agent tells shapes and no
// host is reserved, and where the plan goes by whole hosts, one place stands for all hosts, and
// numbers decide. For this folder only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "broker/rules/plan/demand/leaf_work.hpp"
#include "broker/rules/plan/evaluate.hpp"
#include "broker/views/forecast/leaf.hpp"

namespace leasehold::forecasting {

/// A move of the plan, on one host. kNoIndex: nobody.
struct LeafMove {
  uint32_t from = kNoIndex;
  uint32_t to = kNoIndex;
  OnHost slots;
  int64_t grace_ms = 0;
};

/// A plan as it is at an instant of the projection.
struct PlanThen {
  const Plan* plan = nullptr;
  std::shared_ptr<const CompiledPlan> compiled;
};

/// The job that needs the slots that are asked for, and its leaf.
struct LeafAsks {
  uint32_t consumer = 0;
  const demand_aware::Waiting& job;
};

class LeafHosts {
 public:
  /// `input` outlives this object.
  explicit LeafHosts(const LeafCourseInput& input);

  /// Returns the slots that the leaf holds; the last host is for those on no known one.
  std::vector<HostSlots> held_by(uint32_t consumer) const;
  /// Returns the slots there that the leaf is due; of no known host all that it may hold.
  int64_t due(uint32_t consumer, uint32_t host) const;
  void add_due(uint32_t consumer, const OnHost& slots);
  /// Returns when a host closes next; kNotAtAll: none does.
  int64_t next_close() const;
  /// From now on leaves are due nothing more of hosts that have closed to them by then. Returns all
  /// that have, so far.
  std::span<const HostCloses> close(int64_t now_ms);
  /// Slots of the host that nobody is due leave the group. Returns how many.
  int64_t drop_free(uint32_t host);

  /// Writes to `state` the demand of leaves whose agents tell shapes; the rest of it is of then.
  void count_demand(const PlanThen& then, const std::vector<Work>& works, const LeafAsks& asks,
                    int64_t now_ms, PlanState& state);
  /// From now on those slots are due as the answer moves them. Returns where.
  std::vector<LeafMove> place(const PlanThen& then, const PlanAnswer& answer);

 private:
  void note_use(const std::vector<Work>& works);
  LeafWork work_of(uint32_t consumer, const Work& work, const LeafAsks& asks, int64_t now_ms,
                   const PlanState& state) const;
  std::span<const Selection> select(const PlanThen& then) const;

  const LeafCourseInput& input_;
  std::vector<PlanHost> hosts_;  // empty: numbers decide
  size_t closed_ = 0;            // of LeafCourseInput::closes
};

}  // namespace leasehold::forecasting
