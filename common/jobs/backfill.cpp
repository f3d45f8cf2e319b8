// JobModel: EASY backfilling (Lifka, "The ANL/IBM SP scheduling system", 1995).
#include <algorithm>
#include <tuple>

#include "common/jobs/job_model.hpp"

namespace leasehold {

/// Returns the expected end. A job that has run longer than expected may end at any moment.
Instant JobModel::expected_end(const RunningJob& row, Instant now) {
  return std::max(now + 1, row.start + row.job.expected_ms());
}

std::vector<JobModel::End> JobModel::expected_ends(Instant now) const {
  std::vector<End> ends;
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].live) ends.push_back({expected_end(rows_[i].row, now), i});
  }
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
    return std::tie(a.end, a.row) < std::tie(b.end, b.row);
  });
  return ends;
}

/// Computes when there is room for the job, from the expected ends of running jobs, and the slots
/// that are free then besides. Slots beyond a cap become free for nobody. It is kNever if the caps
/// never leave enough room.
JobModel::Reservation JobModel::reservation(const Job& job, Instant now) {
  const std::vector<End> ends = expected_ends(now);
  Reservation made{kNever, free_ - job.width, {}};
  for (const Host& host : hosts_) made.spare_on.push_back(host.cap - host.used);
  for (size_t i = 0; i < ends.size(); ++i) {
    for (uint32_t node = rows_[ends[i].row].first_node; node != UINT32_MAX;
         node = nodes_[node].next) {
      int32_t& spare = made.spare_on[nodes_[node].at.host];
      made.spare -= std::max(0, spare);
      spare += nodes_[node].at.slots;
      made.spare += std::max(0, spare);
    }
    // The ends of one instant are counted together.
    const bool last = i + 1 == ends.size() || ends[i + 1].end != ends[i].end;
    if (last && has_room_then(job, made)) {
      made.at = ends[i].end;
      return made;
    }
  }
  return made;
}

/// For a job with hosts, takes its slots from the spare ones of those hosts.
bool JobModel::has_room_then(const Job& job, Reservation& then) {
  if (then.spare < 0) return false;
  if (job.hosts == 0) return true;
  if (!pick_hosts(job, then.spare_on)) return false;
  for (const SlotsOnHost& at : picks_) then.spare_on[at.host] -= at.slots;
  return true;
}

/// True if the job takes nothing of the reservation: it may run beyond that instant if the reserved
/// slots are still there. The slots that it takes are no longer spare.
bool JobModel::leaves_reserved(const Job& job, Reservation& head) {
  if (job.hosts == 0) {
    if (job.width > head.spare) return false;
    head.spare -= job.width;
    return true;
  }
  std::vector<int32_t> open = head.spare_on;
  for (uint32_t host = 0; host < open.size(); ++host) {
    open[host] = std::min(open[host], open_on(host));
  }
  if (!pick_hosts(job, open)) return false;
  for (const SlotsOnHost& at : picks_) head.spare_on[at.host] -= at.slots;
  return true;
}

std::vector<Job> JobModel::queue_in_order() const {
  std::vector<Job> queue;
  queue.reserve(queued_);
  visit_queued([&queue](const Job& job) { queue.push_back(job); });
  std::sort(queue.begin(), queue.end(), before);
  return queue;
}

void JobModel::start_queued(const Job& job, Instant now) {
  std::vector<Job>& heap = bucket_of(job).heap;
  std::erase_if(heap, [&job](const Job& other) { return other.id == job.id; });
  std::make_heap(heap.begin(), heap.end(), [](const Job& a, const Job& b) { return before(b, a); });
  --queued_;
  pending_slots_ -= job.width;
  const RunningJob row{job, now};
  run(row, place(job));
  answer_.push_back(row);
}

/// Walks the queue in order. The first job that does not fit gets a reservation, and a job after it
/// starts only if it is expected to end before or leaves enough slots. A job that needs more slots
/// than the cluster may use at all waits for a lease: no slots can be promised to it, and it holds
/// nobody up.
void JobModel::start_easy(Instant now) {
  if (queued_ == 0 || free_ == 0) return;
  std::optional<Reservation> head;
  for (const Job& job : queue_in_order()) {
    if (free_ == 0) return;
    const bool does_fit = fits(job);
    if (!does_fit && !head) {
      Reservation made = reservation(job, now);
      if (made.at != kNever) head = std::move(made);
    }
    if (!does_fit) continue;
    const bool ends_before = !head || now + job.expected_ms() <= head->at;
    if (!ends_before && !leaves_reserved(job, *head)) continue;
    start_queued(job, now);
  }
}

}  // namespace leasehold
