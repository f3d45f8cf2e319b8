#include "common/jobs/slots.hpp"

#include <algorithm>

#include "common/check.hpp"

namespace leasehold {
namespace {

int32_t open_slots(int32_t cap, int32_t used) {
  return std::max(0, cap - used);
}

}  // namespace

uint32_t JobSlots::add_host(int32_t own, int32_t cap) {
  hosts_.push_back({own, cap, 0});
  free_ += open_slots(cap, 0);
  return static_cast<uint32_t>(hosts_.size() - 1);
}

void JobSlots::set_cap(uint32_t host, int32_t cap) {
  Host& h = hosts_[host];
  free_ += open_slots(cap, h.used) - open_slots(h.cap, h.used);
  h.cap = cap;
}

int32_t JobSlots::open_on(uint32_t host) const {
  return open_slots(hosts_[host].cap, hosts_[host].used);
}

/// Negative slots are given back.
void JobSlots::use(uint32_t host, int32_t slots) {
  LEASEHOLD_CHECK(host < hosts_.size(), "a job lies on a host that was never added");
  Host& h = hosts_[host];
  free_ += open_slots(h.cap, h.used + slots) - open_slots(h.cap, h.used);
  h.used += slots;
  used_ += slots;
}

bool JobSlots::fits(const Job& job) {
  if (job.width > free_) return false;
  return job.hosts == 0 || pick_hosts(job, {});
}

bool JobSlots::pick_hosts(const Job& job, std::span<const int32_t> at_most) {
  picks_.clear();
  const int32_t part = job.width / job.hosts;
  int32_t larger = job.width % job.hosts;
  int32_t smaller = job.hosts - larger;
  for (uint32_t host = 0; host < hosts_.size() && larger + smaller > 0; ++host) {
    const int32_t open = at_most.empty() ? open_on(host) : at_most[host];
    if (larger > 0 && open > part) {
      picks_.push_back({host, part + 1});
      --larger;
    } else if (smaller > 0 && open >= part) {
      picks_.push_back({host, part});
      --smaller;
    }
  }
  return larger + smaller == 0;
}

JobSlots::Chain JobSlots::take(const Job& job) {
  return job.hosts == 0 ? take_anywhere(job.width) : take(picks_);
}

JobSlots::Chain JobSlots::take(std::span<const SlotsOnHost> slots) {
  Chain first = kNone;
  Chain tail = kNone;
  for (const SlotsOnHost& at : slots) append(first, tail, at);
  return first;
}

/// Takes own slots over all hosts first, then leased ones. The caller knows that the job fits.
JobSlots::Chain JobSlots::take_anywhere(int32_t width) {
  Chain first = kNone;
  Chain tail = kNone;
  for (const bool own : {true, false}) {
    for (uint32_t i = 0; i < hosts_.size() && width > 0; ++i) {
      const Host& h = hosts_[i];
      const int32_t slots =
          std::min(open_slots(own ? std::min(h.own, h.cap) : h.cap, h.used), width);
      if (slots == 0) continue;
      width -= slots;
      append(first, tail, {i, slots});
    }
  }
  LEASEHOLD_CHECK(width == 0, "a job was started that does not fit");
  return first;
}

void JobSlots::append(Chain& first, Chain& tail, const SlotsOnHost& at) {
  use(at.host, at.slots);
  auto node = static_cast<uint32_t>(nodes_.size());
  if (nodes_free_.empty()) {
    nodes_.emplace_back();
  } else {
    node = nodes_free_.back();
    nodes_free_.pop_back();
  }
  nodes_[node] = {at, kNone};
  (first == kNone ? first : nodes_[tail].next) = node;
  tail = node;
}

void JobSlots::give_back(Chain chain) {
  for (; chain != kNone; chain = nodes_[chain].next) {
    use(nodes_[chain].at.host, -nodes_[chain].at.slots);
    nodes_free_.push_back(chain);
  }
}

}  // namespace leasehold
