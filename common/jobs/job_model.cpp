#include "common/jobs/job_model.hpp"

#include <algorithm>
#include <tuple>

#include "common/check.hpp"

namespace leasehold {
namespace {

constexpr uint32_t kNoRow = UINT32_MAX;

}  // namespace

std::span<const RunningJob> JobModel::start(Instant now) {
  answer_.clear();
  if (queue_.size() == 0 || slots_.free() == 0) return answer_;
  if (backfill_ == Backfill::easy) {
    start_easy(now);
  } else {
    start_first_fit(now);
  }
  return answer_;
}

/// The job has left the queue, and slots_ was last asked about it.
void JobModel::start_job(const Job& job, Instant now) {
  answer_.push_back({job, now});
  run(answer_.back(), slots_.take(job));
}

void JobModel::start_first_fit(Instant now) {
  const auto fits = [this](const Job& job) { return slots_.fits(job); };
  while (queue_.size() > 0 && slots_.free() > 0) {
    const std::optional<Job> job = queue_.take_first(slots_.free(), fits);
    if (!job) break;
    LEASEHOLD_CHECK(slots_.fits(*job), "a job was started that does not fit");
    start_job(*job, now);
  }
}

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
  Reservation made{kNever, slots_.free() - job.width, {}};
  for (const JobSlots::Host& host : slots_.hosts()) made.spare_on.push_back(host.cap - host.used);
  for (size_t i = 0; i < ends.size(); ++i) {
    slots_.visit(rows_[ends[i].row].slots, [&made](const SlotsOnHost& at) {
      int32_t& spare = made.spare_on[at.host];
      made.spare -= std::max(0, spare);
      spare += at.slots;
      made.spare += std::max(0, spare);
    });
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
  if (!slots_.pick_hosts(job, then.spare_on)) return false;
  for (const SlotsOnHost& at : slots_.picks()) then.spare_on[at.host] -= at.slots;
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
    open[host] = std::min(open[host], slots_.open_on(host));
  }
  if (!slots_.pick_hosts(job, open)) return false;
  for (const SlotsOnHost& at : slots_.picks()) head.spare_on[at.host] -= at.slots;
  return true;
}

/// EASY (Lifka, "The ANL/IBM SP scheduling system", 1995) walks the queue in order. The first job
/// that does not fit gets a reservation, and a job after it starts only if it is expected to end
/// before or leaves enough slots. A job that needs more slots than the cluster may use at all waits
/// for a lease: no slots can be promised to it, and it holds nobody up.
void JobModel::start_easy(Instant now) {
  std::optional<Reservation> head;
  for (const Job& job : queue_.in_order()) {
    if (slots_.free() == 0) return;
    const bool does_fit = slots_.fits(job);
    if (!does_fit && !head) {
      Reservation made = reservation(job, now);
      if (made.at != kNever) head = std::move(made);
    }
    if (!does_fit) continue;
    const bool ends_before = !head || now + job.expected_ms() <= head->at;
    if (!ends_before && !leaves_reserved(job, *head)) continue;
    queue_.take(job);
    start_job(job, now);
  }
}

bool JobModel::ends_later(const End& a, const End& b) const {
  if (a.end != b.end) return a.end > b.end;
  return before(rows_[b.row].row.job, rows_[a.row].row.job);
}

void JobModel::run(const RunningJob& row, JobSlots::Chain slots) {
  uint32_t index = static_cast<uint32_t>(rows_.size());
  if (rows_free_.empty()) {
    rows_.emplace_back();
  } else {
    index = rows_free_.back();
    rows_free_.pop_back();
  }
  rows_[index] = {row, slots, true};
  ends_.push_back({row.end(), index});
  std::push_heap(ends_.begin(), ends_.end(),
                 [this](const End& a, const End& b) { return ends_later(a, b); });
  ++running_count_;
}

void JobModel::free_row(uint32_t row) {
  Running& r = rows_[row];
  slots_.give_back(r.slots);
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
  return kNoRow;
}

bool JobModel::requeue(uint64_t id) {
  const uint32_t row = find_running(id);
  if (row == kNoRow) return false;
  std::erase_if(ends_, [row](const End& end) { return end.row == row; });
  std::make_heap(ends_.begin(), ends_.end(),
                 [this](const End& a, const End& b) { return ends_later(a, b); });
  const Job job = rows_[row].row.job;
  free_row(row);
  arrive(job);
  return true;
}

void JobModel::resume(const Job& job, Instant start, std::span<const SlotsOnHost> placement) {
  run({job, start}, slots_.take(placement));
}

void JobModel::collect_placement(JobSlots::Chain slots) const {
  placement_.clear();
  slots_.visit(slots, [this](const SlotsOnHost& at) { placement_.push_back(at); });
}

void JobModel::visit_running(
    const std::function<void(const RunningJob&, std::span<const SlotsOnHost>)>& visit) const {
  for (const Running& r : rows_) {
    if (!r.live) continue;
    collect_placement(r.slots);
    visit(r.row, placement_);
  }
}

std::span<const SlotsOnHost> JobModel::placement(uint64_t id) const {
  const uint32_t row = find_running(id);
  collect_placement(row == kNoRow ? JobSlots::kNone : rows_[row].slots);
  return placement_;
}

}  // namespace leasehold
