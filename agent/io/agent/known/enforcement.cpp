#include "agent/io/agent/known/enforcement.hpp"

#include <algorithm>

#include "common/canary.hpp"

namespace leasehold::agent {

bool Enforcement::may_raise(int64_t now_ms) const {
  return contact_.may_raise(now_ms, limits_.book().configuration().agent_timeout_ms);
}

bool Enforcement::look(int64_t now_ms) {
  // An adapter may end the jobs that hold slots of unused hosts, which raises caps: an agent that
  // may raise none drops the list of unused hosts that the broker sent.
  if (!may_raise(now_ms)) workload_.nobody_else_uses({});
  Result<View> view = workload_.read(limits_.book().imported_hosts());
  seen_ = view.has_value();
  if (!view) {
    failures_.count("read", view.error());
    return false;
  }
  looked_ms_ = now_ms;
  view_ = std::move(*view);
  fences_.seen(view_.caps, now_ms, workload_.traits().settle_ms);
  divide_by(divide_, view_);
  count_use();
  if (view_.shapes) {
    expected_ends_ = endings_.look(view_.shapes->running, view_.shapes->now);
    expected_ends_->longest_limit_ms = longest_limit_ms(*view_.shapes);
  }
  return true;
}

std::vector<HostCap> Enforcement::changes_to_make(int64_t now_ms) const {
  std::vector<HostCap> changes =
      differences(caps_of(limits_.book(), view_.hosts), view_.caps, view_.hosts);
  if (LEASEHOLD_CANARY(opens_at_start)) return changes;
  if (!contact_.confirmed()) {
    // The fence of an own host also keeps what is exported of it; an imported host without a fence
    // is closed.
    std::erase_if(changes, [](const HostCap& cap) { return cap.parts.empty() && !cap.imported; });
  }
  return may_raise(now_ms) ? changes : without_raises(std::move(changes), view_.caps, view_.hosts);
}

bool Enforcement::enforce(int64_t now_ms) {
  limits_.withhold();
  const std::vector<HostCap> changes = changes_to_make(now_ms);
  if (changes.empty()) return true;
  const Status done = workload_.enforce(changes);
  // Also after a failure: some of them may have been set.
  const bool lags = !LEASEHOLD_CANARY(answers_before_settle);
  fences_.asked(changes, now_ms, lags ? workload_.traits().settle_ms : 0, done.has_value());
  if (!may_speak_ms_) may_speak_ms_ = fences_.all_bind_at_ms(now_ms);
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

void Enforcement::fence_resources() {
  if (!resources_unfenced_) return;
  if (const Status done = workload_.fence_resources(limits_.book().configuration().resources);
      !done) {
    return failures_.count("resources", done.error());
  }
  resources_unfenced_ = false;
}

Status Enforcement::lease_until(int64_t until_ms) {
  if (until_ms == view_.leases_until_ms) return {};
  if (const Status done = workload_.lease_until(until_ms); !done) {
    failures_.count("lease_until", done.error());
    return done;
  }
  view_.leases_until_ms = until_ms;
  return {};
}

std::optional<int32_t> Enforcement::beyond(const std::string& place,
                                           const std::vector<HostCap>& wanted,
                                           int64_t now_ms) const {
  return fences_.beyond(place, wanted, view_.caps, now_ms);
}

std::vector<int32_t> Enforcement::fenced_use(size_t index, int64_t now_ms) const {
  const LeasedGroup& group = limits_.book().groups()[index];
  std::vector<int32_t> used = used_for_order(group, use_[index]);
  const std::vector<HostCap> wanted = caps_of(limits_.book(), view_.hosts);
  for (size_t i = 0; i < used.size() && i < group.places.size(); ++i) {
    const HostLimit& host = group.limits.hosts[i];
    if ((!host.lowering && host.withheld == 0) || group.places[i].empty()) continue;
    if (LEASEHOLD_CANARY(trusts_fence_unseen)) continue;
    const std::optional<int32_t> more = beyond(group.places[i], wanted, now_ms);
    if (more == 0) continue;
    const int32_t open = more ? enforced(host) + std::min(*more, host.limit) : host.limit;
    used[i] = std::max(used[i], std::min(open, host.limit));
  }
  return used;
}

bool Enforcement::fences_stand(const LeasedGroup& group, int64_t now_ms) const {
  if (LEASEHOLD_CANARY(trusts_fence_unseen)) return true;
  const std::vector<HostCap> wanted = caps_of(limits_.book(), view_.hosts);
  const GroupUse& use = use_[limits_.book().index_of(group)];
  for (size_t i = 0; i < group.limits.hosts.size() && i < group.places.size(); ++i) {
    // A host that the look did not show gives up nothing.
    if (!group.limits.hosts[i].settling || !use.known[i]) continue;
    const std::optional<int32_t> more = beyond(group.places[i], wanted, now_ms);
    if (!more || (*more > 0 && !workload_.traits().fences_by_slot)) return false;
  }
  return true;
}

}  // namespace leasehold::agent
