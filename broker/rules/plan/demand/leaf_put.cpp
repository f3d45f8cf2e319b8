#include "broker/rules/plan/demand/leaf_put.hpp"

#include <array>
#include <optional>
#include <tuple>
#include <utility>

namespace leasehold {

using demand_aware::RowSlots;
using demand_aware::Waiting;

namespace {

/// The oldest first, those of unknown age last; of the same age the smallest: whatever order an
/// agent tells them in, the answer is one.
bool comes_before(const Waiting& a, const Waiting& b) {
  const auto key = [](const Waiting& one) {
    const demand_aware::Shape& shape = one.shape;
    return std::tuple(one.age_ms == 0, -one.age_ms, shape.slots_per_host, shape.hosts, shape.slots,
                      shape.whole, one.limit_ms, one.jobs);
  };
  const auto first = key(a);
  const auto second = key(b);
  return first != second ? first < second : a.rows < b.rows;
}

/// A leaf's rows by reach. Most buckets find no place: the next ones go by the same rows.
class KeptRows {
 public:
  KeptRows(const SlotTable& table, const TableLeaf& leaf) : table_(table), leaf_(leaf) {}

  const SlotTable::Rows& of(Reach reach) {
    std::optional<SlotTable::Rows>& rows = rows_[static_cast<size_t>(reach)];
    if (!rows) rows = table_.rows(leaf_, reach);
    return *rows;
  }
  /// The table has changed.
  void forget() { rows_ = {}; }

