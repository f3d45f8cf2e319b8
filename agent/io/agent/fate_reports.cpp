// The part of Agent that looks what became of work that had to end, and tells the broker of it.
#include "agent/io/agent/agent.hpp"
#include "common/log.hpp"
#include "common/printable.hpp"

namespace leasehold::agent {

/// Before anybody is told: whatever dies then, it is asked after.
void Agent::note_asked(const WorkList& work, const ReclaimSteps& steps) {
  bool news = false;
  const auto note = [&](const std::vector<std::string>& jobs, bool ordered) {
    for (const std::string& job : jobs) {
      for (const WorkUnit& unit : work.units) {
        if (unit.id != job) continue;
        const uint64_t generation = wanted_for(book_, sets_, unit);
        const auto why = why_.find(generation);
        news = fates_.ask(unit, generation, why == why_.end() ? Reason::none : why->second, ordered,
                          settings_.clocks->wall_time().ms) ||
               news;
      }
    }
  };
  note(steps.interrupt, false);
  note(steps.end, true);
  note(steps.end_for_good, true);
  if (news) keep_fates();
}

/// Who cannot say what became of a job goes on as before: no lease waits for it.
JobEnd Agent::end_of(const WorkUnit& job) {
  const Result<JobEnd> end = workload_.end_of(job);
  if (end) return *end;
  log_info("fate-not-told", {{"job", job.id}, {"error", describe(end.error())}});
  return {};
}

/// While the workload manager is asked a heartbeat may leave (agent/io/beats.hpp), which says of
/// fates what is on disk.
void Agent::look_at_fates(const WorkList& work) {
  if (!fates_.any_open()) return;
  const int64_t now_ms = settings_.clocks->wall_time().ms;
  const uint64_t before = fates_.kept().last_number;
  Fates found = fates_;
  bool changed = found.look(work.units, reclaims_.told(work.units), now_ms);
  for (const WorkUnit& job : found.gone())
    changed = found.heard(job.id, end_of(job), now_ms) || changed;
  fates_ = std::move(found);
  for (const wire::EndedWork& ended : fates_.kept().ended) {
    if (ended.number <= before) continue;
    log_info("work-ended", {{"job", ended.job},
                            {"user", ended.user},
                            {"fate", token(ended.fate)},
                            {"exit_code", ended.exit_code},
                            {"reason", token(ended.reason)}});
  }
  if (changed) keep_fates();
}

/// A record that cannot be kept stops nothing.
void Agent::keep_fates() {
  if (const Status saved = state_.save_fates(fates_.kept()); !saved)
    log_error("state-not-written", {{"error", describe(saved.error())}});
}

/// In a form that no broker refuses.
void Agent::say_ended(wire::Heartbeat& heartbeat) const {
  if (!records_ended_) return;
  std::vector<wire::EndedWork> ended = fates_.untold();
  if (ended.empty()) return;
  for (wire::EndedWork& work : ended) {
    work.job = printable(work.job);
    work.user = settings_.tell_users ? printable(work.user) : "";
  }
  heartbeat.ended = std::move(ended);
}

}  // namespace leasehold::agent
