// JobModel: placement of jobs on hosts.
#include <algorithm>

#include "common/check.hpp"
#include "common/jobs/job_model.hpp"

namespace leasehold {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

}  // namespace

int32_t JobModel::open_on(uint32_t host) const {
  return std::max(0, hosts_[host].cap - hosts_[host].used);
}

bool JobModel::fits(const Job& job) {
  if (job.width > free_) return false;
  return job.hosts == 0 || pick_hosts(job, {});
}

/// Picks the hosts in one walk: a host with room for a larger part takes one while any is left, and
/// is not kept for a smaller one. `at_most` bounds the slots taken of each host; if it is empty,
/// all open ones may be.
bool JobModel::pick_hosts(const Job& job, std::span<const int32_t> at_most) {
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

/// Places a job that fits; one with hosts goes where pick_hosts() last found room.
uint32_t JobModel::place(const Job& job) {
  return job.hosts == 0 ? place_anywhere(job.width) : place_on_hosts();
}

uint32_t JobModel::place_on_hosts() {
  uint32_t first = kNone;
  uint32_t tail = kNone;
  for (const SlotsOnHost& at : picks_) {
    use(at.host, at.slots);
    tail = append_node(tail, at.host, at.slots);
    if (first == kNone) first = tail;
  }
  return first;
}

/// Takes own slots over all hosts first, then leased ones. The caller knows that the job fits.
uint32_t JobModel::place_anywhere(int32_t width) {
  uint32_t first = kNone;
  uint32_t tail = kNone;
  for (const bool own : {true, false}) {
    for (uint32_t i = 0; i < hosts_.size() && width > 0; ++i) {
      const Host& h = hosts_[i];
      const int32_t open = std::max(0, (own ? std::min(h.own, h.cap) : h.cap) - h.used);
      const int32_t slots = std::min(open, width);
      if (slots == 0) continue;
      use(i, slots);
      width -= slots;
      tail = append_node(tail, i, slots);
      if (first == kNone) first = tail;
    }
  }
  LEASEHOLD_CHECK(width == 0, "a job was started that does not fit");
  return first;
}

uint32_t JobModel::append_node(uint32_t tail, uint32_t host, int32_t slots) {
  uint32_t node = static_cast<uint32_t>(nodes_.size());
  if (nodes_free_.empty()) {
    nodes_.emplace_back();
  } else {
    node = nodes_free_.back();
    nodes_free_.pop_back();
  }
  nodes_[node] = {{host, slots}, kNone};
  if (tail != kNone) nodes_[tail].next = node;
  return node;
}

}  // namespace leasehold
