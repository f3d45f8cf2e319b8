#include "tests/simulation/cluster_workload.hpp"

#include <algorithm>

namespace leasehold::simulation {

namespace {

constexpr size_t kWaitingMost = 40;
constexpr int32_t kClaimedSlots = 3;
constexpr int64_t kHangMs = 20'000;
constexpr int64_t kRushMs = 60'000;

/// Returns the parts for people: generation.host limit/exported.
std::string parts_of(const agent::HostCap& cap) {
  std::string text;
  for (const agent::CapPart& part : cap.parts) {
    text += " (" + std::to_string(part.generation) + "." + std::to_string(part.host) + " " +
            std::to_string(part.limit) + "/" + std::to_string(part.exported) + ")";
  }
  return text;
}

}  // namespace

ClusterWorkload::ClusterWorkload(Timeline& time, Chance chance, WorkloadShape shape,
                                 FaultPlan& faults, Remote remote)
    : time_(time),
      chance_(chance),
      verdicts_(Chance(chance).fork()),
      power_(Chance(verdicts_).fork()),
      shape_(shape),
      faults_(faults),
      remote_(std::move(remote)) {
  next_arrival_ms_ = time_.now_ms() + chance_.span(shape_.arrival_ms);
}

agent::WorkloadTraits ClusterWorkload::traits() const {
  agent::WorkloadTraits traits;
  traits.manager = "simulated";
  traits.settle_ms = shape_.settle_ms;
  traits.self_expiring = shape_.self_expiring;
  return traits;
}

/// Decides whether a call is answered at all.
Status ClusterWorkload::answer(const char* call) {
  if (hung_) {
    faults_.note(Fault::workload_hangs);
    std::exchange(hung_, nullptr)(kHangMs);
    return fail(ErrorCode::io, std::string(call) + ": no answer within its time");
  }
  if (time_.now_ms() >= fails_until_ms_) return {};
  return fail(ErrorCode::io, std::string(call) + ": refused");
}

void ClusterWorkload::add_host(const wire::HostFacts& facts) {
  Place place;
  place.facts = facts;
  place.power.idle_since_ms = time_.now_ms();
  places_.push_back(std::move(place));
}

size_t ClusterWorkload::place_of(const std::string& name, bool imported) {
  for (size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].facts.name == name) return i;
  }
  Place place;
  place.facts.name = name;
  place.imported = imported;
  places_.push_back(std::move(place));
  return places_.size() - 1;
}

bool ClusterWorkload::is_up(const Place& place) const {
  if (!place.imported) {
    return place.present && place.facts.up && !place.drained && !place.power.off();
  }
  const wire::HostFacts* real = remote_(place.facts.name);
  return real != nullptr && real->up;
}

int32_t ClusterWorkload::capacity(const Place& place) const {
  return place.imported ? 0 : place.facts.slots;
}

int32_t ClusterWorkload::open_slots(const Place& place) const {
  const int32_t cap = place.cap ? place.cap->slots : capacity(place);
  int32_t open = cap;
  for (const Place::Lag& lag : place.lags) {
    if (time_.now_ms() < lag.ends_ms) open = std::max(open, lag.slots);
  }
  return open;
}

/// The host is indivisible from some look on, so that slots that were lent one by one have to come
/// together.
wire::Division ClusterWorkload::division_of(const Place& place) const {
  using Indivisible = WorkloadShape::Indivisible;
  const bool asked =
      shape_.indivisible == (place.imported ? Indivisible::imported : Indivisible::own);
  const bool first = place.facts.name.find('1') != std::string::npos;
  const bool one = asked && first && looks_ > shape_.divides_until_look;
  return one ? wire::Division::pinned_cores : wire::Division::unsaid;
}

