#include "agent/core/reclaim/choice.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace leasehold::agent {

namespace {

/// One host of a group in a look.
struct Seen {
  const HostLimit& limit;
  const std::string& place;
  int32_t used = 0;  // of the limit; all of it where nobody knows
};

Seen seen_at(const Book& book, const std::vector<GroupUse>& use, size_t group, size_t host) {
  const LeasedGroup& of = book.groups()[group];
  const HostLimit& limit = of.limits.hosts[host];
  const bool known = use[group].known[host];
  return {limit, of.place(host),
          known ? std::min(limit.limit, use[group].used[host]) : limit.limit};
}

Seen seen_at(const Book& book, const std::vector<GroupUse>& use, const wire::SetHost& host) {
  const size_t group = static_cast<size_t>(book.find(host.generation) - book.groups().data());
  return seen_at(book, use, group, host.host);
}

void add_hosts(const Book& book, const std::vector<GroupUse>& use, ReclaimNeeds& needs) {
  std::map<std::string, HostReclaim> by_place;
  for (size_t g = 0; g < book.groups().size(); ++g) {
    const GroupLimits& limits = book.groups()[g].limits;
    for (size_t i = 0; i < limits.hosts.size(); ++i) {
      const Seen seen = seen_at(book, use, g, i);
      const auto& lowering = seen.limit.lowering;
      if (!lowering || seen.limit.settling || seen.place.empty()) continue;
      if (lowering->kind != wire::Lowering::reclaim) continue;
      HostReclaim& need = by_place[seen.place];
      need.host = seen.place;
      need.slots += std::max(0, seen.used - lowering->target);
      need.grace_ms = std::max(need.grace_ms, limits.grace_ms);
      need.whole_host = need.whole_host || lowering->whole;
    }
  }
  for (auto& [place, need] : by_place) needs.hosts.push_back(std::move(need));
}

SetReclaim need_of(const Book& book, const std::vector<GroupUse>& use, const ReclaimSets& sets,
                   const HeldSet& held) {
  SetReclaim need;
  need.slots = sets.excess(held, book);
  need.grace_ms = held.set.grace_ms;
  std::map<std::string, int32_t> by_place;
  for (const wire::SetHost& host : held.set.hosts) {
    const Seen seen = seen_at(book, use, host);
    const int32_t kept = std::min(seen.used, kept_limit(seen.limit));
    need.slots -= kept_limit(seen.limit) - kept;
    if (!seen.place.empty()) by_place[seen.place] += kept;
  }
  for (const auto& [place, slots] : by_place) need.hosts.push_back({place, slots});
  return need;
}

struct SlotsInUse {
  int64_t own = 0;
  std::set<int32_t> shared;
  int64_t count() const { return own + static_cast<int64_t>(shared.size()); }
};

std::map<std::string, SlotsInUse> slots_on(const std::set<std::string>& hosts,
                                           std::span<const WorkUnit> units) {
  std::map<std::string, SlotsInUse> in_use;
  for (const std::string& host : hosts) in_use[host];
  for (const WorkUnit& unit : units) {
    for (const UnitHost& on : unit.hosts) {
      const auto found = in_use.find(on.host);
      if (found == in_use.end()) continue;
      if (on.shared.empty()) found->second.own += on.slots;
      found->second.shared.insert(on.shared.begin(), on.shared.end());
    }
  }
  return in_use;
}

/// The victims of all needs, each once.
class Choice {
 public:
  Choice(std::span<const WorkUnit> units, const WorkSessions& sessions,
         const SchedulingSettings& settings, const std::vector<std::string>& under_reclaim,
         Instant now)
      : units_(units), chooser_(units, sessions, settings, now), under_reclaim_(under_reclaim) {}

  void for_host(const HostReclaim& need) {
    VictimRequest request;
    request.hosts.push_back({need.host, need.slots});
    request.slots = need.slots;
    request.whole_hosts = need.whole_host;
    request.under_reclaim = under_reclaim_;
    take(chooser_.choose(request), need.grace_ms);
    claimed_[need.host] += need.slots;
  }

  /// Slots that come free for single hosts count for the set only as far as those hosts do not need
  /// them.
  void for_set(const SetReclaim& need) {
    VictimRequest request;
    request.slots = need.slots;
    const std::map<std::string, int64_t> freed = chooser_.freed_by(chosen_);
    for (const HostNeed& host : need.hosts) {
      const auto free = freed.find(host.host);
      const int64_t left = (free == freed.end() ? 0 : free->second) - claimed_[host.host];
      const auto spare = static_cast<int32_t>(std::clamp<int64_t>(left, 0, host.slots));
      request.hosts.push_back({host.host, host.slots - spare});
      request.slots -= spare;
    }
    request.under_reclaim = under_reclaim_;
    for (const size_t i : chosen_) request.ends.push_back(units_[i].id);
    take(chooser_.choose(request), need.grace_ms);
  }

  std::vector<ReclaimVictim> victims() { return std::move(victims_); }

