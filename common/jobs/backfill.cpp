// JobModel: EASY backfilling (Lifka, "The ANL/IBM SP scheduling system", 1995).
#include <algorithm>

#include "common/jobs/job_model.hpp"

namespace leasehold {

/// A job that has run longer than it was expected to may end at any moment.
Instant JobModel::expected_end(const RunningJob& row, Instant now) {
  return std::max(now + 1, row.start + row.job.expected_ms());
}

/// When so many slots will be free, by what running jobs are expected to take, and how many more
/// than that. Slots beyond a cap come free for nobody. kNever: not under these caps.
JobModel::Reservation JobModel::reservation(int32_t width, Instant now) const {
  std::vector<std::pair<Instant, uint32_t>> ends;
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].live) ends.emplace_back(expected_end(rows_[i].row, now), i);
  }
  std::sort(ends.begin(), ends.end());
  std::vector<Host> hosts = hosts_;
  Reservation made{kNever, free_ - width};
  for (size_t i = 0; i < ends.size(); ++i) {
    for (uint32_t node = rows_[ends[i].second].first_node; node != UINT32_MAX;
         node = nodes_[node].next) {
      Host& host = hosts[nodes_[node].at.host];
      made.spare -= std::max(0, host.cap - host.used);
      host.used -= nodes_[node].at.slots;
      made.spare += std::max(0, host.cap - host.used);
    }
    // All that end at one instant are counted.
    const bool last = i + 1 == ends.size() || ends[i + 1].first != ends[i].first;
    if (last && made.spare >= 0) {
      made.at = ends[i].first;
      return made;
    }
  }
  return made;
}

std::vector<Job> JobModel::queue_in_order() const {
  std::vector<Job> queue;
  queue.reserve(queued_);
  visit_queued([&queue](const Job& job) { queue.push_back(job); });
  std::sort(queue.begin(), queue.end(), before);
  return queue;
}

void JobModel::start_queued(const Job& job, Instant now) {
  std::vector<Job>& heap = bucket_of(job.width).heap;
  std::erase_if(heap, [&job](const Job& other) { return other.id == job.id; });
  std::make_heap(heap.begin(), heap.end(), [](const Job& a, const Job& b) { return before(b, a); });
  --queued_;
  pending_slots_ -= job.width;
  const RunningJob row{job, now};
  run(row, place(job.width));
  answer_.push_back(row);
}

/// In queue order; the first that does not fit has a reservation, and what starts after it either
/// is expected to have ended by then or leaves enough slots. A job that needs more slots than the
/// cluster may use at all waits for a lease: it cannot be promised any, and holds nobody up.
void JobModel::start_easy(Instant now) {
  if (queued_ == 0 || free_ == 0) return;
  std::optional<Reservation> head;
  for (const Job& job : queue_in_order()) {
    if (free_ == 0) return;
    const bool fits = job.width <= free_;
    if (!fits && !head) {
      const Reservation made = reservation(job.width, now);
      if (made.at != kNever) head = made;
    }
    if (!fits) continue;
    const bool ends_before = !head || now + job.expected_ms() <= head->at;
    if (!ends_before && job.width > head->spare) continue;
    if (!ends_before) head->spare -= job.width;
    start_queued(job, now);
  }
}

}  // namespace leasehold
