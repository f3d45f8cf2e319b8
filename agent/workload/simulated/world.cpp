#include "agent/workload/simulated/world.hpp"

#include <algorithm>

namespace leasehold::agent {

SimulatedWorld::SimulatedWorld(const std::vector<wire::HostFacts>& own_hosts, StoredWorld stored,
                               JobSource source)
    : stored_(std::move(stored)), source_(std::move(source)) {
  for (const wire::HostFacts& facts : own_hosts) {
    hosts_[host_number(facts.name, false)].slots = facts.slots;
  }
  for (const std::string& name : stored_.imported) host_number(name, true);
  resume_jobs(stored_.jobs);
  stored_.jobs.clear();
  for (uint32_t host = 0; host < hosts_.size(); ++host) apply_cap(host);
  next_ = source_();
  note_peaks();
}

uint32_t SimulatedWorld::host_number(const std::string& name, bool imported) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  const uint32_t number = model_.add_host(0, 0);
  hosts_.push_back({name, 0, imported});
  numbers_.emplace(name, number);
  return number;
}

void SimulatedWorld::resume_jobs(const std::vector<StoredJob>& jobs) {
  for (const StoredJob& stored : jobs) {
    live_[stored.job.id] = {stored.job, stored.running, stored.start};
    if (!stored.running) {
      model_.arrive(stored.job);
      continue;
    }
    std::vector<SlotsOnHost> placement;
    // A host that is neither configured nor imported any more keeps the job until it ends.
    for (const auto& [host, slots] : stored.slots) {
      placement.push_back({host_number(host, false), slots});
    }
    model_.resume(stored.job, stored.start, placement);
  }
}

void SimulatedWorld::apply_cap(uint32_t number) {
  const Host& host = hosts_[number];
  const auto cap = stored_.caps.find(host.name);
  int32_t slots = host.imported ? 0 : host.slots;
  int32_t own = slots;
  if (cap != stored_.caps.end()) {
    slots = host.imported ? cap->second.slots : std::min(slots, cap->second.slots);
    own = std::min(own, cap->second.own);
  }
  model_.set_own(number, own);
  model_.set_cap(number, down_.contains(host.name) ? 0 : slots);
}

void SimulatedWorld::advance(int64_t to_ms) {
  while (true) {
    const int64_t next = next_event_ms();
    if (next > to_ms) break;
    stored_.virtual_ms = std::max(stored_.virtual_ms, next);
    end_jobs();
    end_leases();
    take_arrivals();
    start_jobs();
  }
  stored_.virtual_ms = std::max(stored_.virtual_ms, to_ms);
}

int64_t SimulatedWorld::next_event_ms() const {
  const int64_t arrival = next_ ? next_->arrival.ms : INT64_MAX;
  return std::min({arrival, model_.next_completion().ms, next_lease_ms()});
}

void SimulatedWorld::set_lease_until(int64_t until_ms, const std::string& boot) {
  stored_.lease_until_ms = until_ms;
  stored_.boot = boot;
  stored_.leases_ended = false;
  lease_end_ms_ = INT64_MAX;
}

void SimulatedWorld::place_lease_end(int64_t virtual_ms, int64_t speed_milli) {
  speed_milli_ = speed_milli;
  lease_end_ms_ = stored_.lease_until_ms == INT64_MAX ? INT64_MAX : virtual_ms;
}

/// Returns when the grace of work on an imported host ends; INT64_MAX: no lease has ended, or
/// nothing runs there.
int64_t SimulatedWorld::grace_end_ms(uint32_t number) const {
  const Host& host = hosts_[number];
  if (!host.imported || !stored_.leases_ended || model_.used(number) == 0) return INT64_MAX;
  const auto cap = stored_.caps.find(host.name);
  const int64_t grace_ms = cap == stored_.caps.end() ? 0 : cap->second.grace_ms;
  // In two parts, so that years at a high speed do not overflow.
  return lease_end_ms_ + grace_ms / 1000 * speed_milli_ + grace_ms % 1000 * speed_milli_ / 1000;
}

int64_t SimulatedWorld::next_lease_ms() const {
  if (lease_end_ms_ == INT64_MAX) return INT64_MAX;
  if (!stored_.leases_ended) return lease_end_ms_;
  int64_t next = INT64_MAX;
  for (uint32_t host = 0; host < hosts_.size(); ++host) next = std::min(next, grace_end_ms(host));
  return next;
}

/// Closes imported hosts at the instant, and requeues what still runs there when its grace is over.
void SimulatedWorld::end_leases() {
  if (lease_end_ms_ > stored_.virtual_ms) return;
  if (!stored_.leases_ended) {
    for (auto& [name, cap] : stored_.caps) {
      if (cap.imported) cap.slots = 0;
    }
    stored_.leases_ended = caps_changed_ = true;
    for (uint32_t host = 0; host < hosts_.size(); ++host) apply_cap(host);
  }
  for (uint32_t host = 0; host < hosts_.size(); ++host) {
    if (grace_end_ms(host) <= stored_.virtual_ms) requeue_all(host);
  }
}

void SimulatedWorld::requeue_all(uint32_t host) {
  std::vector<uint64_t> there;
  model_.visit_running([&](const RunningJob& running, std::span<const SlotsOnHost> placement) {
    const auto on_host = [host](const SlotsOnHost& at) { return at.host == host; };
    if (std::any_of(placement.begin(), placement.end(), on_host)) there.push_back(running.job.id);
  });
  for (const uint64_t id : there) {
    model_.requeue(id);
    live_.at(id).running = false;
    touched_.insert(id);
  }
}

