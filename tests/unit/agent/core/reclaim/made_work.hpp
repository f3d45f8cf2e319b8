// Work, sessions and the names of chosen units, for the tests of what ends. Not a test itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/core/reclaim/choice.hpp"
#include "agent/core/work/work_session.hpp"

namespace leasehold::agent {

using Ids = std::vector<std::string>;

/// `slots` on one host, running since `started_ms`, of the user's session.
inline WorkUnit unit(std::string id, const std::string& user, const std::string& host,
                     int64_t started_ms, int32_t slots = 1) {
  WorkUnit made;
  made.id = std::move(id);
  made.user = user;
  made.hosts = {{host, slots}};
  made.slots = slots;
  made.started = made.submitted = {started_ms};
  return made;
}

/// It would end for good.
inline WorkUnit final_one(WorkUnit made) {
  made.requeueable = false;
  return made;
}

/// Makes a unit as unit() does, on these slots of the host, which others may use as well.
inline WorkUnit sharing(std::string id, const std::string& user, const std::string& host,
                        int64_t started_ms, std::vector<int32_t> numbers) {
  WorkUnit made = unit(std::move(id), user, host, started_ms, static_cast<int32_t>(numbers.size()));
  made.hosts[0].shared = std::move(numbers);
  return made;
}

/// An array of tasks of one slot each.
inline WorkUnit waiting(std::string id, const std::string& user, int32_t slots) {
  WorkUnit made;
  made.id = std::move(id);
  made.user = user;
  made.set_tasks(1, slots);
  return made;
}

/// One job: it starts with all its slots, so many on each of so many hosts, or not at all.
inline WorkUnit one_job(WorkUnit made, int32_t slots_per_host = 1, int32_t hosts = 1) {
  made.tasks = 1;
  made.slots_per_host = slots_per_host;
  made.hosts_wanted = hosts;
  return made;
}

/// It could start on these hosts; none: it is kept back.
inline WorkUnit waiting_on(WorkUnit made, std::vector<std::string> hosts) {
  made.fits = std::make_shared<const std::vector<std::string>>(std::move(hosts));
  return made;
}

/// A user's session as tests state it; `deserved` slots.
struct Worth {
  std::string user;
  int32_t rank = 1;
  int64_t deserved = 0;
  int32_t priority = 1;
  int64_t started_ms = 0;
  bool preemptive = false;
  bool exclusive_host = false;
};

/// The sessions of these units; each user that is named is worth what is said.
inline WorkSessions sessions_of(const std::vector<WorkUnit>& units,
                                const std::vector<Worth>& worths) {
  WorkSessions made = note_sessions({}, units, {});
  for (WorkSession& session : made.all) {
    for (const Worth& worth : worths) {
      if (session.key != "user " + worth.user) continue;
      session.rank = worth.rank;
      session.deserved = worth.deserved;
      session.priority = worth.priority;
      session.started = {worth.started_ms};
      session.preemptive = worth.preemptive;
      session.exclusive_host = worth.exclusive_host;
    }
  }
  return made;
}

/// A reclaim of `slots` of the host "h", whose jobs are all of one user.
inline ReclaimSteps steps_at(ReclaimTimeline& timeline, const std::vector<WorkUnit>& jobs,
                             int32_t slots, int64_t grace_ms, int64_t now_ms) {
  const std::vector<HostReclaim> needs{{"h", slots, grace_ms}};
  const std::vector<ReclaimVictim> victims = choose_for(
      {needs, {}}, jobs, note_sessions({}, jobs, {}), {}, timeline.under_reclaim(jobs), {});
  ReclaimSteps steps = timeline.steps_at(victims, now_ms);
  for (const std::string& id : steps.interrupt) timeline.note_interrupted(id);
  return steps;
}

inline ReclaimSteps first_steps(const std::vector<WorkUnit>& jobs, int32_t slots, int64_t grace_ms,
                                int64_t now_ms) {
  ReclaimTimeline timeline;
  return steps_at(timeline, jobs, slots, grace_ms, now_ms);
}

inline Ids ids_of(const std::vector<size_t>& chosen, const std::vector<WorkUnit>& units) {
  Ids ids;
  for (const size_t i : chosen) ids.push_back(units[i].id);
  return ids;
}

}  // namespace leasehold::agent
