#include "common/jobs/job_model.hpp"

#include <algorithm>
#include <tuple>

#include "common/check.hpp"

namespace leasehold {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

bool after(const Job& a, const Job& b) {
  return before(b, a);
}

int32_t open_slots(int32_t cap, int32_t used) {
  return std::max(0, cap - used);
}

}  // namespace

uint32_t JobModel::add_host(int32_t own, int32_t cap) {
  hosts_.push_back({own, cap, 0});
  free_ += open_slots(cap, 0);
  return static_cast<uint32_t>(hosts_.size() - 1);
}

void JobModel::set_cap(uint32_t host, int32_t cap) {
  Host& h = hosts_[host];
  free_ += open_slots(cap, h.used) - open_slots(h.cap, h.used);
  h.cap = cap;
}

void JobModel::set_own(uint32_t host, int32_t own) {
  hosts_[host].own = own;
}

/// Negative slots are given back.
void JobModel::use(uint32_t host, int32_t slots) {
  LEASEHOLD_CHECK(host < hosts_.size(), "a job lies on a host that was never added");
  Host& h = hosts_[host];
  free_ += open_slots(h.cap, h.used + slots) - open_slots(h.cap, h.used);
  h.used += slots;
  used_ += slots;
}

JobModel::Bucket& JobModel::bucket_of(const Job& job) {
  auto at = std::lower_bound(
      buckets_.begin(), buckets_.end(), job, [](const Bucket& bucket, const Job& of) {
        return std::tie(bucket.width, bucket.hosts) < std::tie(of.width, of.hosts);
      });
  const bool known = at != buckets_.end() && at->width == job.width && at->hosts == job.hosts;
  if (!known) at = buckets_.insert(at, Bucket{job.width, job.hosts, {}});
  return *at;
}

void JobModel::arrive(const Job& job) {
  LEASEHOLD_CHECK(job.width > 0 && job.run_ms > 0, "a job takes slots and time");
  LEASEHOLD_CHECK(job.hosts >= 0 && job.hosts <= job.width,
                  "a job has a slot on each of its hosts");
  std::vector<Job>& heap = bucket_of(job).heap;
  heap.push_back(job);
  std::push_heap(heap.begin(), heap.end(), after);
  ++queued_;
  pending_slots_ += job.width;
}

/// Finds the job that a walk through the whole queue would start first. It can only be the earliest
/// of those with equal width and hosts.
JobModel::Bucket* JobModel::earliest_that_fits() {
  Bucket* best = nullptr;
  for (Bucket& bucket : buckets_) {
    if (bucket.width > free_) break;
    if (bucket.heap.empty()) continue;
    const Job& job = bucket.heap.front();
    if (best != nullptr && !before(job, best->heap.front())) continue;
    if (fits(job)) best = &bucket;
  }
  return best;
}

Job JobModel::pop(Bucket& bucket) {
  std::pop_heap(bucket.heap.begin(), bucket.heap.end(), after);
  const Job job = bucket.heap.back();
  bucket.heap.pop_back();
  --queued_;
  pending_slots_ -= job.width;
  return job;
}

std::span<const RunningJob> JobModel::start(Instant now) {
  answer_.clear();
  if (backfill_ == Backfill::easy) {
    start_easy(now);
    return answer_;
  }
  while (queued_ > 0 && free_ > 0) {
    Bucket* bucket = earliest_that_fits();
    if (bucket == nullptr) break;
    const RunningJob row{pop(*bucket), now};
    LEASEHOLD_CHECK(fits(row.job), "a job was started that does not fit");
    run(row, place(row.job));
    answer_.push_back(row);
  }
  return answer_;
}

bool JobModel::ends_later(const End& a, const End& b) const {
  if (a.end != b.end) return a.end > b.end;
  return before(rows_[b.row].row.job, rows_[a.row].row.job);
}

void JobModel::run(const RunningJob& row, uint32_t first_node) {
  uint32_t index = static_cast<uint32_t>(rows_.size());
  if (rows_free_.empty()) {
    rows_.emplace_back();
  } else {
    index = rows_free_.back();
    rows_free_.pop_back();
  }
  rows_[index] = {row, first_node, true};
  ends_.push_back({row.end(), index});
  std::push_heap(ends_.begin(), ends_.end(),
                 [this](const End& a, const End& b) { return ends_later(a, b); });
  ++running_count_;
}

void JobModel::free_row(uint32_t row) {
  Running& r = rows_[row];
  for (uint32_t node = r.first_node; node != kNone; node = nodes_[node].next) {
    use(nodes_[node].at.host, -nodes_[node].at.slots);
    nodes_free_.push_back(node);
  }
  r.live = false;
  rows_free_.push_back(row);
  --running_count_;
}

std::span<const RunningJob> JobModel::complete(Instant now) {
  answer_.clear();
  while (!ends_.empty() && ends_.front().end <= now) {
    std::pop_heap(ends_.begin(), ends_.end(),
                  [this](const End& a, const End& b) { return ends_later(a, b); });
    const uint32_t row = ends_.back().row;
    ends_.pop_back();
    answer_.push_back(rows_[row].row);
    free_row(row);
  }
  return answer_;
}

uint32_t JobModel::find_running(uint64_t id) const {
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].live && rows_[i].row.job.id == id) return i;
  }
  return kNone;
}

bool JobModel::requeue(uint64_t id) {
  const uint32_t row = find_running(id);
  if (row == kNone) return false;
  std::erase_if(ends_, [row](const End& end) { return end.row == row; });
  std::make_heap(ends_.begin(), ends_.end(),
                 [this](const End& a, const End& b) { return ends_later(a, b); });
  const Job job = rows_[row].row.job;
  free_row(row);
  arrive(job);
  return true;
}

void JobModel::resume(const Job& job, Instant start, std::span<const SlotsOnHost> placement) {
  uint32_t first = kNone;
  uint32_t tail = kNone;
  for (const SlotsOnHost& at : placement) {
    use(at.host, at.slots);
    tail = append_node(tail, at.host, at.slots);
    if (first == kNone) first = tail;
  }
  run({job, start}, first);
}

void JobModel::visit_queued(const std::function<void(const Job&)>& visit) const {
  for (const Bucket& bucket : buckets_) {
    for (const Job& job : bucket.heap) visit(job);
  }
}

void JobModel::collect_placement(uint32_t first_node) const {
  placement_.clear();
  for (uint32_t node = first_node; node != kNone; node = nodes_[node].next) {
    placement_.push_back(nodes_[node].at);
  }
}

void JobModel::visit_running(
    const std::function<void(const RunningJob&, std::span<const SlotsOnHost>)>& visit) const {
  for (const Running& r : rows_) {
    if (!r.live) continue;
    collect_placement(r.first_node);
    visit(r.row, placement_);
  }
}

std::span<const SlotsOnHost> JobModel::placement(uint64_t id) const {
  const uint32_t row = find_running(id);
  collect_placement(row == kNone ? kNone : rows_[row].first_node);
  return placement_;
}

}  // namespace leasehold
