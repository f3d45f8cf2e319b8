#include "broker/views/forecast/work.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/model/queries/owner_jobs.hpp"

namespace leasehold::forecasting {

namespace {

using wire::TimeClass;

/// The ends of one class are spread over at most so many instants.
constexpr int64_t kPoints = 8;
/// Slots of one cluster are counted up to this, so that no product overflows.
constexpr int64_t kSlotsCounted = 1'000'000'000;
/// Errors above this carry no information.
constexpr int64_t kErrorMost = 900;

}  // namespace

bool needs_hosts(const wire::DemandBucket& bucket) {
  return !bucket.host_types.empty() || !goes_anywhere(waiting_of_bucket({}, bucket));
}

std::vector<HostSlots> own_hosts(const Cluster& cluster, std::span<const uint32_t> exported) {
  constexpr size_t kOwnHostsMost = 1024;
  std::vector<HostSlots> own;
  if (!cluster.demand) return own;
  std::vector<bool> of_group(cluster.hosts.size(), false);
  for (const uint32_t host : exported) of_group[host] = true;
  for (size_t h = 0; h < cluster.hosts.size() && own.size() < kOwnHostsMost; ++h) {
    const wire::HostFacts& facts = cluster.hosts[h].facts;
    if (of_group[h] || !cluster.hosts[h].present || !facts.up) continue;
    own.push_back({facts.slots, facts.slots, 0, facts.slots, facts.type});
  }
  return own;
}

Work::Work(const Cluster& cluster, WorkHosts hosts, Outlook outlook, Instant now)
    : outlook_(outlook), now_(now), hosts_(std::move(hosts.leased)), leased_(hosts_.size()) {
  for (const HostSlots& host : hosts_) {
    held_ += host.held;
    used_ += host.used;
  }
  hosts_.insert(hosts_.end(), hosts.own.begin(), hosts.own.end());
  hosts_.push_back({.known = false});
  if (cluster.ending) {
    known_.error_milli = std::clamp<int64_t>(cluster.ending->error_milli, 0, kErrorMost);
    known_.typical_ms = mean_left(*cluster.ending);
    add_running(*cluster.ending);
  } else {
    add_class(TimeClass::unknown, used_, 0);
  }
  add_waiting(cluster);
}

/// The report covers all of the cluster's work, so the same share of each class is taken to run on
/// these slots.
void Work::add_running(const wire::Ending& ending) {
  int64_t all = 0;
  for (const wire::EndingSlots& row : ending.slots) all += row.slots;
  const int64_t here = std::min({used_, all, kSlotsCounted});
  int64_t reported = 0;
  int64_t placed = 0;
  for (const wire::EndingSlots& row : ending.slots) {
    reported += row.slots;
    const int64_t so_far = all == 0 ? 0 : reported * here / all;
    add_class(row.left, so_far - placed, row.slots - (so_far - placed));
    placed = so_far;
  }
  add_class(TimeClass::unknown, used_ - placed, 0);
}

void Work::add_class(TimeClass left, int64_t slots, int64_t own) {
  if (slots + own <= 0) return;
  const Span span = span_left(left, known_, outlook_);
  if (span.to >= kNotAtAll) return;
  const int64_t points = std::min(kPoints, std::max(slots, own));
  const auto part = [points](int64_t of, int64_t point) {
    return of * (point + 1) / points - of * point / points;
  };
  for (int64_t p = 0; p < points; ++p) {
    const int64_t at_ms = span.from + (span.to - span.from) * (2 * p + 1) / (2 * points);
    ends_.push({at_ms, part(slots, p), part(own, p)});
  }
}

bool Work::by_host() const {
  const std::span<const HostSlots> hosts = leased();
  return std::any_of(hosts.begin(), hosts.end(), [](const HostSlots& host) { return host.known; });
}

/// Returns nullopt if no host will do. Where none is known, and where any will do, it goes by
/// numbers: of a bucket that sums up others by their mean.
std::optional<demand_aware::Waiting> Work::waiting_of(const wire::DemandBucket& bucket) const {
  demand_aware::Waiting work = waiting_of_bucket(now_, bucket);
  const auto type_of = [this](uint32_t h) { return hosts_[h].type; };
  const bool by_host = this->by_host();
  if (by_host && !set_rows(work, bucket.host_types, hosts_.size(), type_of)) return std::nullopt;
  if (!by_host || goes_anywhere(work)) {
    work.shape = {.slots = std::max<int64_t>(1, bucket.slots / bucket.jobs)};
  }
  return work;
}

/// The earliest outlook assumes that waiting work is gone, or fits elsewhere.
void Work::add_waiting(const Cluster& cluster) {
  if (outlook_ == Outlook::early) return;
  const auto length = [this](TimeClass limit) {
    return length_of(limit, known_.typical_ms, outlook_);
  };
  if (!cluster.demand) {
    if (cluster.pending <= 0) return;
    waiting_.push_back({{{}, cluster.pending, 0, {}}, length(TimeClass::unknown)});
    return;
  }
  for (const wire::DemandBucket& bucket : *cluster.demand) {
    if (bucket.jobs <= 0 || bucket.slots <= 0) continue;
    std::optional<demand_aware::Waiting> work = waiting_of(bucket);
    if (work) waiting_.push_back({*std::move(work), length(bucket.limit)});
  }
}

int64_t Work::waiting() const {
  int64_t sum = 0;
  for (const Waiting& row : waiting_) sum += row.work.shape.slots * row.work.jobs;
  return sum;
}

std::vector<demand_aware::Waiting> Work::waiting_at(int64_t now_ms) const {
  std::vector<demand_aware::Waiting> all;
  for (const Waiting& row : waiting_) {
    if (row.work.jobs == 0) continue;
    all.push_back(row.work);
    if (row.work.age_ms > 0) all.back().age_ms += now_ms;
  }
  return all;
}

demand_aware::Waiting Work::one_job(const std::optional<wire::DemandBucket>& like,
                                    int64_t slots) const {
  demand_aware::Waiting job;
  job.shape.slots = slots;
  if (like) {
    std::optional<demand_aware::Waiting> work = waiting_of(*like);
    if (work) {
      job = *std::move(work);
    } else {
      job.rows.assign(hosts_.size() / 64 + 1, 0);
    }
  }
  job.jobs = 1;
  job.age_ms = 0;
  return job;
}

bool Work::starts(const demand_aware::Waiting& job) const {
  if (idle() < job.shape.slots) return false;
  return goes_anywhere(job) || put_jobs(job, hosts_, 0, leased_).jobs > 0;
}

void Work::gain(std::span<const OnHost> slots) {
  for (const OnHost& one : slots) {
    hosts_[one.host].held += one.slots;
    held_ += one.slots;
  }
}

void Work::give(const OnHost& slots) {
  hosts_[slots.host].held -= slots.slots;
  held_ -= slots.slots;
}

void Work::give_up(const OnHost& slots) {
  const int64_t busy = std::max<int64_t>(0, slots.slots - hosts_[slots.host].idle());
  const int64_t stopped = std::min(busy, hosts_[slots.host].used);
  hosts_[slots.host].leave(stopped);
  used_ -= stopped;
  ended_ += stopped;
  stopped_ += stopped;
  give({slots.host, std::min(slots.slots, hosts_[slots.host].held)});
}

/// Work ends first where it is known to run. More of it than runs on the hosts ran on others.
void Work::end_there(int64_t slots, size_t first, size_t last, const std::vector<OnHost>& on) {
  for (const OnHost& one : on) {
    if (one.host < first || one.host >= last) continue;
    const int64_t some = std::min({slots, one.slots, hosts_[one.host].placed});
    hosts_[one.host].used -= some;
    hosts_[one.host].placed -= some;
    slots -= some;
  }
  if (slots == 0) return;
  const EndsOn where = outlook_ == Outlook::early ? EndsOn::few : EndsOn::all;
  const std::span<HostSlots> hosts = std::span(hosts_).subspan(first, last - first);
  slots = end_work(hosts, slots, where);
  for (HostSlots& host : hosts) {
    const int64_t some = std::min(slots, host.used);
    host.leave(some);
    slots -= some;
  }
  hosts.back().held += slots;
}

void Work::advance(int64_t now_ms) {
  for (; !ends_.empty() && ends_.top().at_ms <= now_ms; ends_.pop()) {
    const End& end = ends_.top();
    const int64_t gone = std::min(stopped_, end.slots);
    const int64_t left = std::min(used_, end.slots - gone);
    stopped_ -= gone;
    used_ -= left;
    ended_ += left;
    own_idle_ += end.own;
    end_there(left, 0, leased_, end.on);
    end_there(end.own, leased_, hosts_.size(), end.on);
  }
}

std::vector<OnHost> Work::use_idle(size_t first, size_t last, int64_t slots) {
  std::vector<OnHost> on = use_any(std::span(hosts_).subspan(first, last - first), slots);
  for (OnHost& one : on) one.host += static_cast<uint32_t>(first);
  return on;
}

PutJobs Work::put_anywhere(const demand_aware::Waiting& work) {
  const int64_t size = work.shape.slots;
  const int64_t jobs = std::min(work.jobs, (own_idle_ + idle()) / size);
  const int64_t own = std::min(own_idle_, jobs * size);
  PutJobs put{jobs, use_idle(leased_, hosts_.size(), own)};
  const std::vector<OnHost> here = use_idle(0, leased_, jobs * size - own);
  put.on.insert(put.on.end(), here.begin(), here.end());
  return put;
}

/// On its cluster's own hosts, and then on all.
PutJobs Work::put(const demand_aware::Waiting& work) {
  if (goes_anywhere(work)) return put_anywhere(work);
  PutJobs sum;
  demand_aware::Waiting left = work;
  for (const size_t first : {leased_, size_t{0}}) {
    const PutJobs more = put_jobs(left, hosts_, first, hosts_.size());
    for (const OnHost& one : more.on) hosts_[one.host].place(one.slots);
    left.jobs -= more.jobs;
    sum.jobs += more.jobs;
    sum.on.insert(sum.on.end(), more.on.begin(), more.on.end());
  }
  return sum;
}

void Work::start(int64_t now_ms) {
  for (Waiting& row : waiting_) {
    if (row.work.jobs == 0 || own_idle_ + idle() < row.work.shape.slots) continue;
    PutJobs put = this->put(row.work);
    if (put.jobs == 0) continue;
    int64_t own = 0;
    int64_t here = 0;
    for (const OnHost& one : put.on) (one.host < leased_ ? here : own) += one.slots;
    own_idle_ -= own;
    used_ += here;
    taken_ += here;
    row.work.jobs -= put.jobs;
    if (row.length_ms < kNotAtAll) {
      ends_.push({now_ms + row.length_ms, here, own, std::move(put.on)});
    }
  }
}

void Work::occupy(int64_t slots) {
  use_idle(0, leased_, slots);
  used_ += slots;
}

void Work::overtake() {
  const int64_t slots = std::clamp<int64_t>(ended_ / 2 - overtaken_, 0, idle());
  occupy(slots);
  taken_ += slots;
  overtaken_ += slots;
}

}  // namespace leasehold::forecasting
