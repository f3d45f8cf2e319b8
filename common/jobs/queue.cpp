#include "common/jobs/queue.hpp"

#include <algorithm>
#include <tuple>

#include "common/check.hpp"

namespace leasehold {
namespace {

bool after(const Job& a, const Job& b) {
  return before(b, a);
}

}  // namespace

JobQueue::Bucket& JobQueue::bucket_of(const Job& job) {
  auto at = std::lower_bound(
      buckets_.begin(), buckets_.end(), job, [](const Bucket& bucket, const Job& of) {
        return std::tie(bucket.width, bucket.hosts) < std::tie(of.width, of.hosts);
      });
  const bool known = at != buckets_.end() && at->width == job.width && at->hosts == job.hosts;
  if (!known) at = buckets_.insert(at, Bucket{job.width, job.hosts, {}});
  return *at;
}

void JobQueue::add(const Job& job) {
  LEASEHOLD_CHECK(job.width > 0 && job.run_ms > 0, "a job takes slots and time");
  LEASEHOLD_CHECK(job.hosts >= 0 && job.hosts <= job.width,
                  "a job has a slot on each of its hosts");
  std::vector<Job>& heap = bucket_of(job).heap;
  heap.push_back(job);
  std::push_heap(heap.begin(), heap.end(), after);
  ++size_;
  slots_ += job.width;
}

std::optional<Job> JobQueue::take_first(int64_t width_most,
                                        const std::function<bool(const Job&)>& fits) {
  Bucket* best = nullptr;
  for (Bucket& bucket : buckets_) {
    if (bucket.width > width_most) break;
    if (bucket.heap.empty()) continue;
    const Job& job = bucket.heap.front();
    if (best != nullptr && !before(job, best->heap.front())) continue;
    if (fits(job)) best = &bucket;
  }
  if (best == nullptr) return std::nullopt;
  std::pop_heap(best->heap.begin(), best->heap.end(), after);
  const Job job = best->heap.back();
  best->heap.pop_back();
  --size_;
  slots_ -= job.width;
  return job;
}

void JobQueue::take(const Job& job) {
  std::vector<Job>& heap = bucket_of(job).heap;
  std::erase_if(heap, [&job](const Job& other) { return other.id == job.id; });
  std::make_heap(heap.begin(), heap.end(), after);
  --size_;
  slots_ -= job.width;
}

std::vector<Job> JobQueue::in_order() const {
  std::vector<Job> queue;
  queue.reserve(size_);
  visit([&queue](const Job& job) { queue.push_back(job); });
  std::sort(queue.begin(), queue.end(), before);
  return queue;
}

void JobQueue::visit(const std::function<void(const Job&)>& visit) const {
  for (const Bucket& bucket : buckets_) {
    for (const Job& job : bucket.heap) visit(job);
  }
}

}  // namespace leasehold