void SimulatedWorld::end_jobs() {
  for (const RunningJob& ended : model_.complete({stored_.virtual_ms})) {
    live_.erase(ended.job.id);
    touched_.insert(ended.job.id);
    ++stored_.ended;
  }
}

void SimulatedWorld::take_arrivals() {
  while (next_ && next_->arrival.ms <= stored_.virtual_ms) {
    model_.arrive(*next_);
    live_[next_->id] = {*next_, false, {}};
    touched_.insert(next_->id);
    ++stored_.arrived;
    next_ = source_();
  }
}

void SimulatedWorld::start_jobs() {
  for (const RunningJob& started : model_.start({stored_.virtual_ms})) {
    live_[started.job.id] = {started.job, true, started.start};
    touched_.insert(started.job.id);
    ++stored_.started;
    stored_.wait_ms_total += started.start - started.job.arrival;
  }
  note_peaks();
}

void SimulatedWorld::note_peaks() {
  for (uint32_t host = 0; host < hosts_.size(); ++host) {
    Peaks& peaks = stored_.peaks[hosts_[host].name];
    peaks.now = std::max(peaks.now, model_.used(host));
  }
}

void SimulatedWorld::turn_peaks() {
  for (uint32_t host = 0; host < hosts_.size(); ++host) {
    Peaks& peaks = stored_.peaks[hosts_[host].name];
    peaks = {model_.used(host), peaks.now};
  }
}

void SimulatedWorld::set_caps(std::span<const HostCap> caps) {
  for (const HostCap& cap : caps) {
    const uint32_t number = host_number(cap.host, cap.imported);
    if (cap.imported && std::find(stored_.imported.begin(), stored_.imported.end(), cap.host) ==
                            stored_.imported.end()) {
      stored_.imported.push_back(cap.host);
    }
    hosts_[number].imported = cap.imported;
    if (cap.parts.empty()) {
      stored_.caps.erase(cap.host);
    } else {
      stored_.caps[cap.host] = cap;
    }
    if (cap.imported && !cap.parts.empty() && stored_.leases_ended) {
      stored_.caps[cap.host].slots = 0;
    }
    // The use under earlier leases says nothing about the next one.
    if (cap.imported && cap.parts.empty()) stored_.peaks[cap.host] = {};
    apply_cap(number);
  }
  caps_changed_ = true;
  start_jobs();
}

void SimulatedWorld::set_down(const std::vector<std::string>& hosts) {
  const std::set<std::string> down(hosts.begin(), hosts.end());
  if (down == down_) return;
  down_ = down;
  for (uint32_t host = 0; host < hosts_.size(); ++host) apply_cap(host);
  start_jobs();
}

bool SimulatedWorld::requeue(uint64_t id) {
  if (!model_.requeue(id)) return false;
  Live& live = live_.at(id);
  live.running = false;
  touched_.insert(id);
  start_jobs();
  return true;
}

int32_t SimulatedWorld::used(const std::string& host) const {
  const auto found = numbers_.find(host);
  return found == numbers_.end() ? 0 : model_.used(found->second);
}

int32_t SimulatedWorld::peak(const std::string& host) const {
  const auto found = stored_.peaks.find(host);
  return found == stored_.peaks.end() ? 0 : std::max(found->second.now, found->second.before);
}

std::vector<WorkUnit> SimulatedWorld::units() const {
  std::vector<WorkUnit> units;
  for (const auto& [id, live] : live_) {
    const StoredJob job = stored_job(id, live);
    WorkUnit unit;
    unit.id = std::to_string(id);
    unit.slots = live.job.width;
    unit.submitted = live.job.arrival;
    if (job.running) unit.started = job.start;
    for (const auto& [host, slots] : job.slots) unit.hosts.push_back({host, slots});
    units.push_back(std::move(unit));
  }
  return units;
}

void SimulatedWorld::visit_jobs(const VisitJob& visit) const {
  for (const auto& [id, live] : live_) {
    visit(live.job, live.running ? std::optional(live.start) : std::nullopt);
  }
}

StoredJob SimulatedWorld::stored_job(uint64_t id, const Live& live) const {
  StoredJob stored{live.job, live.running, live.start, {}};
  if (!live.running) return stored;
  for (const SlotsOnHost& at : model_.placement(id)) {
    // A job on own and on leased slots of one host is placed there twice, but the file has one row.
    const std::string& name = hosts_[at.host].name;
    const auto same = std::find_if(stored.slots.begin(), stored.slots.end(),
                                   [&name](const auto& entry) { return entry.first == name; });
    if (same == stored.slots.end()) {
      stored.slots.emplace_back(name, at.slots);
    } else {
      same->second += at.slots;
    }
  }
  return stored;
}

JobsFile::Change SimulatedWorld::changes() const {
  JobsFile::Change change{stored_, {}, {}, caps_changed_};
  for (const uint64_t id : touched_) {
    const auto live = live_.find(id);
    if (live == live_.end()) {
      change.ended.push_back(id);
    } else {
      change.live.push_back(stored_job(id, live->second));
    }
  }
  return change;
}

void SimulatedWorld::changes_saved() {
  touched_.clear();
  caps_changed_ = false;
}

}  // namespace leasehold::agent
