// The part of Agent that ends work: of reclaims, with grace (agent/core/README.md, "Timeline of a
// reclaim"), and of preemption inside the cluster, at once (agent/core/README.md, "Preemption").
// What is chosen is decided in agent/core; here it is carried out.
#include <algorithm>

#include "agent/core/reclaim/choice.hpp"
#include "agent/core/reclaim/deserved.hpp"
#include "agent/core/reclaim/preemption.hpp"
#include "agent/core/reclaim/work_session.hpp"
#include "agent/io/agent/agent.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kRetryMs = 1'000;  // before a call that failed is tried again
constexpr int64_t kEndedMs = 50;     // ended work has given its slots back: look again soon

const WorkUnit& unit_of(const WorkList& work, const std::string& id) {
  return *std::find_if(work.units.begin(), work.units.end(),
                       [&id](const WorkUnit& unit) { return unit.id == id; });
}

}  // namespace

/// Where types are given, a job's comment can make its session preemptive too.
bool Agent::preempts() const {
  return !settings_.scheduling.session_types.empty();
}

void Agent::reclaim(int64_t now_ms) {
  const bool whole = std::any_of(sets_.all().begin(), sets_.all().end(),
                                 [](const HeldSet& held) { return held.set.whole_hosts; });
  const bool asked = whole || !open_reclaims(book_, use_, sets_).empty() || !reclaims_.empty();
  if (!asked && !preempts() && !fates_.any_open()) return;
  const Result<WorkList> work = workload_.work_units();
  if (!work) {
    reclaim_due_ms_ = std::min(reclaim_due_ms_, now_ms + kRetryMs);
    return count_failure("work_units", work.error());
  }
  note_sessions_of(*work);
  tell_of_final(*work);
  if (whole) give_up_whole_hosts(*work);
  if (asked) end_for_reclaims(needs_by_then(*work), *work, now_ms);
  if (preempts()) preempt(*work, now_ms);
  fates_.look(*work, reclaims_.told(work->units));
}

/// The look was before the list of the work: what ended between the two has given its slots back,
/// and nobody else must go for them.
ReclaimNeeds Agent::needs_by_then(const WorkList& work) {
  ReclaimNeeds needs = open_reclaims(book_, use_, sets_);
  if (!ended_since(needs, view_, work.units) || !look()) return needs;
  lower_open();
  return open_reclaims(book_, use_, sets_);
}

int64_t Agent::slots_usable() const {
  return usable_slots(view_) + sets_.fenced_beyond(book_);
}

void Agent::note_sessions_of(const WorkList& work) {
  const SchedulingSettings& scheduling = settings_.scheduling;
  WorkSessions found = note_sessions(work_sessions_.all, work.units, scheduling.session_types,
                                     scheduling.job_comments);
  if (found.comments_left_out && !comments_said_) {
    comments_said_ = true;
    log_warn("comment-left-out",
             {{"why",
               "comments of jobs ask for a rank or to be preemptive, which [scheduling] "
               "job_comments does not allow; \"any\" takes all that they say"}});
  }
  give_deserved(found.all, settings_.scheduling.policy, slots_usable());
  for (const std::string& problem : found.problems) {
    const auto& told = work_sessions_.problems;
    if (std::find(told.begin(), told.end(), problem) == told.end())
      log_warn("comment-not-read", {{"why", problem}});
  }
  work_sessions_ = std::move(found);
}

