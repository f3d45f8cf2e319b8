// The part of ClusterWorkload that saves power.
#include <algorithm>

#include "tests/simulation/cluster_workload.hpp"

namespace leasehold::simulation {

namespace {

constexpr int64_t kGoesOffMs = 30'000;
constexpr int64_t kRepairMs = 1'200'000;

}  // namespace

/// A host that is down or drained is reported as that, as Slurm's word for it comes first.
wire::NotUp ClusterWorkload::not_up(const Place& place) const {
  if (!place.facts.up || place.drained) return wire::NotUp::unsaid;
  switch (place.power.is) {
    case HostPower::Is::goes_off:
      return wire::NotUp::not_now;
    case HostPower::Is::asleep:
      return wire::NotUp::asleep;
    case HostPower::Is::boots:
      return wire::NotUp::waking;
    case HostPower::Is::on:
      break;
  }
  return wire::NotUp::unsaid;
}

/// Slots that are withheld from its own work count as lent.
void ClusterWorkload::keep_on(Place& place) {
  const bool keeps = !place.imported && place.cap && place.cap->slots < place.facts.slots;
  if (place.power.kept_on && !keeps) place.power.idle_since_ms = time_.now_ms();
  place.power.kept_on = keeps;
}

/// It sees its own work alone: that of others is kept by HostPower::kept_on.
bool ClusterWorkload::may_sleep(const Place& place) const {
  return shape_.sleeps_after_ms > 0 && is_up(place) && !place.imported && place.used == 0 &&
         !place.power.kept_on;
}

int64_t ClusterWorkload::power_change_ms(const Place& place) const {
  if (place.power.off()) return place.power.until_ms;
  return may_sleep(place) ? place.power.idle_since_ms + shape_.sleeps_after_ms : INT64_MAX;
}

int64_t ClusterWorkload::next_power_ms() const {
  int64_t next = INT64_MAX;
  if (shape_.sleeps_after_ms == 0) return next;
  for (const Place& place : places_) next = std::min(next, power_change_ms(place));
  return next;
}

void ClusterWorkload::save_power() {
  if (shape_.sleeps_after_ms == 0) return;
  for (Place& place : places_) {
    if (power_change_ms(place) <= time_.now_ms()) change_power(place);
  }
}

void ClusterWorkload::set_power(Place& place, HostPower::Is is, int64_t for_ms) {
  place.power.is = is;
  place.power.until_ms = for_ms == INT64_MAX ? INT64_MAX : time_.now_ms() + for_ms;
  constexpr const char* kWords[] = {"is on", "goes off", "is asleep", "boots"};
  if (note) note("host " + place.facts.name + " " + kWords[static_cast<size_t>(is)]);
}

void ClusterWorkload::change_power(Place& place) {
  switch (place.power.is) {
    case HostPower::Is::on:
      return set_power(place, HostPower::Is::goes_off, kGoesOffMs);
    case HostPower::Is::goes_off:
      return set_power(place, HostPower::Is::asleep);
    case HostPower::Is::boots:
      return end_boot(place);
    case HostPower::Is::asleep:
      break;
  }
}

bool ClusterWorkload::power_fails(Fault fault) {
  if (healed_ || !power_.happens(faults_[fault])) return false;
  faults_.note(fault);
  return true;
}

/// In vain: it sleeps again, or is down until somebody has repaired it.
void ClusterWorkload::end_boot(Place& place) {
  if (power_fails(Fault::host_boots_in_vain)) {
    if (power_.one_in(2)) return set_power(place, HostPower::Is::asleep);
    place.facts.up = false;
    const std::string host = place.facts.name;
    time_.in(power_.span(kRepairMs), [this, host] { set_up(host, true); });
  }
  set_power(place, HostPower::Is::on);
  place.power.idle_since_ms = time_.now_ms();
}

void ClusterWorkload::boot(Place& place) {
  set_power(place, HostPower::Is::boots, power_.span(shape_.boot_ms));
  if (boots) boots();
}

/// Does what a manager does for work of its own that fits only on hosts that are off.
void ClusterWorkload::boot_for(const Waiting& job) {
  if (shape_.sleeps_after_ms == 0) return;
  const auto suits = [&](const Place& place, HostPower::Is is) {
    const bool here = job.unit.only_on.empty() || job.unit.only_on == place.facts.name;
    const bool there = !place.imported && place.present && place.facts.up && !place.drained;
    return here && there && place.power.is == is && open_slots(place) >= job.slots;
  };
  for (const Place& place : places_) {
    if (suits(place, HostPower::Is::boots)) return;
  }
  for (Place& place : places_) {
    if (suits(place, HostPower::Is::asleep)) return boot(place);
  }
}

Status ClusterWorkload::wake(const std::string& host) {
  advance();
  wake_calls_.push_back({host, time_.now_ms()});
  if (Status answered = answer("wake"); !answered) return answered;
  const auto place = std::find_if(places_.begin(), places_.end(), [&host](const Place& one) {
    return !one.imported && one.present && one.facts.name == host;
  });
  if (place == places_.end()) return fail(ErrorCode::unknown, "wake: no host " + host);
  const bool asleep = !still_ && place->power.is == HostPower::Is::asleep;
  if (asleep && !power_fails(Fault::host_wake_ignored)) boot(*place);
  return {};
}

}  // namespace leasehold::simulation
