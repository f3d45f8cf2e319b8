#include "agent/workload/gridengine/reservations.hpp"

#include <algorithm>
#include <tuple>

#include "common/text/printable.hpp"

namespace leasehold::agent {

namespace {

constexpr int kLooksUntilAgain = 10;    // where it did not tell: a call may take its time-out
constexpr int kLooksBetween = 120;      // some versions can alter a reservation
constexpr size_t kNameBytesMost = 200;  // a broker takes no longer one with the number,
constexpr int64_t kYear9999Ms = 253'370'764'800'000;  // and no later reservation
constexpr size_t kAskedAtOnce = 1'000;
constexpr size_t kNamedMost = 20;  // in cautions

std::string instance_name(const GridEngineInstance& instance) {
  return instance.queue + "@" + instance.host;
}

/// Returns the number, with which qrdel is called, and the name: "16 course".
std::string label_of(const GridEngineReservation& one) {
  const std::string name = printable(one.name);
  return name.empty() || name.size() > kNameBytesMost ? one.id : one.id + " " + name;
}

/// The end of a reservation, or its begin with its slots; ends come first.
struct Change {
  Instant at;
  int64_t slots = 0;
  std::string id;
  bool operator<(const Change& other) const {
    return std::tie(at, slots, id) < std::tie(other.at, other.slots, other.id);
  }
};

/// A time that is not known counts as long past, or as never.
std::map<std::string, std::vector<Change>> changes_of(
    const std::map<std::string, GridEngineReservation>& known) {
  std::map<std::string, std::vector<Change>> changes;
  for (const auto& [id, one] : known) {
    for (const auto& [instance, slots] : one.slots) {
      changes[instance].push_back({one.begins, slots, id});
      if (one.ends > one.begins) changes[instance].push_back({one.ends, -slots, id});
    }
  }
  return changes;
}

std::string time_text(Instant at) {
  return at == Instant{} ? "at a time that is not understood" : format_utc(at);
}

std::string hosts_text(const std::vector<std::string>& hosts) {
  const size_t others = hosts.size() - 1;
  return hosts.front() + (others == 0 ? "" : " and " + std::to_string(others) + " more");
}

}  // namespace

void ReservedSlots::refresh() {
  if (--looks_to_asking_ > 0) return;
  unknown_.begin();
  const Status learnt = learn();
  if (!learnt) {
    unknown_.see("advance reservations are as last known, if ever: " + describe(learnt.error()));
  }
  looks_to_asking_ = learnt ? 0 : kLooksUntilAgain;
}

/// The list names no slots; it shows which reservations are new or were altered.
Status ReservedSlots::learn() {
  Result<GridEngineReservations> listed = cell_.reservations();
  if (!listed) return tl::unexpected(listed.error());
  const bool renewed = --looks_to_renewal_ <= 0;
  std::vector<std::string> fresh;
  std::map<std::string, GridEngineReservation> known;
  for (GridEngineReservation& one : listed->made) {
    const auto before = known_.find(one.id);
    const bool same = !renewed && before != known_.end() && before->second.begins == one.begins &&
                      before->second.ends == one.ends;
    if (!same && fresh.size() == kAskedAtOnce) {  // the next look asks for it
      if (before != known_.end()) known.insert(*before);
      continue;
    }
    if (same) one.slots = before->second.slots;
    if (!same) fresh.push_back(one.id);
    known[one.id] = std::move(one);
  }
  unknown_.see(listed->unknown);
  if (fresh.empty() && known.size() == known_.size()) return {};
  Result<GridEngineReservations> details = cell_.reservations_of(fresh);
  if (!details) return tl::unexpected(details.error());
  for (GridEngineReservation& one : details->made) {
    const auto place = known.find(one.id);
    if (place != known.end()) place->second.slots = std::move(one.slots);
  }
  if (renewed) looks_to_renewal_ = kLooksBetween;
  known_ = std::move(known);
  count();
  return {};
}

void ReservedSlots::count() {
  begins_.clear();
  for (auto& [instance, changes] : changes_of(known_)) {
    std::sort(changes.begin(), changes.end());
    int64_t slots = 0;
    for (const Change& change : changes) {
      slots += change.slots;
      if (change.slots > 0) begins_[instance].push_back({change.id, slots});
    }
  }
}

int32_t ReservedSlots::on(const GridEngineInstance& instance) const {
  const auto found = begins_.find(instance_name(instance));
  if (found == begins_.end()) return 0;
  int64_t most = 0;
  for (const Begin& begin : found->second) most = std::max(most, begin.slots);
  return static_cast<int32_t>(std::min<int64_t>(most, instance.total));
}

int32_t ReservedSlots::taken(const GridEngineInstance& instance, int32_t slots, Instant now) const {
  const auto found = begins_.find(instance_name(instance));
  if (found == begins_.end()) return 0;
  const int32_t all = std::max(slots, instance.total);
  int64_t most = on(instance);
  for (const Begin& begin : found->second) {
    const Instant at = known_.at(begin.id).begins;
    if (at <= now) continue;
    int64_t taken = begin.slots;
    for (const GridEngineJob& job : instance.jobs) {
      const bool unknown = !job.limit_s || job.started == Instant{};
      if (unknown || (at - job.started) / 1000 < *job.limit_s) taken += job.slots;
    }
    most = std::max(most, taken);
  }
  return static_cast<int32_t>(std::min<int64_t>(most, all));
}

std::optional<wire::Horizon> ReservedSlots::horizon(const GridEngineInstance& instance,
                                                    int32_t slots) const {
  const auto found = begins_.find(instance_name(instance));
  if (found == begins_.end()) return std::nullopt;
  for (const Begin& begin : found->second) {
    const GridEngineReservation& one = known_.at(begin.id);
    if (begin.slots < slots || one.ends <= one.begins || one.begins.ms > kYear9999Ms) continue;
    const int64_t from_ms = std::max<int64_t>(0, one.begins.ms);
    return wire::Horizon{label_of(one), from_ms, std::clamp(one.ends.ms, from_ms, kYear9999Ms)};
  }
  return std::nullopt;
}

void ReservedSlots::add_to(std::vector<std::string>& cautions) const {
  size_t named = 0;
  for (const auto& [id, one] : known_) {
    std::vector<std::string> hosts;
    for (const auto& [instance, slots] : one.slots) {
      const size_t at = instance.find('@');
      if (instance.substr(0, at) == cell_.queue_name()) hosts.push_back(instance.substr(at + 1));
    }
    if (hosts.empty() || ++named > kNamedMost) continue;
    cautions.push_back("advance reservation " + label_of(one) + " begins " + time_text(one.begins) +
                       " and ends " + time_text(one.ends) + ": until then its slots of " +
                       hosts_text(hosts) +
                       " count as used, because Grid Engine refuses to close them; qrdel " + id +
                       " gives them back");
  }
  if (named > kNamedMost) {
    cautions.push_back(std::to_string(named - kNamedMost) +
                       " more advance reservations have slots, which count as used");
  }
  unknown_.add_to(cautions);
}

}  // namespace leasehold::agent
