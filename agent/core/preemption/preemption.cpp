#include "agent/core/preemption/preemption.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

namespace leasehold::agent {

namespace {

/// Serves the waiting work of those who may take, one shape after the other.
class Preempter {
 public:
  Preempter(const PreemptionRequest& request, std::span<const WorkUnit> units,
            const WorkSessions& sessions, const SchedulingSettings& settings, Instant now)
      : request_(request),
        units_(units),
        sessions_(sessions),
        tie_(settings.random_seed),
        ends_(request, units, sessions, settings, now) {}

  std::vector<Preemption> choose() {
    const std::vector<WaitingShape> shapes = waiting_shapes(units_, sessions_);
    std::vector<std::vector<const WaitingShape*>> of_session(sessions_.all.size());
    for (const WaitingShape& shape : shapes) of_session[shape.session].push_back(&shape);
    std::vector<Preemption> made;
    for (const size_t taker : takers()) {
      int64_t lacks = std::min(sessions_.all[taker].pending, -sessions_.all[taker].excess());
      for (const WaitingShape* shape : of_session[taker]) {
        if (lacks <= 0) break;
        lacks -= serve(*shape, lacks);
        Preemption step{taker, shape->key, ends_.take()};
        if (!step.units.empty()) made.push_back(std::move(step));
      }
    }
    return made;
  }

 private:
  std::vector<size_t> takers() const {
    std::vector<size_t> found;
    for (size_t i = 0; i < sessions_.all.size(); ++i) {
      const WorkSession& session = sessions_.all[i];
      if (session.preemptive && session.excess() < 0 && session.pending > 0) found.push_back(i);
    }
    std::sort(found.begin(), found.end(), [this](size_t a, size_t b) {
      const WorkSession& x = sessions_.all[a];
      const WorkSession& y = sessions_.all[b];
      return std::tie(y.rank, x.started, x.key) < std::tie(x.rank, y.started, y.key);
    });
    return found;
  }

  /// Returns the slots of the tasks that start, by work that ends or without any.
  int64_t serve(const WaitingShape& shape, int64_t lacks) {
    const WorkUnit& unit = units_[shape.unit];
    const int64_t tasks = std::min(shape.tasks, lacks / unit.slots_of_task());
    if (tasks <= 0) return 0;
    int64_t started = ends_.start(unit, tasks);
    if (started < tasks && !request_.backing_off.contains(shape.key)) {
      started += unit.lies_anywhere() ? serve_anywhere(shape.session, unit, tasks - started)
                                      : serve_together(shape.session, unit, tasks - started);
    }
    return started * unit.slots_of_task();
  }

  /// Serves tasks whose slots may lie anywhere: as many as can start. Slots that do not make up a
  /// whole task end nobody's work.
  int64_t serve_anywhere(size_t taker, const WorkUnit& unit, int64_t tasks) {
    while (tasks > 0) {
      ends_.end_for(taker, unit, nullptr, tasks * unit.slots_of_task() - usable(unit).slots);
      const int64_t fit = ends_.rooms().startable(unit, tasks);
      const bool all_used = fit == tasks || unit.slots_of_task() == 1;
      tasks = fit;
      if (all_used) break;
      ends_.undo(0);
    }
    ends_.spare(taker, unit, 0, tasks);
    return ends_.start(unit, tasks);
  }

  /// One task after the other: each has its slots on as many hosts as it needs, or ends nothing.
  int64_t serve_together(size_t taker, const WorkUnit& unit, int64_t tasks) {
    int64_t started = 0;
    while (started < tasks) {
      const size_t before = ends_.chosen();
      while (ends_.rooms().startable(unit, 1) == 0) {
        if (end_on_best_host(taker, unit)) continue;
        ends_.undo(before);
        return started;
      }
      ends_.spare(taker, unit, before, 1);
      started += ends_.start(unit, 1);
    }
    return started;
  }

  struct Usable {
    int64_t slots = 0;
    int64_t hosts = 0;
  };
  Usable usable(const WorkUnit& unit) {
    Usable all;
    for (const auto& [host, room] : ends_.rooms().all()) {
      const int64_t here = ends_.may_start(unit, host) ? ends_.rooms().usable(unit, host) : 0;
      all.slots += here;
      all.hosts += here > 0 ? 1 : 0;
    }
    return all;
  }

  /// Ends work on the host where the least must end for the unit to gain slots. False: there is no
  /// such host.
  bool end_on_best_host(size_t taker, const WorkUnit& unit) {
    const Usable there = usable(unit);
    const int64_t missing = unit.slots_of_task() - there.slots;
    const std::string* best = nullptr;
    PreemptionEnds::Cost least;
    for (const auto& [host, work] : ends_.work_on_host()) {
      const bool counted = ends_.rooms().usable(unit, host) > 0;
      if (!ends_.may_start(unit, host) || (counted && there.hosts < unit.hosts_wanted)) continue;
      const size_t before = ends_.chosen();
      const bool helps = end_on(taker, unit, host, missing);
      const PreemptionEnds::Cost cost = ends_.cost(before);
      ends_.undo(before);
      if (!helps || (best != nullptr && least < cost)) continue;
      if (best != nullptr && least == cost && !tie_.host_before(host, *best)) continue;
      least = cost;
      best = &host;
    }
    return best != nullptr && end_on(taker, unit, *best, missing);
  }

  /// Returns false if the unit could use no more of the host although all that may end there ends.
  bool end_on(size_t taker, const WorkUnit& unit, const std::string& host, int64_t missing) {
    const int64_t before = ends_.rooms().usable(unit, host);
    const Room room = ends_.rooms().of(host);
    int64_t wanted = unit.slots_per_host - std::max<int64_t>(0, room.left);
    if (before > 0) wanted = missing;
    if (before == 0 && unit.whole_hosts) wanted = std::max(wanted, room.in_use);
    ends_.end_for(taker, unit, &host, wanted);
    return ends_.rooms().usable(unit, host) > before;
  }

  const PreemptionRequest& request_;
  std::span<const WorkUnit> units_;
  const WorkSessions& sessions_;
  TieOrder tie_;
  PreemptionEnds ends_;
};

}  // namespace

std::vector<Preemption> choose_preemptions(const PreemptionRequest& request,
                                           std::span<const WorkUnit> units,
                                           const WorkSessions& sessions,
                                           const SchedulingSettings& settings, Instant now) {
  return Preempter(request, units, sessions, settings, now).choose();
}

}  // namespace leasehold::agent
