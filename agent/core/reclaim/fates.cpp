#include "agent/core/reclaim/fates.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace leasehold::agent {

namespace {

bool uses(const WorkUnit& unit, const std::string& place) {
  return !place.empty() && unit.slots_on(place) > 0;
}

/// Returns, by id, the units that were asked to go; nullptr where one is listed no more.
std::map<std::string, const WorkUnit*> listed(const std::vector<AskedWork>& asked,
                                              const std::vector<WorkUnit>& units) {
  std::map<std::string, const WorkUnit*> found;
  for (const AskedWork& work : asked) found.emplace(work.unit, nullptr);
  for (const WorkUnit& unit : units) {
    if (const auto place = found.find(unit.id); place != found.end()) place->second = &unit;
  }
  return found;
}

/// Some workload managers report work that is ending as started now.
bool same_run(const AskedWork& work, const WorkUnit& unit) {
  return unit.ending || unit.started == work.started;
}

/// Returns nullopt while it is not known.
std::optional<wire::Fate> fate_of(const JobEnd& end) {
  switch (end.how) {
    case JobEnd::How::unknown:
    case JobEnd::How::goes_on:
      return std::nullopt;
    case JobEnd::How::queued:
      return wire::Fate::requeued;
    case JobEnd::How::well:
      return wire::Fate::ended_well;
    case JobEnd::How::failed:
      return wire::Fate::failed;
    case JobEnd::How::ended:
      return wire::Fate::ended;
  }
  return std::nullopt;  // GCOVR_EXCL_LINE every value of the enum returned above
}

}  // namespace

std::vector<WorkUnit> final_ones(const Book& book, const std::vector<WorkUnit>& units) {
  std::set<std::string> leased;
  for (const LeasedGroup& group : book.groups()) {
    leased.insert(group.places.begin(), group.places.end());
  }
  leased.erase("");
  std::vector<WorkUnit> found;
  for (const WorkUnit& unit : units) {
    if (unit.requeueable || unit.ending || !unit.running()) continue;
    const bool here = std::any_of(unit.hosts.begin(), unit.hosts.end(),
                                  [&](const UnitHost& on) { return leased.contains(on.host); });
    if (here) found.push_back(unit);
  }
  return found;
}

uint64_t wanted_for(const Book& book, const ReclaimSets& sets, const WorkUnit& unit) {
  for (const LeasedGroup& group : book.groups()) {
    for (size_t i = 0; i < group.places.size(); ++i) {
      const auto& lowering = group.limits.hosts[i].lowering;
      const bool reclaimed = lowering && lowering->kind == wire::Lowering::reclaim;
      if (reclaimed && uses(unit, group.places[i])) return group.limits.generation;
    }
  }
  for (const HeldSet& held : sets.all()) {
    if (!sets.in_force(held, book)) continue;
    for (const wire::SetHost& host : held.set.hosts) {
      if (uses(unit, book.find(host.generation)->place(host.host))) return host.generation;
    }
  }
  return 0;
}

bool Fates::ask(const WorkUnit& unit, const std::string& session, uint64_t generation,
                Reason reason, bool ordered, int64_t wall_ms) {
  const auto known = std::find_if(
      kept_.asked.begin(), kept_.asked.end(),
      [&](const AskedWork& work) { return work.unit == unit.id && same_run(work, unit); });
  if (known != kept_.asked.end()) return ordered && !std::exchange(known->ordered, true);
  std::erase_if(kept_.asked, [&](const AskedWork& work) { return work.unit == unit.id; });
  kept_.asked.push_back({unit.id, unit.called, unit.started, generation, reason, unit.slots,
                         kept_name(unit.user), wall_ms, ordered, std::nullopt, kept_name(session),
                         kept_name(unit.account)});
  return true;
}

bool Fates::look(const std::vector<WorkUnit>& units, const std::vector<std::string>& under_reclaim,
                 FateMoment now) {
  const SavedFates before = kept_;
  const std::map<std::string, const WorkUnit*> seen = listed(kept_.asked, units);
  for (AskedWork& work : std::exchange(kept_.asked, {})) {
    const WorkUnit* unit = seen.at(work.unit);
    if (unit == nullptr) {
      if (!work.gone_ms) work.gone_ms = now.boottime_ms;
      if (now.boottime_ms - *work.gone_ms < kAskedForMs) {
        kept_.asked.push_back(std::move(work));
      } else {
        record_end(work, wire::Fate::unknown, std::nullopt, now.wall_ms);
      }
      continue;
    }
    work.gone_ms.reset();
    if (!unit->running() || !same_run(work, *unit)) {
      record_end(work, wire::Fate::requeued, std::nullopt, now.wall_ms);
      continue;
    }
    const bool goes = work.ordered || std::find(under_reclaim.begin(), under_reclaim.end(),
                                                work.unit) != under_reclaim.end();
    if (goes) {
      kept_.asked.push_back(std::move(work));
    } else {
      record_end(work, wire::Fate::spared, std::nullopt, now.wall_ms);
    }
  }
  return kept_ != before;
}

std::vector<WorkUnit> Fates::gone() const {
  std::vector<WorkUnit> units;
  for (const AskedWork& work : kept_.asked) {
    if (!work.gone_ms || units.size() == kAskedALook) continue;
    WorkUnit unit{work.unit, work.called};
    unit.started = work.started;
    units.push_back(std::move(unit));
  }
  return units;
}

bool Fates::note_end(const std::string& unit, const JobEnd& end, FateMoment now) {
  const auto known = std::find_if(kept_.asked.begin(), kept_.asked.end(),
                                  [&](const AskedWork& work) { return work.unit == unit; });
  if (known == kept_.asked.end()) return false;
  const int64_t gone_ms = known->gone_ms.value_or(now.boottime_ms);
  const std::optional<wire::Fate> fate = fate_of(end);
  const bool waits = !fate && now.boottime_ms - gone_ms < kAskAfterMs;
  if (waits || end.how == JobEnd::How::goes_on) {
    std::rotate(known, known + 1, kept_.asked.end());
    return false;
  }
  const AskedWork work = *known;
  kept_.asked.erase(known);
  record_end(work, fate.value_or(wire::Fate::unknown), end.exit_code, now.wall_ms);
  return true;
}

void Fates::record_end(const AskedWork& work, wire::Fate fate, std::optional<int32_t> exit_code,
                       int64_t wall_ms) {
  wire::EndedWork& ended = kept_.ended.emplace_back();
  ended.number = ++kept_.last_number;
  ended.job = work.unit;
  ended.fate = fate;
  ended.generation = work.generation;
  ended.reason = work.reason;
  ended.slots = work.slots;
  ended.told_ms = work.told_ms;
  ended.ended_ms = wall_ms;
  ended.exit_code = exit_code.value_or(-1);
  ended.user = work.user;
  ended.session = work.session;
  ended.account = work.account;
  if (kept_.ended.size() > kKeptMost) kept_.ended.erase(kept_.ended.begin());
}

std::vector<wire::EndedWork> Fates::unreported() const {
  const size_t most = std::min(kept_.ended.size(), wire::kEndedMost);
  return {kept_.ended.begin(), kept_.ended.begin() + static_cast<std::ptrdiff_t>(most)};
}

bool Fates::recorded(uint64_t number) {
  const uint64_t before = std::exchange(kept_.last_number, std::max(kept_.last_number, number));
  const size_t gone = std::erase_if(
      kept_.ended, [number](const wire::EndedWork& work) { return work.number <= number; });
  return gone > 0 || kept_.last_number != before;
}

}  // namespace leasehold::agent
