#include "agent/core/usage/usage_count.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace leasehold::agent {

namespace {

int64_t sum_up_to(int64_t a, int64_t b) {
  return std::min(wire::kSlotMsMost, a + b);
}

/// Slots and times are bounded so that their product is.
int64_t slot_ms_of(int64_t slots, int64_t ms) {
  const int64_t times = std::clamp<int64_t>(ms, 0, UsageCount::kGapMostMs);
  return slots <= 0 || times == 0 ? 0 : std::min(slots, wire::kSlotMsMost / times) * times;
}

int64_t hour_of(int64_t wall_ms) {
  return wall_ms / UsageCount::kHourMs;
}

bool is_due(const OpenUsage& open, UsageMoment now) {
  return hour_of(open.since_ms) != hour_of(now.wall_ms) || open.counted_ms >= UsageCount::kHourMs;
}

std::unordered_set<uint64_t> borrowed_groups(const Book& book) {
  std::unordered_set<uint64_t> borrowed;
  for (const LeasedGroup& group : book.groups()) {
    if (group.limits.role == wire::Role::consumer) borrowed.insert(group.limits.generation);
  }
  return borrowed;
}

/// Maps the slot groups to their places in `open`.
std::unordered_map<uint64_t, size_t> places_in(const std::vector<OpenUsage>& open) {
  std::unordered_map<uint64_t, size_t> places;
  for (size_t i = 0; i < open.size(); ++i) places.emplace(open[i].generation, i);
  return places;
}

/// A count, and the slots of a host that its group uses and that no work is found for yet.
struct PlaceShare {
  size_t open = 0;
  int64_t slots_left = 0;
};
using Places = std::map<std::string_view, std::vector<PlaceShare>>;

/// Returns the counts to which work on each borrowed host belongs, by the host's name here. Several
/// groups may have slots of one host.
Places places_of(const Book& book, const std::vector<GroupUse>& use,
                 const std::vector<OpenUsage>& open) {
  Places places;
  const std::unordered_map<uint64_t, size_t> counts = places_in(open);
  for (size_t g = 0; g < book.groups().size() && g < use.size(); ++g) {
    const LeasedGroup& group = book.groups()[g];
    if (group.limits.role != wire::Role::consumer) continue;
    const auto count = counts.find(group.limits.generation);
    if (count == counts.end()) continue;
    for (size_t row = 0; row < group.places.size() && row < use[g].used.size(); ++row) {
      if (group.places[row].empty()) continue;
      places[group.places[row]].push_back({count->second, use[g].used[row]});
    }
  }
  return places;
}

/// Takes the slots of one more unit from the shares, in their order; the last one has the rest.
std::vector<PlaceShare> taken_from(std::vector<PlaceShare>& shares, int64_t slots) {
  std::vector<PlaceShare> taken;
  for (PlaceShare& share : shares) {
    const bool last = &share == &shares.back();
    const int64_t part = last ? slots : std::min(slots, std::max<int64_t>(0, share.slots_left));
    share.slots_left -= part;
    slots -= part;
    if (part > 0) taken.push_back({share.open, part});
  }
  return taken;
}

UsageKey key_of(const WorkUnit& unit, const std::string& session) {
  return {kept_name(session), kept_name(unit.user), kept_name(unit.account)};
}

void add_to(OpenUsage& open, const UsageKey& key, int64_t slot_ms) {
  const auto known = open.slot_ms.find(key);
  if (known != open.slot_ms.end()) {
    known->second = sum_up_to(known->second, slot_ms);
  } else if (open.slot_ms.size() < UsageCount::kKeysMost) {
    open.slot_ms.emplace(key, slot_ms);
  }
}

}  // namespace

void UsageCount::restore(SavedUsage saved, UsageMoment now) {
  kept_ = std::move(saved);
  if (kept_.open.empty()) return;
  const int64_t gap_ms = std::clamp<int64_t>(now.wall_ms - kept_.saved_ms, 0, kGapMostMs);
  looked_ms_ = now.boottime_ms - gap_ms;
  if (kept_.listed_at) listed_ms_ = looked_ms_;
  restored_ = true;
}

OpenUsage& UsageCount::begin(uint64_t generation, UsageMoment now) {
  OpenUsage& open = kept_.open.emplace_back();
  open.generation = generation;
  open.since_ms = std::clamp<int64_t>(now.wall_ms, 0, wire::kUsedUntilMsMost / 2);
  return open;
}

void UsageCount::look(const Book& book, const std::vector<GroupUse>& use, UsageMoment now) {
  const int64_t since_ms =
      std::max<int64_t>(0, now.boottime_ms - looked_ms_.value_or(now.boottime_ms));
  looked_ms_ = now.boottime_ms;
  const std::unordered_map<uint64_t, size_t> counts = places_in(kept_.open);
  for (size_t i = 0; i < book.groups().size() && i < use.size(); ++i) {
    const GroupLimits& limits = book.groups()[i].limits;
    if (limits.role != wire::Role::consumer) continue;
    const int64_t slots = std::accumulate(use[i].used.begin(), use[i].used.end(), int64_t{0});
    const auto known = counts.find(limits.generation);
    if (known == counts.end()) {
      if (slots > 0) begin(limits.generation, now).slots = slots;
      continue;
    }
    OpenUsage& open = kept_.open[known->second];
    const int64_t held = restored_ ? std::min(open.slots, slots) : open.slots;
    open.total_slot_ms = sum_up_to(open.total_slot_ms, slot_ms_of(held, since_ms));
    open.counted_ms = std::min(kLongestMs, open.counted_ms + since_ms);
    open.slots = slots;
  }
  restored_ = false;
}

