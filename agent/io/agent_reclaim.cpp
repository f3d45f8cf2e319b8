// The part of Agent that ends work: of reclaims, with grace (lsf-ego 5.1 to 5.3), and of preemption
// inside the cluster, at once (5.4). What is chosen is decided in agent/core; here it is carried
// out.
#include <algorithm>

#include "agent/core/deserved.hpp"
#include "agent/core/preemption.hpp"
#include "agent/core/reclaim_choice.hpp"
#include "agent/io/agent.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kRetryMs = 1'000;  // before a call that failed is tried again
constexpr int64_t kEndedMs = 50;     // ended work has given its slots back: look again soon

/// Slots that the cluster may use by what is enforced: those to be given back do not count.
int64_t usable_slots(const View& view) {
  int64_t slots = 0;
  for (const HostCap& cap : view.caps) slots += cap.slots;
  for (const wire::HostFacts& host : view.hosts) {
    const bool capped = std::any_of(view.caps.begin(), view.caps.end(),
                                    [&](const HostCap& cap) { return cap.host == host.name; });
    if (!capped && host.up) slots += host.slots;
  }
  return slots;
}

int64_t slots_in_use(const std::vector<WorkUnit>& units) {
  int64_t slots = 0;
  for (const WorkUnit& unit : units)
    if (unit.running()) slots += unit.slots;
  return slots;
}

}  // namespace

/// Slots in use above what open reclaims leave on each host.
std::vector<HostReclaim> Agent::open_reclaims() const {
  std::map<std::string, HostReclaim> needs;
  for (const LeasedGroup& group : book_.groups()) {
    for (size_t i = 0; i < group.limits.hosts.size() && i < group.places.size(); ++i) {
      const HostLimit& host = group.limits.hosts[i];
      const std::string& place = group.places[i];
      if (!host.lowering || host.settling || place.empty()) continue;
      if (host.lowering->kind != wire::Lowering::reclaim) continue;
      HostReclaim& need = needs[place];
      need.host = place;
      need.slots += std::max(0, host.limit - host.lowering->target);
      need.grace_ms = std::max(need.grace_ms, group.limits.grace_ms);
    }
  }
  std::vector<HostReclaim> open;
  for (auto& [host, need] : needs) open.push_back(std::move(need));
  return open;
}

/// Where types are given, a job's comment can make its session preemptive too.
bool Agent::preempts() const {
  return !settings_.scheduling.session_types.empty();
}

void Agent::reclaim(int64_t now_ms) {
  const std::vector<HostReclaim> needs = open_reclaims();
  if (needs.empty() && reclaims_.empty() && !preempts()) return;
  const Result<WorkList> work = workload_.work_units();
  if (!work) {
    reclaim_due_ms_ = std::min(reclaim_due_ms_, now_ms + kRetryMs);
    return count_failure("work_units", work.error());
  }
  note_sessions_of(*work);
  if (!needs.empty() || !reclaims_.empty()) end_for_reclaims(needs, *work, now_ms);
  if (preempts()) preempt(*work, now_ms);
}

void Agent::note_sessions_of(const WorkList& work) {
  WorkSessions found =
      note_sessions(work_sessions_.all, work.units, settings_.scheduling.session_types);
  give_deserved(found.all, settings_.scheduling.policy, usable_slots(view_));
  for (const std::string& problem : found.problems) {
    const auto& told = work_sessions_.problems;
    if (std::find(told.begin(), told.end(), problem) == told.end())
      log_warn("comment-not-read", {{"why", problem}});
  }
  work_sessions_ = std::move(found);
}

void Agent::end_for_reclaims(const std::vector<HostReclaim>& needs, const WorkList& work,
                             int64_t now_ms) {
  const std::vector<ReclaimVictim> victims =
      choose_for(needs, work.units, work_sessions_, settings_.scheduling,
                 reclaims_.told(work.units), work.now);
  const ReclaimTimeline before = reclaims_;
  const ReclaimSteps steps = reclaims_.due(victims, now_ms);
  // What was told to a job must outlive this process: it gets the rest of its grace, not all of it.
  if (steps.changed && !keep_reclaims(now_ms)) {
    reclaims_ = before;
    return;
  }
  for (const std::string& job : steps.interrupt) interrupt(job, now_ms);
  if (!steps.interrupt.empty()) keep_reclaims(now_ms);  // who has heard is not told again
  for (const std::string& job : steps.end) end_work(job, "requeue", now_ms);
  for (const std::string& job : steps.end_for_good) end_work(job, "end", now_ms);
  for (const std::string& job : steps.overdue)
    log_error("reclaim-overdue", {{"job", job}, {"leeway_ms", kLeewayMs}});
  reclaim_due_ms_ = std::min(reclaim_due_ms_, reclaims_.next_ms());
}

bool Agent::keep_reclaims(int64_t now_ms) {
  const Status saved = state_.save_reclaims(reclaims_.save(now_ms));
  if (saved) return true;
  log_error("state-not-written", {{"error", describe(saved.error())}});
  reclaim_due_ms_ = std::min(reclaim_due_ms_, now_ms + kRetryMs);
  return false;
}

void Agent::interrupt(const std::string& job, int64_t now_ms) {
  const int64_t left_ms = reclaims_.left_ms(job, now_ms).value_or(0);
  log_info("interrupt", {{"job", job}, {"grace_left_ms", left_ms}});
  if (const Status done = workload_.interrupt(job, left_ms); !done)
    return count_failure("interrupt", done.error());
  reclaims_.heard(job);
}

void Agent::end_work(const std::string& job, const char* how, int64_t now_ms) {
  log_info(how, {{"job", job}});
  if (const Status done = workload_.end_and_requeue(job); !done) count_failure(how, done.error());
  reclaim_due_ms_ = std::min(reclaim_due_ms_, now_ms + kEndedMs);
}

/// Inside the cluster, without grace: who deserves more takes from who has more than he deserves.
void Agent::preempt(const WorkList& work, int64_t now_ms) {
  PreemptionRequest request;
  request.slots_idle = std::max<int64_t>(0, usable_slots(view_) - slots_in_use(work.units));
  std::vector<ReclaimVictim> victims;
  for (const Preemption& chosen :
       choose_preemptions(request, work.units, work_sessions_, settings_.scheduling, work.now)) {
    for (const size_t at : chosen.units) {
      const WorkUnit& unit = work.units[at];
      victims.push_back({unit.id, unit.started, 0, unit.requeueable});
      log_debug("preempt", {{"job", unit.id}, {"for", work_sessions_.all[chosen.session].key}});
    }
  }
  // A job that takes its time to end is not ended at each look again.
  const ReclaimSteps steps = preempted_.due(victims, now_ms);
  for (const std::string& job : steps.interrupt) preempted_.heard(job);
  for (const std::string& job : steps.end) end_work(job, "preempt", now_ms);
  for (const std::string& job : steps.end_for_good) end_work(job, "preempt", now_ms);
}

}  // namespace leasehold::agent
