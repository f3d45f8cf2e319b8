#include "broker/views/explain/waiting.hpp"

#include <algorithm>
#include <set>

#include "broker/core/model/queries/owner_jobs.hpp"
#include "broker/views/explain/others.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold::explanation {

namespace {

using rows::count_of;

/// Hindrances beyond these are no longer near to a start.
constexpr size_t kHindrancesMost = 8;  // of a bucket
constexpr size_t kPlacesMost = kLeasesMost;

class Works {
 public:
  Works(const State& state, uint32_t cluster, const Json& answer)
      : state_(state), cluster_(state.clusters[cluster]), index_(cluster), answer_(answer) {
    for (const wire::DemandBucket& bucket : *cluster_.demand) works_.push_back({&bucket, {}});
  }

  std::vector<WaitingWork> find() {
    for (const uint32_t g : cluster_.slot_groups) {
      if (places_ == kPlacesMost) break;
      const SlotGroup& group = state_.slot_groups[g];
      if (group.phase == Phase::closed) continue;
      if (group.resource_group != kNoIndex) {
        if (plans_.insert(group.resource_group).second) look_at_plan(group.resource_group);
      } else if (group.policy != kNoIndex && group.grid < state_.grids.size()) {
        look_at_lease(g);
      }
      ++places_;
    }
    for (WaitingWork& work : works_) sort(work.hindrances);
    return std::move(works_);
  }

 private:
  static void sort(std::vector<Hindrance>& all) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Hindrance& a, const Hindrance& b) { return a.what < b.what; });
    if (all.size() > kHindrancesMost) all.resize(kHindrancesMost);
  }

  void look_at_lease(uint32_t g) {
    const SlotGroup& group = state_.slot_groups[g];
    const bool provides = group.members[kProvider].cluster == index_;
    const auto member = static_cast<uint8_t>(provides ? kProvider : kConsumer);
    const std::string id = lease_id(state_, group);
    const AtLease at{state_, g, group, member, id, waits_for(id)};
    const SlotsSeen seen = seen_of_lease(state_, group, member);
    for (WaitingWork& work : works_) work.hindrances.push_back(at_lease(at, seen, *work.bucket));
  }

  std::string waits_for(const std::string& id) const {
    for (const Json& lease : answer_["leases"]) {
      if (lease["id"] == id && !lease["waits_for"].is_null()) return lease["waits_for"];
    }
    return "";
  }

  void look_at_plan(uint32_t resource_group) {
    const PlanNow now = plan_now(state_, resource_group);
    if (now.snapshot.plan == nullptr) return;
    const std::vector<uint32_t>& clusters = now.snapshot.ready->cluster;
    const auto leaf = std::find(clusters.begin(), clusters.end(), index_);
    if (leaf == clusters.end()) {
      for (WaitingWork& work : works_) {
        work.hindrances.push_back(without_leaf(now.snapshot.plan->name, cluster_.name));
      }
      return;
    }
    const auto consumer = static_cast<uint32_t>(leaf - clusters.begin());
    const AtLeaf at{state_, now, consumer, cluster_.name};
    const SlotsSeen seen = seen_of_plan(state_, now, consumer);
    for (WaitingWork& work : works_) work.hindrances.push_back(at_leaf(at, seen, *work.bucket));
  }

  const State& state_;
  const Cluster& cluster_;
  const uint32_t index_;
  const Json& answer_;
  std::vector<WaitingWork> works_;
  std::set<uint32_t> plans_;
  size_t places_ = 0;
};

Json row_of(const WaitingWork& work) {
  Json row;
  row["jobs"] = work.bucket->jobs;
  row["wants"] = wants_of(*work.bucket);
  row["obstacles"] = Json::array();
  for (const Hindrance& one : work.hindrances) {
    row["obstacles"].push_back({{"of", one.of},
                                {"role", one.role},
                                {"obstacle", token(one.what)},
                                {"sentence", one.sentence},
                                {"would_change", one.changes}});
  }
  return row;
}

}  // namespace

std::vector<WaitingWork> waiting_work(const State& state, uint32_t cluster, const Json& answer) {
  return Works(state, cluster, answer).find();
}

std::string wants_of(const wire::DemandBucket& bucket) {
  const int64_t slots = waiting_of_bucket({}, bucket).shape.slots;
  const std::string on_host = count_of(bucket.slots_per_host, "slot");
  const bool more = slots > int64_t{bucket.slots_per_host} * bucket.hosts;
  const std::string whole = bucket.whole ? ", taken whole" : "";
  if (more && bucket.hosts == 1) {
    const bool anywhere = bucket.slots_per_host == 1;
    return count_of(slots, "slot") +
           (anywhere ? " on any hosts" : ", at least " + on_host + " on each host") + whole;
  }
  const std::string hosts =
      bucket.hosts > 1 ? " on each of " + std::to_string(bucket.hosts) + " hosts" : " on one host";
  return on_host + hosts + (more ? ", " + std::to_string(slots) + " in all" : "") + whole;
}

void add_waiting(Json& answer, const std::vector<WaitingWork>& works) {
  std::set<std::string> listed;
  Json changes = Json::array();
  for (const WaitingWork& work : works) {
    answer["waiting"].push_back(row_of(work));
    for (const Hindrance& one : work.hindrances) {
      for (const std::string& change : one.changes) {
        const std::string line = one.of + ": " + change;
        if (listed.insert(line).second) changes.push_back(line);
      }
    }
  }
  for (Json& line : answer["would_change"]) changes.push_back(std::move(line));
  answer["would_change"] = std::move(changes);
}

}  // namespace leasehold::explanation
