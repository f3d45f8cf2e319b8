#include "agent/core/work/deserved.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace leasehold::agent {

namespace {

using Ordered = std::vector<WorkSession*>;

int64_t room(const WorkSession& session) {
  return session.allocated + session.pending - session.deserved;
}

Ordered sessions_in_order(std::span<WorkSession> sessions) {
  Ordered order;
  for (WorkSession& session : sessions) order.push_back(&session);
  std::sort(order.begin(), order.end(), [](const WorkSession* a, const WorkSession* b) {
    return std::tie(b->priority, a->started, a->key) < std::tie(a->priority, b->started, b->key);
  });
  return order;
}

/// Gives to one session after the other, to each at most `most(session)`; returns what is left.
template <class Most>
int64_t give_in_turn(const Ordered& order, int64_t slots, Most most) {
  for (WorkSession* session : order) {
    const int64_t given = std::min({slots, room(*session), most(*session)});
    session->deserved += given;
    slots -= given;
  }
  return slots;
}

int64_t weights(const Ordered& order) {
  int64_t sum = 0;
  for (const WorkSession* session : order) sum += session->priority;
  return sum;
}

/// Sessions whose share reaches their cap get the cap; the rest, which the others share, is
/// returned.
int64_t fill_capped(Ordered& open, int64_t slots) {
  for (bool again = true; again;) {
    again = false;
    const int64_t all = weights(open);
    const int64_t to_share = slots;
    std::erase_if(open, [&](WorkSession* session) {
      if (room(*session) * all > to_share * session->priority) return false;
      slots -= room(*session);
      session->deserved += room(*session);
      return again = true;
    });
  }
  return slots;
}

void fill(Ordered open, int64_t slots) {
  slots = fill_capped(open, slots);
  const int64_t all = weights(open);
  int64_t left = slots;
  Ordered broken;
  for (WorkSession* session : open) {
    const int64_t share = slots * session->priority;
    session->deserved += share / all;
    left -= share / all;
    if (share % all != 0) broken.push_back(session);
  }
  // Fewer are left than there are broken shares, and none of these is at its cap.
  for (size_t i = 0; i < broken.size() && left > 0; ++i, --left) ++broken[i]->deserved;
}

}  // namespace

void give_deserved(std::span<WorkSession> sessions, SchedulingPolicy policy, int64_t slots) {
  slots = std::max<int64_t>(slots, 0);
  const Ordered order = sessions_in_order(sessions);
  for (WorkSession* session : order) session->deserved = 0;
  switch (policy) {
    case SchedulingPolicy::proportional:
      return fill(order, slots);
    case SchedulingPolicy::minimum_services:
      slots = give_in_turn(order, slots,
                           [](const WorkSession& session) -> int64_t { return session.min_slots; });
      return fill(order, slots);
    case SchedulingPolicy::priority:
      give_in_turn(order, slots, [](const WorkSession&) { return INT64_MAX; });
      return;
  }
}

int64_t usable_slots(const View& view) {
  int64_t slots = 0;
  for (const auto& [host, usable] : usable_by_host(view, {})) slots += usable;
  return slots;
}

std::map<std::string, int64_t> usable_by_host(const View& view, std::span<const WorkUnit> units) {
  std::map<std::string, int64_t> usable;
  for (const WorkUnit& unit : units) {
    for (const UnitHost& on : unit.hosts) usable[on.host] = 0;
  }
  std::set<std::string> down;
  for (const wire::HostFacts& host : view.hosts) {
    usable[host.name] = host.up ? host.slots : 0;
    if (!host.up) down.insert(host.name);
  }
  for (const HostCap& cap : view.caps) usable[cap.host] = down.contains(cap.host) ? 0 : cap.slots;
  for (const HostLoad& load : view.loads) {
    if (!load.up) usable[load.host] = 0;
  }
  return usable;
}

}  // namespace leasehold::agent
