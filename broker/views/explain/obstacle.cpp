#include "broker/views/explain/obstacle.hpp"

#include <algorithm>

#include "broker/core/model/queries/owner_jobs.hpp"
#include "broker/rules/demand_aware/packing.hpp"

namespace leasehold::explanation {

namespace {

using demand_aware::IdleRow;
using demand_aware::Packing;
using demand_aware::Waiting;
using Rows = std::vector<IdleRow>;

class Search {
 public:
  Search(const SlotsSeen& seen, const wire::DemandBucket& bucket)
      : seen_(seen), job_(waiting_of_bucket({}, bucket)) {
    job_.jobs = 1;
    any_of_type_ = !seen.types.empty() && set_rows(job_, bucket.host_types, seen.types.size(),
                                                   [&seen](uint32_t row) -> const std::string& {
                                                     return seen.types[row];
                                                   });
  }

  Found find() {
    if (!any_of_type_) return found(Obstacle::host_type);
    measure();
    if (starts(without_others(seen_.now))) return found(Obstacle::not_started);
    if (starts(without_others(seen_.coming))) return found(Obstacle::on_way);
    if (starts(seen_.now)) return found(Obstacle::idle_of_other);
    if (starts(all_idle(seen_.most))) {
      found_.lacking = std::max<int64_t>(1, job_.shape.slots - own_that_fits());
      return found(Obstacle::in_use);
    }
    if (starts(all_idle(seen_.if_usable))) return found(Obstacle::host_down);
    return found(too_small());
  }

 private:
  Found found(Obstacle what) {
    found_.what = what;
    return found_;
  }

  /// Notes what of others it would take.
  bool starts(const Rows& rows) {
    Packing packing(seen_.member, rows, seen_.elsewhere, 0);
    const bool starts = packing.put(job_).jobs > 0;
    if (starts) found_.lacking = packing.slots_moved();
    return starts;
  }

  Rows without_others(Rows rows) const {
    for (IdleRow& row : rows) row.idle[demand_aware::other(seen_.member)] = 0;
    return rows;
  }

  Rows all_idle(const std::vector<int32_t>& slots) const {
    Rows rows(slots.size());
    for (size_t row = 0; row < slots.size(); ++row) {
      rows[row].idle[seen_.member] = slots[row];
      if (seen_.sizes[row] <= slots[row]) rows[row].size = seen_.sizes[row];
    }
    return rows;
  }

  int64_t own(uint32_t row) const {
    const IdleRow& idle = seen_.now[row];
    return int64_t{idle.idle[seen_.member]} + idle.beside[seen_.member];
  }

  void measure() {
    for (uint32_t row = 0; row < seen_.most.size(); ++row) {
      if (!job_.may_use(row)) continue;
      found_.idle_most = std::max(found_.idle_most, static_cast<int32_t>(own(row)));
      const int32_t most = job_.shape.whole ? seen_.sizes[row] : seen_.if_usable[row];
      found_.there = std::max<int64_t>(found_.there, most);
      found_.slots += most;
      found_.of_width += most >= job_.shape.slots_per_host ? 1 : 0;
    }
  }

  /// Returns how many of its idle slots the job would take where it needs fewest others.
  int64_t own_that_fits() const {
    std::vector<int64_t> idle;
    for (uint32_t row = 0; row < seen_.most.size(); ++row) {
      const bool fits = job_.may_use(row) && seen_.most[row] >= job_.shape.slots_per_host;
      if (fits) idle.push_back(std::min<int64_t>(own(row), job_.shape.slots_per_host));
    }
    std::sort(idle.rbegin(), idle.rend());
    int64_t slots = 0;
    for (size_t i = 0; i < idle.size() && i < static_cast<size_t>(job_.shape.hosts); ++i) {
      slots += idle[i];
    }
    return slots;
  }

  Obstacle too_small() const {
    if (job_.shape.whole && found_.there == 0) return Obstacle::whole;
    if (found_.of_width == 0) return Obstacle::width;
    return found_.of_width < job_.shape.hosts ? Obstacle::hosts_few : Obstacle::slots_few;
  }

  const SlotsSeen& seen_;
  Waiting job_;
  bool any_of_type_ = false;
  Found found_;
};

}  // namespace

Found find_obstacle(const SlotsSeen& seen, const wire::DemandBucket& bucket) {
  return Search(seen, bucket).find();
}

}  // namespace leasehold::explanation
