#include "agent/core/reclaim/victims_bundle.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace leasehold::agent {

namespace {

/// Finds the unit that stands for all that share slots with each other.
class Sharing {
 public:
  explicit Sharing(std::span<const WorkUnit> units) : of_(units.size()) {
    std::map<std::pair<std::string, int32_t>, size_t> first_on;
    for (size_t i = 0; i < units.size(); ++i) {
      of_[i] = i;
      for (const UnitHost& on : units[i].hosts) {
        for (const int32_t slot : on.shared) {
          join(first_on.try_emplace({on.host, slot}, i).first->second, i);
        }
      }
    }
  }

  size_t root(size_t unit) const {
    while (of_[unit] != unit) unit = of_[unit];
    return unit;
  }

 private:
  void join(size_t a, size_t b) {
    const size_t one = root(a);
    const size_t other = root(b);
    of_[std::max(one, other)] = std::min(one, other);
  }

  std::vector<size_t> of_;
};

/// Returns the slots of each host that these units use, shared ones once.
std::map<std::string, int32_t> slots_of(std::span<const WorkUnit> units,
                                        const std::vector<size_t>& of) {
  std::map<std::string, int32_t> slots;
  std::set<std::pair<std::string, int32_t>> counted;
  for (const size_t i : of) {
    for (const UnitHost& on : units[i].hosts) {
      int32_t& here = slots[on.host];
      if (on.shared.empty()) here += on.slots;
      for (const int32_t slot : on.shared) here += counted.emplace(on.host, slot).second ? 1 : 0;
    }
  }
  return slots;
}

/// True if `a` protects `b`, where both use the same slots.
bool stands_for(int64_t importance, const WorkSession& a, int64_t other, const WorkSession& b) {
  return std::tie(other, a.started, a.key) < std::tie(importance, b.started, b.key);
}

uint64_t mixed(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

uint64_t drawn(uint64_t seed, const std::string& name) {
  for (const char letter : name) seed = mixed(seed ^ static_cast<unsigned char>(letter));
  return mixed(seed);
}

}  // namespace

int64_t importance_of(const WorkSession& session, Importance by) {
  return by == Importance::rank ? session.rank : session.priority;
}

std::vector<Bundle> bundles_of(std::span<const WorkUnit> units, const WorkSessions& sessions,
                               Importance by, Instant now) {
  const Sharing sharing(units);
  std::map<size_t, std::vector<size_t>> together;
  for (size_t i = 0; i < units.size(); ++i) {
    if (units[i].running()) together[sharing.root(i)].push_back(i);
  }
  std::vector<Bundle> bundles;
  for (auto& [root, members] : together) {
    Bundle bundle;
    bundle.slots = slots_of(units, members);
    bundle.id = units[root].id;
    bundle.newest = units[root].started;
    bundle.session = sessions.of_unit[root];
    bundle.importance = importance_of(sessions.all[bundle.session], by);
    for (const size_t i : members) {
      const size_t session = sessions.of_unit[i];
      const int64_t importance = importance_of(sessions.all[session], by);
      if (stands_for(importance, sessions.all[session], bundle.importance,
                     sessions.all[bundle.session])) {
        bundle.session = session;
        bundle.importance = importance;
      }
      bundle.taken[session] += units[i].slots;
      bundle.run_ms += now - units[i].started;
      bundle.newest = std::max(bundle.newest, units[i].started);
      bundle.id = std::min(bundle.id, units[i].id);
      bundle.for_good = bundle.for_good || (!units[i].requeueable && !units[i].ending);
    }
    bundle.units = std::move(members);
    bundles.push_back(std::move(bundle));
  }
  return bundles;
}

BundleIndex index_of(std::span<const WorkUnit> units, const WorkSessions& sessions, Importance by,
                     Instant now) {
  BundleIndex index;
  index.bundles = bundles_of(units, sessions, by, now);
  for (size_t i = 0; i < index.bundles.size(); ++i) {
    for (const auto& [host, slots] : index.bundles[i].slots) index.on_host[host].push_back(i);
    for (const size_t unit : index.bundles[i].units) index.of_unit.emplace(units[unit].id, i);
  }
  return index;
}

Bundle joined(std::span<const Bundle* const> bundles, const WorkSessions& sessions) {
  Bundle all = *bundles.front();
  for (const Bundle* more : bundles.subspan(1)) {
    all.units.insert(all.units.end(), more->units.begin(), more->units.end());
    if (stands_for(more->importance, sessions.all[more->session], all.importance,
                   sessions.all[all.session])) {
      all.session = more->session;
      all.importance = more->importance;
    }
    for (const auto& [host, slots] : more->slots) all.slots[host] += slots;
    for (const auto& [session, slots] : more->taken) all.taken[session] += slots;
    all.run_ms += more->run_ms;
    all.newest = std::max(all.newest, more->newest);
    all.id = std::min(all.id, more->id);
    all.for_good = all.for_good || more->for_good;
  }
  std::sort(all.units.begin(), all.units.end());
  return all;
}

bool TieOrder::host_before(const std::string& a, const std::string& b) const {
  if (!seed_) return a < b;
  return std::make_pair(drawn(*seed_, a), a) < std::make_pair(drawn(*seed_, b), b);
}

bool TieOrder::before(const Bundle& a, const Bundle& b) const {
  if (seed_) {
    return std::make_pair(drawn(*seed_, a.id), a.id) < std::make_pair(drawn(*seed_, b.id), b.id);
  }
  return std::tie(a.slots.begin()->first, b.newest, a.id) <
         std::tie(b.slots.begin()->first, a.newest, b.id);
}

}  // namespace leasehold::agent