void Agent::end_for_reclaims(const ReclaimNeeds& needs, const WorkList& work, int64_t now_ms) {
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
  fates_.note_asked(book_, sets_, work, steps);
  for (const std::string& job : steps.interrupt) warn(unit_of(work, job), now_ms);
  if (!steps.interrupt.empty()) keep_reclaims(now_ms);  // who has heard is not told again
  for (const std::string& job : steps.end) end_work(unit_of(work, job), "requeue", now_ms);
  for (const std::string& job : steps.end_for_good) end_work(unit_of(work, job), "end", now_ms);
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

/// Once each, before any of them is chosen.
void Agent::tell_of_final(const WorkList& work) {
  std::set<std::string> said;
  for (const WorkUnit& unit : final_ones(book_, work.units)) {
    said.insert(unit.id);
    if (final_said_.contains(unit.id)) continue;
    log_warn("would-end-for-good",
             {{"job", unit.id},
              {"user", unit.user},
              {"why", "it cannot be queued again; it is chosen after all that can be"}});
  }
  final_said_ = std::move(said);
}

/// The look took its time, and where many are told one after the other the last hears of it late:
/// each has its whole grace from then.
void Agent::warn(const WorkUnit& job, int64_t now_ms) {
  const int64_t late_ms = std::max<int64_t>(0, settings_.clocks->boottime_ms() - turn_began_ms_);
  const int64_t left_ms = reclaims_.left_ms(job.id, now_ms).value_or(0);
  const std::string signal = signal_for(job, settings_.interrupt_signal);
  log_info("interrupt", {{"job", job.id},
                         {"grace_left_ms", left_ms},
                         {"queued_again", job.requeueable},
                         {"signal", signal.empty() ? "none" : signal}});
  endings_.told_to_end(job.id);
  if (const Status done = workload_.interrupt(job, signal, left_ms); !done)
    return count_failure("interrupt", done.error());
  reclaims_.heard(job.id, late_ms);
}

void Agent::end_work(const WorkUnit& job, const char* how, int64_t now_ms) {
  log_info(how, {{"job", job.id}});
  endings_.told_to_end(job.id);
  if (const Status done = workload_.end_and_requeue(job); !done) count_failure(how, done.error());
  reclaim_due_ms_ = std::min(reclaim_due_ms_, now_ms + kEndedMs);
}

/// What was ended before and is still there is neither chosen again nor taken for work that runs.
PreemptionRequest Agent::preemption_request(const WorkList& work, int64_t now_ms) const {
  PreemptionRequest request;
  request.usable = usable_by_host(view_, work.units);
  request.backing_off = served_.backing_off(now_ms);
  const std::vector<std::string> told = preempted_.told(work.units);
  for (size_t i = 0; i < work.units.size(); ++i) {
    const std::string& id = work.units[i].id;
    const bool ours = preempted_.left_ms(id, now_ms).has_value();
    if (ours && std::find(told.begin(), told.end(), id) != told.end()) request.going.push_back(i);
  }
  return request;
}

/// For whom work ends must outlive this process: where it cannot be kept nothing ends.
std::vector<Preemption> Agent::choose_to_preempt(const PreemptionRequest& request,
                                                 const WorkList& work, int64_t now_ms) {
  std::vector<Preemption> chosen =
      choose_preemptions(request, work.units, work_sessions_, settings_.scheduling, work.now);
  if (chosen.empty()) return chosen;
  const Served before = served_;
  const std::map<ShapeKey, int64_t> in_vain = served_.note(chosen, work.now, now_ms);
  if (!keep_served(now_ms)) {
    served_ = before;
    return {};
  }
  for (const auto& [shape, wait_ms] : in_vain)
    log_warn("preempted-in-vain",
             {{"session", shape.session},
              {"work", describe(shape)},
              {"waits_ms", wait_ms},
              {"why",
               "jobs of others were chosen to end for it before, and it has not started; some end "
               "once more now"},
              {"to_do",
               "ask the workload manager why it waits; no job ends for it again within waits_ms"}});
  return chosen;
}

bool Agent::keep_served(int64_t now_ms) {
  const Status saved = state_.save_served(served_.save(now_ms));
  if (!saved) log_error("state-not-written", {{"error", describe(saved.error())}});
  return saved.has_value();
}

/// Inside the cluster, without grace: who deserves more takes from who has more than he deserves.
void Agent::preempt(const WorkList& work, int64_t now_ms) {
  if (served_.look(work.units, work_sessions_, now_ms)) keep_served(now_ms);
  const PreemptionRequest request = preemption_request(work, now_ms);
  std::vector<ReclaimVictim> victims;
  const auto add = [&](const WorkUnit& unit) {
    victims.push_back({unit.id, unit.started, 0, unit.requeueable, unit.ending});
  };
  for (const size_t at : request.going) add(work.units[at]);
  bool news = false;
  for (const Preemption& chosen : choose_to_preempt(request, work, now_ms)) {
    for (const size_t at : chosen.units) {
      const WorkUnit& unit = work.units[at];
      add(unit);
      news = fates_.note_preempted(unit) || news;
      log_info("preempt-chosen", {{"job", unit.id},
                                  {"user", unit.user},
                                  {"for", work_sessions_.all[chosen.session].key},
                                  {"work", describe(chosen.shape)}});
    }
  }
  if (news) fates_.keep();
  // A job that takes its time to end is not ended at each look again.
  const ReclaimSteps steps = preempted_.due(victims, now_ms);
  for (const std::string& job : steps.interrupt) preempted_.heard(job);
  for (const std::string& job : steps.end) end_work(unit_of(work, job), "preempt", now_ms);
  for (const std::string& job : steps.end_for_good) end_work(unit_of(work, job), "preempt", now_ms);
  for (const std::string& job : steps.overdue) {
    log_error("preempt-overdue", {{"job", job}, {"leeway_ms", kLeewayMs}});
    preempted_.forget(job);
  }
}

}  // namespace leasehold::agent
