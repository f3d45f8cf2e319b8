#include "agent/core/work/waiting_shapes.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "common/canary.hpp"

namespace leasehold::agent {

namespace {

bool waits_for_slots(const WorkUnit& unit) {
  const bool kept_back = unit.kept_back() && !LEASEHOLD_CANARY(ignores_verdicts);
  return !unit.running() && !kept_back && unit.slots_of_task() > 0;
}

ShapeKey shape_key(const WorkSession& session, const WorkUnit& unit) {
  return {session.key, unit.slots_of_task(), unit.slots_per_host, unit.hosts_wanted,
          unit.whole_hosts};
}

}  // namespace

std::string describe(const ShapeKey& shape) {
  std::string text = std::to_string(shape.slots) + (shape.slots == 1 ? " slot" : " slots");
  if (shape.slots_per_host > 1) {
    text += ", " + std::to_string(shape.slots_per_host) + " on each host";
  }
  if (shape.hosts_wanted > 1) text += ", on " + std::to_string(shape.hosts_wanted) + " hosts";
  if (shape.whole_hosts) text += ", whole hosts";
  return text;
}

std::vector<WaitingShape> waiting_shapes(std::span<const WorkUnit> units,
                                         const WorkSessions& sessions) {
  std::vector<size_t> order;
  for (size_t i = 0; i < units.size(); ++i) {
    if (waits_for_slots(units[i])) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [units](size_t a, size_t b) {
    return std::tie(units[a].submitted, units[a].id) < std::tie(units[b].submitted, units[b].id);
  });
  std::vector<WaitingShape> shapes;
  std::map<std::pair<ShapeKey, const void*>, size_t> known;  // units of one key may fit elsewhere
  for (const size_t i : order) {
    const WorkUnit& unit = units[i];
    const size_t session = sessions.of_unit[i];
    ShapeKey key = shape_key(sessions.all[session], unit);
    const auto [at, fresh] = known.try_emplace({key, unit.fits.get()}, shapes.size());
    if (fresh) shapes.push_back({std::move(key), session, i, 0});
    shapes[at->second].tasks += unit.tasks;
  }
  return shapes;
}

}  // namespace leasehold::agent
