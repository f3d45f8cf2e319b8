// The part of Agent that sets caps and believes in them only when it has seen them.
#include "agent/io/agent/agent.hpp"
#include "common/canary.hpp"

namespace leasehold::agent {

/// Whether a cap may be higher than the one that is found. Not before the broker has spoken to this
/// process, and not when it may have given this agent up: another agent may serve the cluster by
/// then, and its slots be granted elsewhere.
bool Agent::may_raise() const {
  if (LEASEHOLD_CANARY(raises_while_silent)) return confirmed_;
  return confirmed_ && session_.open() &&
         lease_.certainly_in_contact(now_ms_, book_.configuration().agent_timeout_ms);
}

/// Makes what is enforced what it should be.
bool Agent::enforce_wanted() {
  sets_.withhold(book_);
  std::vector<HostCap> changes = differences(book_.caps(view_.hosts), view_.caps, view_.hosts);
  if (!confirmed_ && !LEASEHOLD_CANARY(opens_at_start)) {
    // A fence says what is exported of an own host; of another's host none is the lowest one.
    std::erase_if(changes, [](const HostCap& cap) { return cap.parts.empty() && !cap.imported; });
  }
  if (!may_raise() && !LEASEHOLD_CANARY(opens_at_start)) {
    changes = without_raises(std::move(changes), view_.caps, view_.hosts);
  }
  if (changes.empty()) return true;
  const Status done = workload_.enforce(changes);
  // Also after a failure: some of them may have been set.
  const bool lags = !LEASEHOLD_CANARY(answers_before_settle);
  fences_.asked(changes, now_ms_, lags ? workload_.traits().settle_ms : 0, done.has_value());
  if (!may_speak_ms_) may_speak_ms_ = fences_.all_settled_ms(now_ms_);
  if (!done) {
    failures_.count("enforce", done.error());
    return false;
  }
  for (const HostCap& cap : changes) {
    std::erase_if(view_.caps, [&](const HostCap& found) { return found.host == cap.host; });
    if (!cap.parts.empty()) view_.caps.push_back(cap);
  }
  return true;
}

/// Slots by host position that are in use, or that the fence found at the last look does not hold
/// yet, for there more work may start at any moment. Of several groups on one host each counts all
/// of the latter.
std::vector<int32_t> Agent::fenced_use(size_t index) const {
  const LeasedGroup& group = book_.groups()[index];
  std::vector<int32_t> used = Book::used_for_order(group, use_[index]);
  const std::vector<HostCap> wanted = book_.caps(view_.hosts);
  for (size_t i = 0; i < used.size() && i < group.places.size(); ++i) {
    const HostLimit& host = group.limits.hosts[i];
    if ((!host.lowering && host.withheld == 0) || group.places[i].empty()) continue;
    if (LEASEHOLD_CANARY(trusts_fence_unseen)) continue;
    const std::optional<int32_t> beyond =
        fences_.beyond(group.places[i], wanted, view_.caps, now_ms_);
    if (beyond == 0) continue;
    const int32_t open = beyond ? enforced(host) + std::min(*beyond, host.limit) : host.limit;
    used[i] = std::max(used[i], std::min(open, host.limit));
  }
  return used;
}

/// Every host that this order lowers is fenced, as the last look shows; as far as it can be now,
/// where fences close slot by slot.
bool Agent::fences_stand(const LeasedGroup& group) const {
  if (LEASEHOLD_CANARY(trusts_fence_unseen)) return true;
  const std::vector<HostCap> wanted = book_.caps(view_.hosts);
  const GroupUse& use = use_[static_cast<size_t>(&group - book_.groups().data())];
  for (size_t i = 0; i < group.limits.hosts.size() && i < group.places.size(); ++i) {
    // A host that the look did not show gives up nothing.
    if (!group.limits.hosts[i].settling || !use.known[i]) continue;
    const std::optional<int32_t> beyond =
        fences_.beyond(group.places[i], wanted, view_.caps, now_ms_);
    if (!beyond || (*beyond > 0 && !workload_.traits().fences_by_slot)) return false;
  }
  return true;
}

void Agent::lower_open() {
  mind_sets();
  std::map<uint64_t, GroupLimits> before;  // of groups that fell
  for (size_t i = 0; i < book_.groups().size(); ++i) {
    const uint64_t generation = book_.groups()[i].limits.generation;
    LeasedGroup& group = *book_.find(generation);
    GroupLimits limits = group.limits;
    if (lower_to_use(group.limits, fenced_use(i))) before.emplace(generation, std::move(limits));
  }
  lower_sets(before);
  for (auto& [generation, limits] : before) {
    LeasedGroup& group = *book_.find(generation);
    if (persist(group))
      send_state(generation);
    else
      group.limits = std::move(limits);
  }
}

}  // namespace leasehold::agent