 private:
  const SlotTable& table_;
  const TableLeaf& leaf_;
  std::array<std::optional<SlotTable::Rows>, 4> rows_;
};

}  // namespace

LeafPut::LeafPut(const LeafWork& work, const Allocated& allocated, bool whole_hosts)
    : work_(work), allocated_(allocated), whole_hosts_(whole_hosts), left_(work.waiting) {
  std::sort(left_.begin(), left_.end(), comes_before);
}

void LeafPut::put(SlotTable& table, const TableLeaf& leaf, std::span<const Reach> reaches,
                  const Most& most) {
  KeptRows rows(table, leaf);
  for (Waiting& waiting : left_) {
    for (const Reach reach : reaches) {
      const int64_t before = slots_;
      if (reach == Reach::returned && may_wait_for_returned(waiting)) {
        put_one_on_returned(table, leaf, rows.of(reach), waiting, most);
      } else if (reach != Reach::returned && jobs_to_try(waiting, most) > 0) {
        const bool too_much = put_jobs(table, rows.of(reach), waiting, most);
        if (too_much && jobs_to_try(waiting, most) > 0) {
          put_jobs(table, table.rows_together(leaf, reach, waiting.shape), waiting, most);
        }
      }
      if (slots_ != before) rows.forget();
    }
  }
}

int64_t LeafPut::demand() const {
  const int64_t by_work = work_.in_use + placed_;
  return std::min(kMostSlots, coming_ > 0 ? std::max(by_work, allocated_.all + coming_) : by_work);
}

LeafPut::Cost LeafPut::cost_of(const SlotTable& table, const PutJobs& put) const {
  Cost cost;
  for (const RowSlots& own : put.own) {
    const bool runs = whole_hosts_ && table.in_use(work_.consumer, own.row);
    cost.own += !whole_hosts_ ? own.slots : runs ? 0 : 1;
    cost.slots += own.slots;
  }
  for (const RowSlots& coming : put.coming) {
    cost.coming += whole_hosts_ ? 1 : coming.slots;
    cost.slots += coming.slots;
    cost.slots_coming += coming.slots;
  }
  return cost;
}

bool LeafPut::within(const Cost& cost, const Most& most) const {
  return work_.in_use + placed_ + cost.own + cost.coming <= most.demand &&
         (cost.coming == 0 || allocated_.all + coming_ + cost.coming <= most.demand) &&
         (cost.coming == 0 || allocated_.slots + slots_coming_ + cost.slots_coming <= most.slots) &&
         slots() + cost.slots <= most.slots;
}

bool LeafPut::fits(const SlotTable& table, const PutJobs& put, const Most& most) const {
  return within(cost_of(table, put), most) && table.others_may_lose(work_.consumer, put);
}

/// Returns no more jobs than there is room for, where each costs just its slots.
int64_t LeafPut::jobs_to_try(const Waiting& waiting, const Most& most) const {
  if (whole_hosts_ || waiting.shape.whole) return waiting.jobs;
  const int64_t room = std::min(most.demand - work_.in_use - placed_, most.slots - slots());
  return std::min(waiting.jobs, std::max<int64_t>(0, room) / waiting.shape.slots);
}

/// True if others would lose too much for all that would fit on those rows.
bool LeafPut::put_jobs(SlotTable& table, const SlotTable::Rows& rows, Waiting& waiting,
                       const Most& most) {
  PutJobs best = SlotTable::put(waiting, jobs_to_try(waiting, most), rows);
  const bool too_much = !table.others_may_lose(work_.consumer, best);
  if (too_much || !fits(table, best, most)) {
    int64_t too_many = best.jobs;
    best = {};
    for (int64_t enough = 0; too_many - enough > 1;) {
      const int64_t half = enough + (too_many - enough) / 2;
      PutJobs some = SlotTable::put(waiting, half, rows);
      const bool fit = fits(table, some, most);
      (fit ? enough : too_many) = half;
      if (fit) best = std::move(some);
    }
  }
  if (best.jobs == 0) return too_much;
  add(cost_of(table, best));
  grant(waiting.shape, best);
  waiting.jobs -= best.jobs;
  own_.insert(own_.end(), best.own.begin(), best.own.end());
  want(table.take(work_.consumer, best));
  return too_much;
}

bool LeafPut::may_wait_for_returned(const Waiting& waiting) const {
  return !waits_for_returned_ && waiting.jobs > 0 && waiting.shape.slots > 1;
}

/// Puts one job that the leaf's own hosts would start once what others have there came back. It
/// needs as many slots, wherever they are: others get those in exchange.
void LeafPut::put_one_on_returned(SlotTable& table, const TableLeaf& leaf,
                                  const SlotTable::Rows& rows, Waiting& waiting, const Most& most) {
  const PutJobs one = SlotTable::put(waiting, 1, rows);
  if (one.jobs == 0 || !on_its_own(table, one)) return;
  const Cost needed = cost_of(table, one);
  const int64_t in_all = needed.own + needed.coming;
  const int64_t lacking = std::max<int64_t>(0, in_all - table.idle_of(work_.consumer));
  const Cost cost{in_all - lacking, lacking, needed.slots, whole_hosts_ ? 0 : lacking};
  if (!within(cost, most)) return;
  if (lacking > 0 && (whole_hosts_ || !take_anywhere(table, leaf, lacking))) return;
  const int64_t idle = table.idle_slots_of(work_.consumer);
  table.keep_idle(work_.consumer, in_all - lacking);
  exchanged_ += idle - table.idle_slots_of(work_.consumer) + cost.slots_coming;
  add(cost);
  --waiting.jobs;
  waits_for_returned_ = true;
}

bool LeafPut::on_its_own(const SlotTable& table, const PutJobs& put) const {
  return std::any_of(put.coming.begin(), put.coming.end(), [&](const RowSlots& coming) {
    return table.is_own(work_.consumer, coming.row);
  });
}

/// Takes all of these slots, or none: false.
bool LeafPut::take_anywhere(SlotTable& table, const TableLeaf& leaf, int64_t slots) {
  SlotTable trial = table;
  std::vector<WantedSlots> coming;
  for (const Reach reach : {Reach::free, Reach::unused, Reach::used}) {
    for (const WantedSlots& some : trial.take_slots(leaf, reach, slots)) {
      coming.push_back(some);
      slots -= some.slots;
    }
  }
  if (slots > 0) return false;
  table = std::move(trial);
  want(coming);
  return true;
}

void LeafPut::add(const Cost& cost) {
  placed_ += cost.own + cost.coming;
  coming_ += cost.coming;
  slots_ += cost.slots;
  slots_coming_ += cost.slots_coming;
}

void LeafPut::grant(const demand_aware::Shape& shape, const PutJobs& put) {
  if (put.coming.empty()) return;
  for (const RowSlots& coming : put.coming) granted_ += coming.slots;
  if (std::count(shapes_.begin(), shapes_.end(), shape) == 0) shapes_.push_back(shape);
}

void LeafPut::want(const std::vector<WantedSlots>& coming) {
  for (const WantedSlots& one : coming) {
    const auto same = [&](const WantedSlots& row) {
      return row.host == one.host && row.from == one.from;
    };
    const auto known = std::find_if(wanted_.begin(), wanted_.end(), same);
    if (known != wanted_.end()) {
      known->slots += one.slots;
    } else {
      wanted_.push_back(one);
    }
  }
}

}  // namespace leasehold