 private:
  void take(const std::vector<size_t>& chosen, int64_t grace_ms) {
    for (const size_t i : chosen) {
      const WorkUnit& unit = units_[i];
      const auto [found, fresh] = place_.emplace(i, victims_.size());
      if (fresh) {
        victims_.push_back({unit.id, unit.started, grace_ms, unit.requeueable, unit.ending});
        chosen_.push_back(i);
        under_reclaim_.push_back(unit.id);  // so that what it frees on the next host counts there
      } else {
        int64_t& longest = victims_[found->second].grace_ms;
        longest = std::max(longest, grace_ms);
      }
    }
  }

  std::span<const WorkUnit> units_;
  VictimChooser chooser_;
  std::vector<std::string> under_reclaim_;
  std::vector<ReclaimVictim> victims_;
  std::vector<size_t> chosen_;
  std::map<size_t, size_t> place_;          // of a unit in victims_
  std::map<std::string, int64_t> claimed_;  // slots of a host that it needs for itself
};

}  // namespace

ReclaimNeeds open_reclaims(const Book& book, const std::vector<GroupUse>& use,
                           const ReclaimSets& sets) {
  ReclaimNeeds needs;
  add_hosts(book, use, needs);
  for (const HeldSet& held : sets.all()) {
    if (held.set.whole_hosts || !sets.in_force(held, book)) continue;
    SetReclaim need = need_of(book, use, sets, held);
    if (need.slots > 0) needs.sets.push_back(std::move(need));
  }
  return needs;
}

bool ended_since(const ReclaimNeeds& needs, const View& view, std::span<const WorkUnit> units) {
  std::set<std::string> asked;
  for (const HostReclaim& need : needs.hosts) asked.insert(need.host);
  for (const SetReclaim& set : needs.sets) {
    for (const HostNeed& host : set.hosts) asked.insert(host.host);
  }
  const std::map<std::string, SlotsInUse> in_use = slots_on(asked, units);
  return std::any_of(view.loads.begin(), view.loads.end(), [&](const HostLoad& load) {
    const auto found = in_use.find(load.host);
    return found != in_use.end() && found->second.count() < load.used;
  });
}

std::vector<ReclaimVictim> choose_for(const ReclaimNeeds& needs, std::span<const WorkUnit> units,
                                      const WorkSessions& sessions,
                                      const SchedulingSettings& settings,
                                      const std::vector<std::string>& under_reclaim, Instant now) {
  Choice choice(units, sessions, settings, under_reclaim, now);
  std::map<std::string, const HostReclaim*> by_host;
  for (const HostReclaim& need : needs.hosts) by_host.emplace(need.host, &need);
  for (const auto& [host, need] : by_host) choice.for_host(*need);
  for (const SetReclaim& need : needs.sets) choice.for_set(need);
  return choice.victims();
}

namespace {

/// Hosts of one set of whole hosts, as they are to be given up.
class WholeHosts {
 public:
  WholeHosts(const Book& book, const std::vector<GroupUse>& use, const HeldSet& held, int64_t slots)
      : slots_(slots) {
    for (const wire::SetHost& host : held.set.hosts) {
      const Seen seen = seen_at(book, use, host);
      if (seen.limit.lowering || seen.limit.limit == 0 || seen.place.empty()) continue;
      open_.push_back({host, seen.place, seen.limit.limit, seen.used == 0});
    }
  }

  void take_idle() {
    std::erase_if(open_, [this](const Open& host) { return host.idle && take(host); });
  }

  void take_least_important(const VictimChooser& chooser,
                            const std::vector<std::string>& under_reclaim) {
    while (true) {
      VictimRequest request;
      request.slots = 1;
      request.whole_hosts = true;
      request.under_reclaim = under_reclaim;
      for (const Open& host : open_) {
        if (host.slots <= slots_) request.hosts.push_back({host.place, host.slots});
      }
      const std::map<std::string, int64_t> freed = chooser.freed_by(chooser.choose(request));
      const size_t taken = std::erase_if(
          open_, [&](const Open& host) { return freed.contains(host.place) && take(host); });
      if (taken == 0) return;
    }
  }

  std::vector<wire::SetHost> given() { return std::move(given_); }

 private:
  struct Open {
    wire::SetHost host;
    std::string place;
    int32_t slots = 0;
    bool idle = false;
  };

  bool take(const Open& host) {
    if (host.slots > slots_) return false;
    slots_ -= host.slots;
    given_.push_back(host.host);
    return true;
  }

  int64_t slots_;
  std::vector<Open> open_;
  std::vector<wire::SetHost> given_;
};

}  // namespace

std::vector<ChosenHost> whole_hosts_for(const Book& book, const std::vector<GroupUse>& use,
                                        const ReclaimSets& sets, std::span<const WorkUnit> units,
                                        const WorkSessions& sessions,
                                        const SchedulingSettings& settings,
                                        const std::vector<std::string>& under_reclaim,
                                        Instant now) {
  const VictimChooser chooser(units, sessions, settings, now);
  std::vector<ChosenHost> given;
  for (const HeldSet& held : sets.all()) {
    if (!held.set.whole_hosts || !sets.in_force(held, book)) continue;
    WholeHosts hosts(book, use, held, sets.excess(held, book));
    hosts.take_idle();
    hosts.take_least_important(chooser, under_reclaim);
    for (const wire::SetHost& host : hosts.given()) given.push_back({host, held.set.grace_ms});
  }
  return given;
}

}  // namespace leasehold::agent
