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

ReclaimTimeline::Notified& ReclaimTimeline::notify(const ReclaimVictim& victim, int64_t now_ms,
                                                   ReclaimSteps& steps) {
  const auto known = notified_.find(victim.unit);
  if (known != notified_.end() && (victim.ending || known->second.started == victim.started)) {
    Notified& notified = known->second;
    if (victim.grace_ms <= notified.grace_ms) return notified;
    notified.end_ms = later(notified.end_ms - notified.grace_ms, victim.grace_ms);
    notified.grace_ms = victim.grace_ms;
    notified.end_again_ms.reset();
    steps.changed = true;
    return notified;
  }
  Notified notified{victim.started, victim.grace_ms, later(now_ms, victim.grace_ms), now_ms};
  steps.changed = true;
  return notified_.insert_or_assign(victim.unit, notified).first->second;
}

ReclaimSteps ReclaimTimeline::steps_at(std::span<const ReclaimVictim> victims, int64_t now_ms) {
  ReclaimSteps steps;
  std::map<std::string, Notified> kept;
  for (const ReclaimVictim& victim : victims) {
    Notified& notified = notify(victim, now_ms, steps);
    const bool over = now_ms >= notified.end_ms || LEASEHOLD_CANARY(cuts_the_grace);
    if (victim.ending) {
      notified.interrupt_again_ms = INT64_MAX;
      notified.end_again_ms = later(now_ms, kEndAgainMs);
    }
    if (now_ms >= notified.interrupt_again_ms) {
      steps.interrupt.push_back(victim.unit);
      notified.interrupt_again_ms = over ? INT64_MAX : later(now_ms, kInterruptAgainMs);
    }
    if (over && now_ms >= notified.end_again_ms.value_or(INT64_MIN)) {
      (victim.requeueable ? steps.end : steps.end_for_good).push_back(victim.unit);
      notified.end_again_ms = now_ms + kEndAgainMs;
    }
    if (!notified.overdue && now_ms >= later(notified.end_ms, kLeewayMs)) {
      steps.overdue.push_back(victim.unit);
      notified.overdue = steps.changed = true;
    }
    kept.insert_or_assign(victim.unit, notified);
  }
  steps.changed = steps.changed || kept.size() != notified_.size();
  notified_ = std::move(kept);
  return steps;
}

void ReclaimTimeline::note_interrupted(const std::string& unit, int64_t late_ms) {
  const auto found = notified_.find(unit);
  if (found == notified_.end()) return;
  Notified& notified = found->second;
  notified.interrupt_again_ms = INT64_MAX;
  if (!notified.end_again_ms) notified.end_ms = later(notified.end_ms, late_ms);
}

int64_t ReclaimTimeline::next_ms() const {
  int64_t next = INT64_MAX;
  for (const auto& [unit, notified] : notified_) {
    next = std::min(
        {next, notified.interrupt_again_ms, notified.end_again_ms.value_or(notified.end_ms)});
    if (!notified.overdue) next = std::min(next, later(notified.end_ms, kLeewayMs));
  }
  return next;
}

std::vector<std::string> ReclaimTimeline::under_reclaim(std::span<const WorkUnit> units) const {
  std::vector<std::pair<int64_t, std::string>> found;
  for (const WorkUnit& unit : units) {
    if (!unit.running()) continue;
    const auto notified = notified_.find(unit.id);
    if (unit.ending) {
      found.emplace_back(INT64_MIN, unit.id);
    } else if (notified != notified_.end() && notified->second.started == unit.started) {
      found.emplace_back(notified->second.end_ms, unit.id);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> ids;
  for (auto& [end_ms, id] : found) ids.push_back(std::move(id));
  return ids;
}

std::optional<int64_t> ReclaimTimeline::left_ms(const std::string& unit, int64_t now_ms) const {
  const auto notified = notified_.find(unit);
  if (notified == notified_.end()) return std::nullopt;
  return endless(notified->second.end_ms) ? INT64_MAX
                                          : std::max<int64_t>(0, notified->second.end_ms - now_ms);
}

std::vector<SavedVictim> ReclaimTimeline::save(int64_t now_ms) const {
  std::vector<SavedVictim> saved;
  for (const auto& [unit, notified] : notified_) {
    saved.push_back({unit, notified.started, notified.grace_ms,
                     endless(notified.end_ms) ? INT64_MAX : notified.end_ms - now_ms, now_ms,
                     endless(notified.interrupt_again_ms), notified.overdue});
  }
  return saved;
}

ReclaimTimeline ReclaimTimeline::restored(std::span<const SavedVictim> saved, bool same_boot,
                                          int64_t now_ms) {
  ReclaimTimeline timeline;
  for (const SavedVictim& victim : saved) {
    Notified notified{victim.started, victim.grace_ms,
                      later(same_boot ? victim.at_ms : now_ms, victim.left_ms),
                      victim.interrupt_done ? INT64_MAX : now_ms};
    notified.overdue = victim.overdue;
    timeline.notified_.insert_or_assign(victim.unit, notified);
  }
  return timeline;
}

}  // namespace leasehold::agent
