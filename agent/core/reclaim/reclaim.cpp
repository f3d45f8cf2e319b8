#include "agent/core/reclaim/reclaim.hpp"

#include <algorithm>

#include "common/canary.hpp"

namespace leasehold::agent {

namespace {

int64_t later(int64_t at, int64_t by_ms) {
  return by_ms > 0 && at > INT64_MAX - by_ms ? INT64_MAX : at + by_ms;
}

/// True for an instant that no clock reaches.
bool endless(int64_t at) {
  return at == INT64_MAX;
}

}  // namespace

ReclaimTimeline::Told& ReclaimTimeline::tell(const ReclaimVictim& victim, int64_t now_ms,
                                             ReclaimSteps& steps) {
  const auto known = told_.find(victim.unit);
  if (known != told_.end() && (victim.ending || known->second.started == victim.started)) {
    Told& told = known->second;
    if (victim.grace_ms <= told.grace_ms) return told;
    told.end_ms = later(told.end_ms - told.grace_ms, victim.grace_ms);
    told.grace_ms = victim.grace_ms;
    told.end_again_ms.reset();
    steps.changed = true;
    return told;
  }
  Told told{victim.started, victim.grace_ms, later(now_ms, victim.grace_ms), now_ms};
  steps.changed = true;
  return told_.insert_or_assign(victim.unit, told).first->second;
}

ReclaimSteps ReclaimTimeline::steps_at(std::span<const ReclaimVictim> victims, int64_t now_ms) {
  ReclaimSteps steps;
  std::map<std::string, Told> kept;
  for (const ReclaimVictim& victim : victims) {
    Told& told = tell(victim, now_ms, steps);
    const bool over = now_ms >= told.end_ms || LEASEHOLD_CANARY(cuts_the_grace);
    if (victim.ending) {
      told.interrupt_again_ms = INT64_MAX;
      told.end_again_ms = later(now_ms, kEndAgainMs);
    }
    if (now_ms >= told.interrupt_again_ms) {
      steps.interrupt.push_back(victim.unit);
      told.interrupt_again_ms = over ? INT64_MAX : later(now_ms, kInterruptAgainMs);
    }
    if (over && now_ms >= told.end_again_ms.value_or(INT64_MIN)) {
      (victim.requeueable ? steps.end : steps.end_for_good).push_back(victim.unit);
      told.end_again_ms = now_ms + kEndAgainMs;
    }
    if (!told.overdue && now_ms >= later(told.end_ms, kLeewayMs)) {
      steps.overdue.push_back(victim.unit);
      told.overdue = steps.changed = true;
    }
    kept.insert_or_assign(victim.unit, told);
  }
  steps.changed = steps.changed || kept.size() != told_.size();
  told_ = std::move(kept);
  return steps;
}

void ReclaimTimeline::heard(const std::string& unit, int64_t late_ms) {
  const auto found = told_.find(unit);
  if (found == told_.end()) return;
  Told& told = found->second;
  told.interrupt_again_ms = INT64_MAX;
  if (!told.end_again_ms) told.end_ms = later(told.end_ms, late_ms);
}

int64_t ReclaimTimeline::next_ms() const {
  int64_t next = INT64_MAX;
  for (const auto& [unit, told] : told_) {
    next = std::min({next, told.interrupt_again_ms, told.end_again_ms.value_or(told.end_ms)});
    if (!told.overdue) next = std::min(next, later(told.end_ms, kLeewayMs));
  }
  return next;
}

std::vector<std::string> ReclaimTimeline::told(std::span<const WorkUnit> units) const {
  std::vector<std::pair<int64_t, std::string>> found;
  for (const WorkUnit& unit : units) {
    if (!unit.running()) continue;
    const auto told = told_.find(unit.id);
    if (unit.ending) {
      found.emplace_back(INT64_MIN, unit.id);
    } else if (told != told_.end() && told->second.started == unit.started) {
      found.emplace_back(told->second.end_ms, unit.id);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> ids;
  for (auto& [end_ms, id] : found) ids.push_back(std::move(id));
  return ids;
}

std::optional<int64_t> ReclaimTimeline::left_ms(const std::string& unit, int64_t now_ms) const {
  const auto told = told_.find(unit);
  if (told == told_.end()) return std::nullopt;
  return endless(told->second.end_ms) ? INT64_MAX
                                      : std::max<int64_t>(0, told->second.end_ms - now_ms);
}

std::vector<SavedVictim> ReclaimTimeline::save(int64_t now_ms) const {
  std::vector<SavedVictim> saved;
  for (const auto& [unit, told] : told_)
    saved.push_back({unit, told.started, told.grace_ms,
                     endless(told.end_ms) ? INT64_MAX : told.end_ms - now_ms, now_ms,
                     endless(told.interrupt_again_ms), told.overdue});
  return saved;
}

ReclaimTimeline ReclaimTimeline::restored(std::span<const SavedVictim> saved, bool same_boot,
                                          int64_t now_ms) {
  ReclaimTimeline timeline;
  for (const SavedVictim& victim : saved) {
    Told told{victim.started, victim.grace_ms,
              later(same_boot ? victim.at_ms : now_ms, victim.left_ms),
              victim.heard ? INT64_MAX : now_ms};
    told.overdue = victim.overdue;
    timeline.told_.insert_or_assign(victim.unit, told);
  }
  return timeline;
}

}  // namespace leasehold::agent
