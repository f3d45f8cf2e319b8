#include "agent/io/agent/preemptions.hpp"

#include <algorithm>
#include <map>

#include "agent/core/work/deserved.hpp"
#include "agent/io/agent/reclaims.hpp"
#include "common/log.hpp"
#include "common/time/instant.hpp"

namespace leasehold::agent {

void Preemptions::restore(const std::vector<SavedServed>& saved, bool same_boot, int64_t now_ms) {
  served_ = Served::restored(saved, same_boot, now_ms);
}

/// Work that was ended before and is still there is neither chosen again nor counted as running.
PreemptionRequest Preemptions::request_of(const WorkList& work, const View& view,
                                          int64_t now_ms) const {
  PreemptionRequest request;
  request.usable = usable_by_host(view, work.units);
  request.backing_off = served_.backing_off(now_ms);
  const std::vector<std::string> under_reclaim = timeline_.under_reclaim(work.units);
  for (size_t i = 0; i < work.units.size(); ++i) {
    const std::string& id = work.units[i].id;
    const bool ours = timeline_.left_ms(id, now_ms).has_value();
    if (ours && std::find(under_reclaim.begin(), under_reclaim.end(), id) != under_reclaim.end()) {
      request.going.push_back(i);
    }
  }
  return request;
}

std::vector<Preemption> Preemptions::choose(const PreemptionRequest& request, const WorkList& work,
                                            const WorkSessions& sessions, int64_t now_ms) {
  std::vector<Preemption> chosen =
      choose_preemptions(request, work.units, sessions, scheduling_, work.now);
  if (chosen.empty()) return chosen;
  const Served before = served_;
  const std::map<ShapeKey, int64_t> in_vain = served_.note(chosen, work.now, now_ms);
  if (!keep(now_ms)) {
    served_ = before;
    return {};
  }
  for (const auto& [shape, wait_ms] : in_vain) {
    log_warn("preemption-ineffective",
             {{"session", shape.session},
              {"work", describe(shape)},
              {"why", "jobs were ended for this work before, and it has not started"},
              {"then",
               "jobs are ended for it one more time now, then not for " + format_duration(wait_ms)},
              {"do", "ask the workload manager why this work waits"}});
  }
  return chosen;
}

bool Preemptions::keep(int64_t now_ms) {
  const Status saved = state_.save_served(served_.save(now_ms));
  if (!saved) log_not_written(saved.error(), "no job is ended for another");
  return saved.has_value();
}

void Preemptions::advance(const WorkList& work, const WorkSessions& sessions, const View& view,
                          int64_t now_ms, const std::function<void(const WorkUnit&)>& end) {
  if (served_.look(work.units, sessions, now_ms)) keep(now_ms);
  const PreemptionRequest request = request_of(work, view, now_ms);
  std::vector<ReclaimVictim> victims;
  const auto add = [&](const WorkUnit& unit) {
    victims.push_back({unit.id, unit.started, 0, unit.requeueable, unit.ending});
  };
  for (const size_t at : request.going) add(work.units[at]);
  bool news = false;
  for (const Preemption& chosen : choose(request, work, sessions, now_ms)) {
    for (const size_t at : chosen.units) {
      const WorkUnit& unit = work.units[at];
      add(unit);
      news = fates_.note_preempted(unit, sessions.key_of_unit(at)) || news;
      log_info("preemption-chosen", {{"job", unit.id},
                                     {"user", unit.user},
                                     {"for", sessions.all[chosen.session].key},
                                     {"work", describe(chosen.shape)}});
    }
  }
  if (news) fates_.keep();
  end_chosen(victims, work, now_ms, end);
}

/// The timeline keeps a job that ends slowly from being ended at each look again.
void Preemptions::end_chosen(const std::vector<ReclaimVictim>& victims, const WorkList& work,
                             int64_t now_ms, const std::function<void(const WorkUnit&)>& end) {
  const ReclaimSteps steps = timeline_.steps_at(victims, now_ms);
  for (const std::string& job : steps.interrupt) timeline_.note_interrupted(job);
  for (const std::string& job : steps.end) end(unit_of(work, job));
  for (const std::string& job : steps.end_for_good) end(unit_of(work, job));
  for (const std::string& job : steps.overdue) {
    log_error("preemption-overdue", {{"job", job},
                                     {"leeway", format_duration(kLeewayMs)},
                                     {"why", "the job was ended for a session and still runs"},
                                     {"then", "the other job waits"},
                                     {"do", "look on its host why it does not end"}});
    timeline_.forget(job);
  }
}

}  // namespace leasehold::agent
