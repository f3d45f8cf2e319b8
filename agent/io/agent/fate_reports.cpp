#include "agent/io/agent/fate_reports.hpp"

#include "common/log.hpp"
#include "common/text/printable.hpp"

namespace leasehold::agent {

void FateReports::on_answer(std::optional<uint64_t> recorded) {
  if (!recorded) return;
  broker_records_ = true;
  if (fates_.recorded(*recorded)) keep();
}

void FateReports::note_asked(const WorkLook& look, const ReclaimSteps& steps) {
  bool news = false;
  const auto note = [&](const std::vector<std::string>& jobs, bool ordered) {
    for (const std::string& job : jobs) {
      for (size_t i = 0; i < look.work.units.size(); ++i) {
        const WorkUnit& unit = look.work.units[i];
        if (unit.id != job) continue;
        const std::string& session = look.sessions.key_of_unit(i);
        const uint64_t generation = wanted_for(look.book, look.sets, unit);
        const auto why = reasons_.find(generation);
        const Reason reason = why == reasons_.end() ? Reason::none : why->second;
        const int64_t now_ms = clocks_.wall_time().ms;
        news = fates_.ask(unit, session, generation, reason, ordered, now_ms) || news;
      }
    }
  };
  note(steps.interrupt, false);
  note(steps.end, true);
  note(steps.end_for_good, true);
  if (news) keep();
}

bool FateReports::note_preempted(const WorkUnit& unit, const std::string& session) {
  return fates_.ask(unit, session, 0, Reason::preempted, true, clocks_.wall_time().ms);
}

/// Asks the manager what became of a job. If it cannot say, the answer is empty and all goes on: no
/// lease waits for it.
JobEnd FateReports::end_of(const WorkUnit& job) {
  const Result<JobEnd> end = workload_.end_of(job);
  if (end) return *end;
  log_info("job-end-unknown",
           {{"job", job.id},
            {"why", describe(end.error())},
            {"then", "it is asked again for a while, then the history calls the end unknown"}});
  return {};
}

/// Works on a copy: while the workload manager is asked a heartbeat may leave
/// (agent/io/broker/beats.hpp), which must report only fates that are on disk.
void FateReports::look(const WorkList& work, const std::vector<std::string>& under_reclaim) {
  if (!fates_.any_open()) return;
  const FateMoment now{clocks_.wall_time().ms, clocks_.boottime_ms()};
  const uint64_t before = fates_.kept().last_number;
  Fates found = fates_;
  bool changed = found.look(work.units, under_reclaim, now);
  for (const WorkUnit& job : found.gone()) {
    changed = found.note_end(job.id, end_of(job), now) || changed;
  }
  fates_ = std::move(found);
  for (const wire::EndedWork& ended : fates_.kept().ended) {
    if (ended.number <= before) continue;
    log_info("work-ended", {{"job", ended.job},
                            {"user", ended.user},
                            {"account", ended.account},
                            {"session", ended.session},
                            {"fate", token(ended.fate)},
                            {"exit_code", ended.exit_code},
                            {"reason", token(ended.reason)}});
  }
  if (changed) keep();
}

/// Only logs if the record cannot be kept: no lease waits for it.
void FateReports::keep() {
  if (const Status saved = state_.save_fates(fates_.kept()); !saved) {
    log_not_written(saved.error(), "the broker learns later how these jobs ended");
  }
}

std::optional<std::vector<wire::EndedWork>> FateReports::unreported() const {
  if (!broker_records_) return std::nullopt;
  std::vector<wire::EndedWork> ended = fates_.unreported();
  if (ended.empty()) return std::nullopt;
  for (wire::EndedWork& work : ended) {
    work.job = printable(work.job);
    names_.write(work.session, work.user, work.account);
  }
  return ended;
}

}  // namespace leasehold::agent
