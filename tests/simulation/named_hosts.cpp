#include "tests/simulation/named_hosts.hpp"

#include <algorithm>
#include <filesystem>

#include "common/check.hpp"

namespace leasehold::simulation {

namespace {

constexpr int32_t kSlotsOfEach = 4;
constexpr int kThings = 200;
constexpr size_t kHostsMost = 12;
constexpr size_t kMapped = 4;

std::string mapped_name(size_t number) {
  return "w-" + std::to_string(number);
}

}  // namespace

NamedHosts::NamedHosts(uint64_t seed, std::string folder)
    : chance_(Chance(seed ^ 0x4057U).fork()), folder_(std::move(folder)) {
  names_.rule = "imp-{host}";
  for (size_t i = 0; i < kMapped; ++i) {
    names_.map["h" + std::to_string(i) + "@west"] = mapped_name(i);
  }
  start();
}

/// Starts an agent, possibly after another one: its knowledge is in the files.
void NamedHosts::start() {
  started_ = false;
  auto journal = agent::CapJournal::open(folder_ + "fences");
  auto owners = agent::HostOwners::open(names_, folder_ + "fences.hosts", false);
  LEASEHOLD_CHECK(journal && owners, "the files that it wrote can be read");
  journal_ = std::move(*journal);
  owners_ = std::move(*owners);
}

std::optional<NamedHosts::Wrong> NamedHosts::run() {
  for (int thing = 0; thing < kThings; ++thing) {
    happen();
    if (auto wrong = look()) return wrong;
  }
  return std::nullopt;
}

void NamedHosts::happen() {
  if (hosts_.size() < kHostsMost && chance_.one_in(4)) {
    return chance_.one_in(2) ? add_own() : add_others();
  }
  if (chance_.one_in(10)) {
    if (chance_.one_in(2)) std::filesystem::remove(folder_ + "fences");
    return start();
  }
  if (chance_.one_in(10)) {
    for (NamedHost& host : hosts_) host.fenced = 0;  // the workload manager forgot them
    return;
  }
  if (hosts_.empty()) return;
  const int64_t at = chance_.below(static_cast<int64_t>(hosts_.size()));
  NamedHost& host = hosts_[static_cast<size_t>(at)];
  if (!chance_.one_in(2)) return change_by_hand(host);
  if (!started_ || host.unclear) return;
  if (chance_.one_in(3)) return order_ends(host);
  order(host);
}

/// Adds an own host. One that the rule could have named has slots: nothing else would tell it from
/// another's.
void NamedHosts::add_own() {
  NamedHost host;
  host.unclear = chance_.one_in(2);
  host.name = (host.unclear ? "imp-own" : "own") + std::to_string(++made_);
  host.drained = !host.unclear && chance_.one_in(2);
  host.works = chance_.one_in(2);
  hosts_.push_back(std::move(host));
}

/// Adds another's host: by the map, in any state, or by the rule, closed and without work.
void NamedHosts::add_others() {
  NamedHost host;
  host.others = true;
  if (mapped_ < kMapped && chance_.one_in(2)) {
    host.name = mapped_name(mapped_++);
    host.drained = chance_.one_in(2);
    host.works = chance_.one_in(2);
  } else {
    host.name = "imp-h" + std::to_string(++made_);
    host.drained = true;
  }
  hosts_.push_back(std::move(host));
}

/// Writes the journal first, as every adapter does. Only this opens a host of another.
void NamedHosts::order(NamedHost& host) {
  agent::HostCap cap;
  cap.host = host.name;
  cap.imported = host.others;
  cap.slots = static_cast<int32_t>(chance_.below(kSlotsOfEach + 1));
  cap.parts = {{1, 0, cap.slots, host.others ? 0 : kSlotsOfEach}};
  LEASEHOLD_CHECK(journal_->put(std::vector{cap}), "the journal can be written");
  host.ordered = true;
  host.fenced = kSlotsOfEach - cap.slots;
  if (host.others) host.drained = false;
}

void NamedHosts::order_ends(NamedHost& host) {
  agent::HostCap cap;
  cap.host = host.name;
  LEASEHOLD_CHECK(journal_->put(std::vector{cap}), "the journal can be written");
  host.fenced = host.others ? kSlotsOfEach : 0;
}

void NamedHosts::change_by_hand(NamedHost& host) {
  if (chance_.one_in(2)) {
    host.works = !host.works && !host.drained;
  } else if (!host.unclear) {
    host.drained = !host.drained;
  }
}

/// A start is refused while the owner of an own host is unclear: such hosts are then removed.
std::optional<NamedHosts::Wrong> NamedHosts::look() {
  std::vector<agent::HostSeen> seen;
  for (const NamedHost& host : hosts_) {
    seen.push_back({host.name, host.drained ? 0 : kSlotsOfEach, host.works, host.fenced > 0});
  }
  LEASEHOLD_CHECK(owners_->learn(seen, *journal_), "its notes can be written");
  if (!started_ && !owners_->refused()) {
    std::erase_if(hosts_, [this](const NamedHost& host) { return owners_->unclear(host.name); });
    return std::nullopt;
  }
  started_ = true;
  enforce();
  for (const NamedHost& host : hosts_) {
    if (auto wrong = judge(host)) return wrong;
  }
  return std::nullopt;
}

/// Hosts of others are closed until a cap opens them; a lost fence is set again.
void NamedHosts::enforce() {
  for (NamedHost& host : hosts_) {
    const agent::HostCap* cap = journal_->find(host.name);
    if (cap != nullptr) host.fenced = kSlotsOfEach - cap->slots;
    if (cap == nullptr && owners_->others(host.name)) host.fenced = kSlotsOfEach;
  }
}

std::optional<NamedHosts::Wrong> NamedHosts::judge(const NamedHost& host) const {
  if (!host.others && !host.ordered && host.fenced > 0) {
    return Wrong{Invariant::own_host_closed, host.name + " is closed, and no order spoke of it"};
  }
  const bool ordered = journal_->find(host.name) != nullptr;
  if (host.others && !ordered && host.fenced < kSlotsOfEach) {
    return Wrong{Invariant::others_host_open,
                 host.name + (owners_->unclear(host.name) ? " is called unclear" : " is open") +
                     ", and no order gave a slot of it"};
  }
  return std::nullopt;
}

}  // namespace leasehold::simulation