/// There is a reservation every five hours, for an hour, known two and a half hours before. The
/// owner's work goes on meanwhile; a host that is not available is shown by `up`, which faults
/// change.
std::optional<wire::Horizon> ClusterWorkload::horizon_of(const Place& place) const {
  constexpr int64_t kHourMs = 3'600'000;
  if (!shape_.reserves || place.facts.name.find('1') == std::string::npos) return std::nullopt;
  const int64_t begin = (time_.now_ms() / (5 * kHourMs) + 1) * 5 * kHourMs;
  if (begin - time_.now_ms() > 5 * kHourMs / 2) return std::nullopt;
  return wire::Horizon{"maint", begin, begin + kHourMs};
}

Result<agent::View> ClusterWorkload::read(std::span<const std::string> imported) {
  advance();
  if (Status answered = answer("read"); !answered) return tl::unexpected(answered.error());
  ++looks_;
  renew_fences();
  for (const std::string& name : imported) place_of(name, true);
  const bool miss = time_.now_ms() < missed_until_ms_;
  const size_t missed = miss ? missed_ : places_.size();
  agent::View view;
  for (size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    if (place.cap) view.caps.push_back(*place.cap);
    const bool asked = !place.imported || std::find(imported.begin(), imported.end(),
                                                    place.facts.name) != imported.end();
    if (!place.present || i == missed || !asked) continue;
    if (!place.imported) {
      view.hosts.push_back(place.facts);
      view.hosts.back().up = is_up(place);
      view.hosts.back().not_up = not_up(place);
    }
    const int32_t peak = std::max({place.used, place.peak, place.peak_before});
    view.loads.push_back({place.facts.name, place.imported, is_up(place), place.used, peak});
    const wire::Division division = division_of(place);
    view.loads.back().division = division;
    if (!place.imported) view.hosts.back().division = division;
    if (!place.imported) view.hosts.back().horizon = horizon_of(place);
    place.peak_before = std::exchange(place.peak, place.used);
  }
  view.leases_until_ms = lease_until_ms_;
  agent::WorkShapes& shapes = view.shapes.emplace();
  shapes.now = {work_ms()};
  for (const Waiting& job : waiting_) {
    if (kept_back(job.unit)) continue;
    view.pending += job.slots;
    shapes.waiting.push_back({job.slots, 1, job.slots, wire::time_class(job.run_ms)});
  }
  if (shape_.claims) {
    view.pending += kClaimedSlots;
    shapes.waiting.push_back({1, 1, kClaimedSlots, wire::TimeClass::hour_1});
  }
  for (const Job& job : jobs_) {
    view.running += job.slots;
    shapes.running.push_back({std::to_string(job.id), job.slots, {job.started_ms}, {job.ends_ms}});
  }
  return view;
}

void ClusterWorkload::set_cap(const agent::HostCap& cap) {
  Place& place = places_[place_of(cap.host, cap.imported)];
  const int32_t before = place.cap ? place.cap->slots : capacity(place);
  if (cap.parts.empty()) {
    place.cap.reset();
  } else {
    place.cap = cap;
    if (cap.imported && leases_over()) place.cap->slots = 0;
  }
  keep_on(place);
  const int32_t now = place.cap ? place.cap->slots : capacity(place);
  if (too_little_ && before > now + 1 && place.cap) {
    too_little_ = false;
    faults_.note(Fault::workload_fences_too_little);
    place.cap->slots = static_cast<int32_t>(chance_.between(now + 1, before));
  }
  std::erase_if(place.lags, [this](const auto& lag) { return lag.ends_ms <= time_.now_ms(); });
  if (now < before && shape_.settle_ms > 0) {
    // The agent's clock may be faster by half a percent than the one that this lag is measured by.
    place.lags.push_back({before, time_.now_ms() + chance_.below(shape_.settle_ms * 98 / 100)});
  }
  if (place.excused_at) place.excused_at = now;
  excuses_over(place);
  if (note) {
    note("cap " + cap.host + " " + std::to_string(before) + " -> " + std::to_string(now) +
         ", used " + std::to_string(place.used) + parts_of(cap));
  }
}

Status ClusterWorkload::enforce(std::span<const agent::HostCap> caps) {
  advance();
  if (Status answered = answer("enforce"); !answered) return answered;
  const bool half = std::exchange(half_done_, false);
  if (half) faults_.note(Fault::workload_half_done);
  for (size_t i = 0; i < (half ? caps.size() / 2 : caps.size()); ++i) set_cap(caps[i]);
  renew_fences();
  start_waiting();
  if (half) return fail(ErrorCode::io, "enforce: failed half way");
  return {};
}

