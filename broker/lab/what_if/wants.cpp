#include "broker/lab/what_if/wants.hpp"

#include <algorithm>

namespace leasehold {

namespace {

/// Work that came and started within one commit waited in between.
std::vector<wire::Demand> take_passing(std::vector<AgentReport>& reports,
                                       const std::string& cluster) {
  std::vector<wire::Demand> passing;
  for (AgentReport& report : reports) {
    if (report.cluster != cluster || !report.demand) continue;
    passing.push_back(std::move(*report.demand));
    report.demand.reset();
  }
  if (!passing.empty()) passing.pop_back();  // the last one is what the commit left
  return passing;
}

}  // namespace

void ReportedWants::grow(const State& state) {
  while (known_.size() < state.clusters.size()) {
    Known& known = known_.emplace_back();
    known.used.since = from_;
    known.telling.since = from_;
  }
}

void ReportedWants::begin(const State& state, Instant from, Instant to) {
  from_ = from;
  to_ = to;
  grow(state);
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    known_[c].pending = state.clusters[c].pending;
  }
  for (const SlotGroup& group : state.slot_groups) {
    if (!group.demand || group.phase == Phase::closed) continue;
    for (const uint32_t m : {0U, 1U}) {
      known_[group.members[m].cluster].elsewhere = group.demand->elsewhere[m];
    }
  }
}

void ReportedWants::first(const State& state, Moment& moment, SiteMeter& meter) {
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    note_telling(state, c, from_);
    moment.wants.push_back(want_of(state, c, from_));
    meter.waits(state, c, known_[c].pending, from_);
    note_hosts(state, moment, c);
  }
}

void ReportedWants::take(const State& state, std::vector<AgentReport>& reports, Moment& moment,
                         SiteMeter& meter) {
  grow(state);
  for (const AgentReport& report : reports) {
    const uint32_t cluster = find_cluster(state, report.cluster);
    if (cluster == kNoIndex) continue;
    take_one(state, cluster, report, moment, meter);
    if (moment.wants.back().demand) {
      moment.wants.back().passing = take_passing(reports, report.cluster);
    }
    note_hosts(state, moment, cluster);
  }
}

void ReportedWants::take_one(const State& state, uint32_t cluster, const AgentReport& report,
                             Moment& moment, SiteMeter& meter) {
  Known& known = known_[cluster];
  if (report.first) known.elsewhere.reset();
  if (report.elsewhere) known.elsewhere = report.elsewhere;
  if (report.reported) {
    known.pending = report.pending;
    meter.waits(state, cluster, report.pending, moment.now);
  }
  note_telling(state, cluster, moment.now);
  moment.wants.push_back(want_of(state, cluster, moment.now));
}

/// Work that waits and does not start between two reports needs more slots than were idle
/// meanwhile; it does so until some of it starts.
int64_t ReportedWants::needs_of(int64_t pending, int64_t idle, Waits& known) {
  const bool started = pending < known.pending;
  if (started || pending == 0) {
    known.needs = 0;
  } else if (known.pending > 0) {
    known.needs = std::max(known.needs, std::min(known.idle, idle) + 1);
  }
  known = {pending, idle, known.needs};
  return std::min(known.needs, pending);
}

/// Slots that came into use and left it between two reports are not seen, so the true time is
/// rather shorter.
int64_t ReportedWants::run_time(Used& known, int64_t used, Instant at) {
  if (at > known.since) known.sum += SlotMs{known.slots} * (at - known.since);
  known.started += std::max<int64_t>(0, used - known.slots);
  known.slots = used;
  known.since = at;
  return known.started < 20 ? 0 : static_cast<int64_t>(known.sum / known.started);
}

/// Work that waits although slots are idle is too wide for them, or may not run there.
Want ReportedWants::want_of(const State& state, uint32_t cluster, Instant at) {
  Known& known = known_[cluster];
  Want want;
  want.cluster = state.clusters[cluster].name;
  want.slots = known.pending;
  want.degraded = state.clusters[cluster].degraded;
  want.demand = state.clusters[cluster].demand;
  want.ending = state.clusters[cluster].ending;
  want.elsewhere = known.elsewhere;
  int64_t idle = 0;
  for (const uint32_t index : state.clusters[cluster].slot_groups) {
    const SlotGroup& group = state.slot_groups[index];
    if (group.phase == Phase::closed) continue;
    const uint32_t m = member_of(group, cluster);
    for (size_t row = 0; row < group.hosts.size(); ++row) {
      const Holding& holding = group.at(row, m);
      want.used += holding.used;
      if (holding.up) idle += std::max(0, holding.held - holding.used);
    }
  }
  want.slots += want.used;
  want.needs = needs_of(known.pending, idle, known.waits);
  want.run_time_ms = run_time(known.used, want.used, at);
  return want;
}

/// Counts the time up to now under what was reported before.
void ReportedWants::note_telling(const State& state, uint32_t cluster, Instant at) {
  Telling& known = known_[cluster].telling;
  const Instant until = std::min(at, to_);
  if (const int64_t past_ms = until - known.since; known.waits && past_ms > 0) {
    shapes_.waited_ms += past_ms;
    if (known.shapes) shapes_.with_shapes_ms += past_ms;
    if (known.elsewhere) shapes_.with_elsewhere_ms += past_ms;
  }
  const bool shapes = state.clusters[cluster].demand.has_value();
  known = {std::max(until, known.since), known_[cluster].pending > 0, shapes,
           shapes && known_[cluster].elsewhere.has_value()};
}

/// Notes the hosts of others that the cluster reports down, or up again.
void ReportedWants::note_hosts(const State& state, Moment& moment, uint32_t cluster) {
  for (const uint32_t index : state.clusters[cluster].slot_groups) {
    const SlotGroup& group = state.slot_groups[index];
    const uint32_t provider = group.members[kProvider].cluster;
    const uint32_t m = member_of(group, cluster);
    if (group.phase == Phase::closed || provider == cluster || !group.members[m].reported) continue;
    for (size_t row = 0; row < group.hosts.size(); ++row) {
      const HostKey key{cluster, provider, group.hosts[row].host};
      const bool up = group.at(row, m).up;
      const bool changed = up ? down_.erase(key) > 0 : down_.insert(key).second;
      if (!changed) continue;
      moment.hosts.push_back(
          {state.clusters[cluster].name, state.clusters[provider].name, group.hosts[row].host, up});
    }
  }
}

RecordedShapes ReportedWants::shapes(const State& state) {
  for (uint32_t c = 0; c < known_.size(); ++c) note_telling(state, c, to_);
  return shapes_;
}

}  // namespace leasehold
