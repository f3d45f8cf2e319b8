#include "agent/io/agent/work_ends.hpp"

#include <algorithm>

#include "agent/core/work/deserved.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kRetryMs = 1'000;  // before a call that failed is tried again

}  // namespace

WorkEnds::WorkEnds(const WorkEndParts& parts, const SchedulingSettings& scheduling,
                   std::string signal, const TimeSource& clocks)
    : parts_(parts),
      scheduling_(scheduling),
      clocks_(clocks),
      sessions_(scheduling),
      reclaims_({parts.workload, parts.state, parts.failures, parts.enforcement.endings(),
                 parts.of_work.fates},
                std::move(signal),
                [this] { return std::max<int64_t>(0, clocks_.boottime_ms() - turn_began_ms_); }),
      preemptions_(scheduling, parts.state, parts.of_work.fates) {}

void WorkEnds::restore(const SavedState& saved, int64_t now_ms) {
  const std::string boot = machine_time().boot_id();
  reclaims_.restore(saved.reclaims, saved.reclaims_boot == boot, now_ms);
  preemptions_.restore(saved.served, saved.served_boot == boot, now_ms);
}

/// Plans a look for when the fences of hosts with withheld slots take effect: what is in use there
/// counts from then on.
void WorkEnds::await_set_fences(int64_t now_ms) {
  for (const LeasedGroup& group : parts_.limits.book().groups()) {
    for (size_t i = 0; i < group.places.size(); ++i) {
      if (group.limits.hosts[i].withheld == 0) continue;
      const int64_t binds_at_ms = parts_.enforcement.fences().binds_at_ms(group.places[i], now_ms);
      if (binds_at_ms > now_ms) reclaims_.look_by(binds_at_ms);
    }
  }
}

void WorkEnds::give_up_whole_hosts(const WorkList& work, int64_t now_ms) {
  const std::vector<ChosenHost> hosts = whole_hosts_for(
      parts_.limits.book(), parts_.enforcement.use(), parts_.limits.sets(), work.units,
      sessions_.sessions(), scheduling_, reclaims_.under_reclaim(work.units), work.now);
  bool chosen = false;
  for (const ChosenHost& host : hosts) chosen = parts_.limits.give_up(host) || chosen;
  if (chosen) parts_.enforcement.enforce(now_ms);
}

ReclaimNeeds WorkEnds::open_needs() const {
  return open_reclaims(parts_.limits.book(), parts_.enforcement.use(), parts_.limits.sets());
}

void WorkEnds::advance(int64_t now_ms) {
  await_set_fences(now_ms);
  const std::vector<HeldSet>& sets = parts_.limits.sets().all();
  const bool whole = std::any_of(sets.begin(), sets.end(),
                                 [](const HeldSet& held) { return held.set.whole_hosts; });
  const bool asked = whole || !open_needs().empty() || !reclaims_.empty();
  const bool ends = asked || preemptions_.possible() || parts_.of_work.fates.any_open();
  const Book& book = parts_.limits.book();
  UsageReports& usage = parts_.of_work.usage;
  usage.look(book, parts_.enforcement.use(), now_ms);
  if (!ends && !usage.wants_list(book, now_ms)) return usage.finish(book, now_ms);
  const Result<WorkList> work = parts_.workload.work_units();
  if (!work) {
    usage.finish(book, now_ms);
    if (ends) reclaims_.look_by(now_ms + kRetryMs);
    return parts_.failures.count("work_units", work.error());
  }
  if (!ends) {
    return count_usage(*work, note_sessions({}, work->units, scheduling_.session_types), now_ms);
  }
  sessions_.look(
      *work, usable_slots(parts_.enforcement.view()) + parts_.limits.sets().fenced_beyond(book));
  count_usage(*work, sessions_.sessions(), now_ms);
  reclaims_.warn_of_final(book, *work);
  if (whole) give_up_whole_hosts(*work, now_ms);
  if (asked) end_for_reclaims(*work, now_ms);
  if (preemptions_.possible()) {
    preemptions_.advance(*work, sessions_.sessions(), parts_.enforcement.view(), now_ms,
                         [&](const WorkUnit& job) { reclaims_.end(job, "job-preempted", now_ms); });
  }
  parts_.of_work.fates.look(*work, reclaims_.under_reclaim(work->units));
}

void WorkEnds::count_usage(const WorkList& work, const WorkSessions& sessions, int64_t now_ms) {
  const Book& book = parts_.limits.book();
  parts_.of_work.usage.list(book, parts_.enforcement.use(), work, sessions, now_ms);
  parts_.of_work.usage.finish(book, now_ms);
}

/// The look was taken before the work was listed: work that ended in between has given its slots
/// back, and no other work must end for them.
ReclaimNeeds WorkEnds::needs_by_then(const WorkList& work, int64_t now_ms) {
  ReclaimNeeds needs = open_needs();
  if (!ended_since(needs, parts_.enforcement.view(), work.units) ||
      !parts_.enforcement.look(now_ms)) {
    return needs;
  }
  parts_.orders.lower_open(now_ms);
  return open_needs();
}

void WorkEnds::end_for_reclaims(const WorkList& work, int64_t now_ms) {
  const std::vector<ReclaimVictim> victims =
      choose_for(needs_by_then(work, now_ms), work.units, sessions_.sessions(), scheduling_,
                 reclaims_.under_reclaim(work.units), work.now);
  reclaims_.advance(
      victims, {parts_.limits.book(), parts_.limits.sets(), work, sessions_.sessions(), now_ms});
}

}  // namespace leasehold::agent
