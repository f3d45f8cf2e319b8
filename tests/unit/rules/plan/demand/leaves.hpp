// Leaves: hosts, leaves and their waiting work, of which a test asks the leaves' demand
// (broker/rules/plan/demand/leaf_demand.hpp).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/rules/plan/demand/leaf_demand.hpp"
#include "broker/rules/plan/hosts/whole_hosts.hpp"
#include "tests/unit/rules/plan/fixture.hpp"

namespace leasehold::test {

/// Slots of a host that a leaf is due, and how many of them its work uses.
struct Due {
  const char* leaf;
  int64_t slots;
  int64_t used;
};

struct HostRow {
  int64_t slots;
  std::vector<Due> due = {};
  const char* owner = "";
  int32_t machine = 0;  // slots of the machine; 0: as many
};

struct WorkRow {
  const char* leaf;
  std::vector<demand_aware::Waiting> waiting;
};

inline demand_aware::Waiting jobs(int64_t count, int32_t on_host, int32_t hosts = 1,
                                  std::vector<uint64_t> rows = {}) {
  return {{on_host, hosts, int64_t{on_host} * hosts}, count, 0, std::move(rows)};
}

inline demand_aware::Waiting whole_hosts(int64_t count, int32_t at_least) {
  return {{at_least, 1, at_least, true}, count, 0, {}};
}

class Leaves {
 public:
  Leaves(std::string_view group, const std::vector<std::string>& consumers,
         const std::vector<HostRow>& hosts, const std::vector<WorkRow>& works)
      : fixture_(group, consumers) {
    fixture_.state.slots = 0;
    for (const HostRow& host : hosts) add(host);
    for (const WorkRow& work : works) add(work);
  }

  PlanFixture& fixture() { return fixture_; }
  std::vector<PlanHost>& hosts() { return hosts_; }

  LeafDemands find() const {
    const auto compiled = compile(fixture_.plan);
    return leaf_demands(
        {fixture_.plan, compiled, fixture_.state, *compiled, false, hosts_, {}, works_});
  }

  LeafDemands find_in_hosts() {
    const HostCount there{static_cast<int64_t>(hosts_.size()), *fixture_.state.slots};
    const Plan plan = in_whole_hosts(fixture_.plan, there);
    PlanState state = fixture_.state;
    state.slots = there.hosts;
    for (LeafState& leaf : state.leaves) leaf.allocated = 0;
    for (LeafWork& work : works_) work.in_use = 0;
    for (const PlanHost& host : hosts_) {
      for (const HostHolding& held : host.held) {
        ++state.leaves[held.consumer].allocated;
        for (LeafWork& work : works_) {
          work.in_use += work.consumer == held.consumer && held.used > 0 ? 1 : 0;
        }
      }
    }
    const auto compiled = compile(plan);
    const auto in_slots = compile(fixture_.plan);
    return leaf_demands({plan, compiled, state, *in_slots, true, hosts_, {}, works_});
  }

  /// "/A 4, /B 0 misfit | /A 0:4": demands, then slots to come by host.
  std::string text(const LeafDemands& demands) const {
    std::string text;
    for (const LeafDemand& leaf : demands.leaves) {
      text += (text.empty() ? "" : ", ") + path(leaf.consumer) + " " + std::to_string(leaf.demand) +
              (leaf.misfit ? " misfit" : "");
    }
    for (size_t i = 0; i < demands.wanted.size(); ++i) {
      const WantedSlots& wanted = demands.wanted[i];
      text += (i == 0 ? " | " : ", ") + path(wanted.consumer) + " " + std::to_string(wanted.host) +
              ":" + std::to_string(wanted.slots);
    }
    return text;
  }
  std::string text() const { return text(find()); }

 private:
  const std::string& path(uint32_t consumer) const {
    return fixture_.plan.consumers[consumer].path;
  }

  void add(const HostRow& row) {
    PlanHost& host = hosts_.emplace_back();
    host.slots = row.slots;
    host.facts.slots = row.machine == 0 ? static_cast<int32_t>(row.slots) : row.machine;
    if (*row.owner != 0) host.owner = fixture_.find(row.owner);
    for (const Due& due : row.due) {
      const uint32_t leaf = fixture_.find(due.leaf);
      host.held.push_back({leaf, due.slots, due.used});
      fixture_.state.leaves[leaf].allocated += due.slots;
    }
    *fixture_.state.slots += row.slots;
  }

  void add(const WorkRow& row) {
    LeafWork& work = works_.emplace_back();
    work.consumer = fixture_.find(row.leaf);
    work.waiting = row.waiting;
    for (const PlanHost& host : hosts_) {
      for (const HostHolding& held : host.held) {
        if (held.consumer == work.consumer) work.in_use += held.used;
      }
    }
    work.slots_in_use = work.in_use;
    work.slots_allocated = fixture_.state.leaves[work.consumer].allocated;
  }

  PlanFixture fixture_;
  std::vector<PlanHost> hosts_;
  std::vector<LeafWork> works_;
};

}  // namespace leasehold::test
