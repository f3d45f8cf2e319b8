#include "agent/core/demand/endings.hpp"

#include <algorithm>

#include "common/bounds.hpp"

namespace leasehold::agent {

namespace {

/// The mean of a class of limits counts from this many ended jobs on; fewer say little.
constexpr int64_t kEnoughToKnow = 8;
/// At this many ended jobs a mean forgets half of what it has learnt.
constexpr int64_t kMost = 128;

int64_t length_ms(Instant from, Instant to) {
  if (to.ms <= from.ms) return 0;
  const uint64_t length = static_cast<uint64_t>(to.ms) - static_cast<uint64_t>(from.ms);
  return static_cast<int64_t>(std::min(length, static_cast<uint64_t>(kLongestMs)));
}

wire::TimeClass class_of_limit(Instant started, Instant until) {
  if (until == kNever) return wire::TimeClass::unknown;
  return wire::time_class(length_ms(started, until));
}

/// Returns the error in thousandths of the longer length; 0 if both lengths are 0.
int64_t error_milli(int64_t expected_ms, int64_t true_ms) {
  const int64_t longer = std::max(expected_ms, true_ms);
  return longer == 0 ? 0 : (longer - std::min(expected_ms, true_ms)) * 1000 / longer;
}

}  // namespace

void Endings::Mean::add(int64_t value) {
  sum += value;
  if (++count < kMost) return;
  sum /= 2;
  count /= 2;
}

/// The limit, or less where such work ended sooner; -1: nothing is known.
int64_t Endings::expected_ms(Instant started, Instant until) const {
  const Mean& length = lengths_[static_cast<size_t>(class_of_limit(started, until))];
  const bool known = length.count >= kEnoughToKnow;
  if (until == kNever) return known ? length.value() : -1;
  const int64_t limit_ms = length_ms(started, until);
  return known ? std::min(limit_ms, length.value()) : limit_ms;
}

/// Work that has run for longer than expected is left to its limit.
wire::TimeClass Endings::left_of(const RunningWork& work, Instant now) const {
  const int64_t ran_ms = length_ms(work.started, now);
  const int64_t expected = expected_ms(work.started, work.until);
  if (expected > ran_ms) return wire::time_class(expected - ran_ms);
  if (work.until == kNever) return wire::TimeClass::unknown;
  return wire::time_class(length_ms(now, work.until));
}

void Endings::note_ordered_end(const std::string& job) {
  const auto found = known_.find(job);
  if (found != known_.end()) found->second.by_order = true;
}

void Endings::learn(const Known& ended, Instant now) {
  if (ended.by_order) return;
  // A job whose limit passed between two looks ended at its limit.
  const int64_t true_ms = length_ms(ended.started, std::min(now, ended.until));
  lengths_[static_cast<size_t>(class_of_limit(ended.started, ended.until))].add(true_ms);
  if (ended.expected_ms >= 0) error_milli_.add(error_milli(ended.expected_ms, true_ms));
}

void Endings::forget_ended(Instant now) {
  for (auto at = known_.begin(); at != known_.end();) {
    if (at->second.seen == looks_) {
      ++at;
      continue;
    }
    learn(at->second, now);
    at = known_.erase(at);
  }
}

wire::Ending Endings::look(std::span<const RunningWork> running, Instant now) {
  ++looks_;
  for (const RunningWork& work : running) {
    const auto [at, is_new] = known_.try_emplace(work.id);
    Known& known = at->second;
    // A job that has another start than before was put back into the queue meanwhile.
    if (is_new || known.started != work.started) {
      known = {work.started, work.until, expected_ms(work.started, work.until)};
    }
    known.until = work.until;  // a limit may be extended while the job runs
    known.seen = looks_;
  }
  forget_ended(now);
  std::array<int64_t, wire::kTimeClasses> slots{};
  int64_t room = kSlotsMax;
  for (const RunningWork& work : running) {
    const int64_t counted = std::clamp<int64_t>(work.slots, 0, room);
    slots[static_cast<size_t>(left_of(work, now))] += counted;
    room -= counted;
  }
  wire::Ending ending;
  for (size_t left = 0; left < slots.size(); ++left) {
    if (slots[left] > 0) ending.slots.push_back({static_cast<wire::TimeClass>(left), slots[left]});
  }
  if (error_milli_.count > 0) ending.error_milli = static_cast<int32_t>(error_milli_.value());
  return ending;
}

}  // namespace leasehold::agent