Status ClusterWorkload::fence_resources(std::span<const wire::ConfiguredResource>) {
  return answer("resources");
}

int64_t ClusterWorkload::next_change_in_ms() {
  const int64_t next = next_ms();
  return next == INT64_MAX ? INT64_MAX : std::max<int64_t>(0, next - time_.now_ms());
}

int64_t ClusterWorkload::next_ms() const {
  if (still_) return INT64_MAX;
  int64_t next = arrivals_ ? next_arrival_ms_ : INT64_MAX;
  for (const Job& job : jobs_) next = std::min(next, job.ends_ms);
  return std::min({next, next_lease_ms(), next_fence_ms(), next_power_ms()});
}

void ClusterWorkload::use(size_t place, int32_t slots) {
  Place& at = places_[place];
  at.used += slots;
  at.peak = std::max(at.peak, at.used);
  if (at.used == 0) at.power.idle_since_ms = time_.now_ms();
  if (slots < 0) excuses_over(at);
}

/// An excuse for a fence that the manager lost ends when no more is open or used than was asked
/// for.
void ClusterWorkload::excuses_over(Place& place) {
  if (!place.excused_at || !place.cap) return;
  if (std::max(place.used, open_slots(place)) <= *place.excused_at) place.excused_at.reset();
}

void ClusterWorkload::advance() {
  if (still_) return;
  const int64_t now = time_.now_ms();
  for (size_t i = 0; i < jobs_.size();) {
    if (jobs_[i].ends_ms > now) {
      ++i;
      continue;
    }
    use(jobs_[i].place, -jobs_[i].slots);
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  end_leases();
  end_fences();
  for (Place& place : places_) excuses_over(place);
  while (arrivals_ && next_arrival_ms_ <= now) arrive();
  save_power();
  start_waiting();
}

void ClusterWorkload::arrive() {
  const int64_t at = next_arrival_ms_;
  next_arrival_ms_ += chance_.span(shape_.arrival_ms);
  const int64_t round = shape_.burst_ms + shape_.idle_ms;
  if (round > 0 && at % round >= shape_.burst_ms) next_arrival_ms_ += round - at % round;
  const auto width = static_cast<int32_t>(chance_.between(1, shape_.width_most));
  if (waiting_.size() >= kWaitingMost) return;
  Waiting job{width, chance_.span(shape_.run_ms)};
  if (shape_.tells_fits) judge(job.unit);
  queue(std::move(job), false);
}

void ClusterWorkload::rush() {
  if (still_ || !arrivals_) return;
  advance();
  for (const Place& place : places_) {
    for (int32_t slot = place.used; slot < open_slots(place); ++slot) {
      if (waiting_.size() < kWaitingMost) queue({1, chance_.span(kRushMs)}, false);
    }
  }
  start_waiting();
}

/// Starts work by first fit in order of arrival, on own hosts before those of others, in the order
/// of places_.
void ClusterWorkload::start_waiting() {
  if (still_ || waiting_.empty()) return;
  const int64_t now = time_.now_ms();
  for (auto job = waiting_.begin(); job != waiting_.end();) {
    size_t found = places_.size();
    for (size_t i = 0; i < places_.size() && found == places_.size(); ++i) {
      const Place& place = places_[i];
      const bool fits = open_slots(place) - place.used >= job->slots;
      if (fits && may_start(place, job->unit)) found = i;
    }
    if (found == places_.size()) {
      if (now >= job->unit.held_until_ms) boot_for(*job);
      ++job;
      continue;
    }
    const uint64_t id = job->unit.id > 0 ? job->unit.id : job_next_++;
    jobs_.push_back({id, found, job->slots, now, now + job->run_ms, job->unit});
    use(found, job->slots);
    job = waiting_.erase(job);
  }
}

}  // namespace leasehold::simulation
