#include "agent/io/agent/reclaims.hpp"

#include <algorithm>

#include "agent/core/reclaim/fates.hpp"
#include "agent/core/work/work_session.hpp"
#include "common/log.hpp"
#include "common/time/instant.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kRetryMs = 1'000;  // before a call that failed is tried again
constexpr int64_t kEndedMs = 50;     // ended work has given its slots back: look again soon

}  // namespace

const WorkUnit& unit_of(const WorkList& work, const std::string& id) {
  return *std::find_if(work.units.begin(), work.units.end(),
                       [&id](const WorkUnit& unit) { return unit.id == id; });
}

Reclaims::Reclaims(const ReclaimParts& parts, std::string signal, std::function<int64_t()> late_ms)
    : parts_(parts), signal_(std::move(signal)), late_ms_(std::move(late_ms)) {}

void Reclaims::restore(const std::vector<SavedVictim>& saved, bool same_boot, int64_t now_ms) {
  timeline_ = ReclaimTimeline::restored(saved, same_boot, now_ms);
}

std::vector<std::string> Reclaims::under_reclaim(const std::vector<WorkUnit>& units) const {
  return timeline_.under_reclaim(units);
}

void Reclaims::look_by(int64_t deadline_ms) {
  next_look_ms_ = std::min(next_look_ms_, deadline_ms);
}

void Reclaims::advance(const std::vector<ReclaimVictim>& victims, const WorkLook& look) {
  const WorkList& work = look.work;
  const ReclaimTimeline before = timeline_;
  const ReclaimSteps steps = timeline_.steps_at(victims, look.now_ms);
  // The grace given to a job must outlive this process: after a restart it gets the rest of it, not
  // all of it.
  if (steps.changed && !keep(look.now_ms)) {
    timeline_ = before;
    return;
  }
  parts_.fates.note_asked(look, steps);
  for (const std::string& job : steps.interrupt) warn(unit_of(work, job), look.now_ms);
  if (!steps.interrupt.empty()) keep(look.now_ms);  // a restart interrupts no job again
  for (const std::string& job : steps.end) end(unit_of(work, job), "job-requeued", look.now_ms);
  for (const std::string& job : steps.end_for_good) {
    end(unit_of(work, job), "job-killed", look.now_ms);
  }
  for (const std::string& job : steps.overdue) {
    log_error("reclaim-overdue", {{"job", job},
                                  {"leeway", format_duration(kLeewayMs)},
                                  {"why", "the job was ended and still runs"},
                                  {"then", "its slots do not go back"},
                                  {"do", "end it by hand"}});
  }
  look_by(timeline_.next_ms());
}

bool Reclaims::keep(int64_t now_ms) {
  const Status saved = parts_.state.save_reclaims(timeline_.save(now_ms));
  if (saved) return true;
  log_not_written(saved.error(), "no job is ended, and slots do not go back");
  look_by(now_ms + kRetryMs);
  return false;
}

void Reclaims::warn_of_final(const Book& book, const WorkList& work) {
  std::set<std::string> logged;
  for (const WorkUnit& unit : final_ones(book, work.units)) {
    logged.insert(unit.id);
    if (final_logged_.contains(unit.id)) continue;
    log_warn(
        "job-not-requeueable",
        {{"job", unit.id},
         {"user", unit.user},
         {"why", "the job runs on leased slots and cannot be queued again"},
         {"then", "a reclaim chooses it after all jobs that can, and then ends it for good"},
         {"do", "tell its user: submit it so that it can (sbatch --requeue, qsub -r y, bsub -r)"}});
  }
  final_logged_ = std::move(logged);
}

/// A look takes time, and of many jobs the last one is interrupted late: the grace of each begins
/// with its own interrupt.
void Reclaims::warn(const WorkUnit& job, int64_t now_ms) {
  const int64_t late_ms = late_ms_();
  const int64_t left_ms = timeline_.left_ms(job.id, now_ms).value_or(0);
  const std::string signal = signal_for(job, signal_);
  log_info("job-interrupted", {{"job", job.id},
                               {"grace_left_ms", left_ms},
                               {"queued_again", job.requeueable},
                               {"signal", signal.empty() ? "none" : signal}});
  parts_.endings.note_ordered_end(job.id);
  if (const Status done = parts_.workload.interrupt(job, signal, left_ms); !done) {
    return parts_.failures.count("interrupt", done.error());
  }
  timeline_.note_interrupted(job.id, late_ms);
}

void Reclaims::end(const WorkUnit& job, const char* how, int64_t now_ms) {
  log_info(how, {{"job", job.id}});
  parts_.endings.note_ordered_end(job.id);
  if (const Status done = parts_.workload.end_and_requeue(job); !done) {
    parts_.failures.count("requeue", done.error());
  }
  look_by(now_ms + kEndedMs);
}

}  // namespace leasehold::agent