/// Some workload managers report work that is ending as started now.
void UsageCount::list(const Book& book, const std::vector<GroupUse>& use,
                      std::span<const WorkUnit> units, const WorkSessions& sessions,
                      Instant list_now, UsageMoment now) {
  const int64_t before_ms = listed_ms_.value_or(now.boottime_ms - kGapMostMs);
  int64_t since_ms = std::clamp<int64_t>(now.boottime_ms - before_ms, 0, kGapMostMs);
  if (kept_.listed_at) since_ms = std::clamp<int64_t>(list_now - *kept_.listed_at, 0, since_ms);
  Places places = places_of(book, use, kept_.open);
  for (size_t i = 0; i < units.size(); ++i) {
    const WorkUnit& unit = units[i];
    for (const UnitHost& on : unit.hosts) {
      const auto place = places.find(on.host);
      if (place == places.end()) continue;
      for (const PlaceShare& share : taken_from(place->second, on.slots)) {
        OpenUsage& open = kept_.open[share.open];
        const int64_t span_ms = std::min(since_ms, open.counted_ms);  // none that is closed already
        const int64_t ran_ms = unit.ending ? span_ms : std::min(span_ms, list_now - unit.started);
        const int64_t slot_ms = slot_ms_of(share.slots_left, ran_ms);
        if (slot_ms > 0) add_to(open, key_of(unit, sessions.key_of_unit(i)), slot_ms);
      }
    }
  }
  kept_.listed_at = list_now;
  listed_ms_ = now.boottime_ms;
}

bool UsageCount::close_due(const Book& book, UsageMoment now) const {
  const std::unordered_set<uint64_t> borrowed = borrowed_groups(book);
  return std::any_of(kept_.open.begin(), kept_.open.end(), [&](const OpenUsage& open) {
    return !borrowed.contains(open.generation) || is_due(open, now);
  });
}

size_t UsageCount::close(const Book& book, UsageMoment now) {
  const std::unordered_set<uint64_t> borrowed = borrowed_groups(book);
  for (OpenUsage& open : std::exchange(kept_.open, {})) {
    const bool is_there = borrowed.contains(open.generation);
    if (is_there && !is_due(open, now)) {
      kept_.open.push_back(std::move(open));
      continue;
    }
    close(open);
    if (is_there && open.slots > 0) begin(open.generation, now).slots = open.slots;
  }
  auto& closed = kept_.closed;
  const size_t lost = closed.size() - std::min(closed.size(), kClosedMost);
  closed.erase(closed.begin(), closed.begin() + static_cast<std::ptrdiff_t>(lost));
  return lost;
}

void UsageCount::close(const OpenUsage& open) {
  wire::UsedSlots used;
  int64_t listed_slot_ms = 0;
  for (const auto& [key, slot_ms] : open.slot_ms) {
    listed_slot_ms = sum_up_to(listed_slot_ms, slot_ms);
    if (key.user.empty()) {
      used.unnamed_slot_ms = sum_up_to(used.unnamed_slot_ms, slot_ms);
    } else {
      used.by.push_back({key.session, key.user, key.account, slot_ms});
    }
  }
  std::stable_sort(
      used.by.begin(), used.by.end(),
      [](const wire::UsedBy& a, const wire::UsedBy& b) { return a.slot_ms > b.slot_ms; });
  const int64_t unlisted = std::max<int64_t>(0, open.total_slot_ms - listed_slot_ms);
  used.others_slot_ms = unlisted;
  for (; used.by.size() > wire::kUsedByMost; used.by.pop_back()) {
    used.others_slot_ms = sum_up_to(used.others_slot_ms, used.by.back().slot_ms);
  }
  if (listed_slot_ms == 0 && unlisted == 0) return;
  used.number = ++kept_.last_number;
  used.generation = open.generation;
  used.since_ms = open.since_ms;
  used.until_ms = open.since_ms + open.counted_ms;
  kept_.closed.push_back(std::move(used));
}

std::vector<wire::UsedSlots> UsageCount::unreported() const {
  const size_t most = std::min(kept_.closed.size(), wire::kUsedSlotsMost);
  return {kept_.closed.begin(), kept_.closed.begin() + static_cast<std::ptrdiff_t>(most)};
}

bool UsageCount::recorded(uint64_t number) {
  if (number > kNumberMost) return false;
  if (number > kept_.last_number) {
    kept_.open.clear();
    kept_.listed_at.reset();
    listed_ms_.reset();
  }
  const uint64_t before = std::exchange(kept_.last_number, std::max(kept_.last_number, number));
  const size_t gone = std::erase_if(
      kept_.closed, [number](const wire::UsedSlots& used) { return used.number <= number; });
  return gone > 0 || kept_.last_number != before;
}

SavedUsage UsageCount::save(UsageMoment now) const {
  SavedUsage saved = kept_;
  saved.saved_ms = now.wall_ms;
  return saved;
}

}  // namespace leasehold::agent
