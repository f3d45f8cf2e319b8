#include "broker/lab/what_if/cluster.hpp"

#include <algorithm>

namespace leasehold {

namespace {

int32_t free_of(const EstimatedCluster::Row& row) {
  return row.up && row.limit == row.ordered ? row.limit - row.used : 0;
}

}  // namespace

uint32_t EstimatedCluster::add(uint32_t group, uint64_t generation, bool own, size_t rows) {
  const auto place = static_cast<uint32_t>(sides_.size());
  Side side;
  side.group = group;
  side.generation = generation;
  side.own = own;
  side.news = true;  // an agent reports a group that is new to it
  side.rows.resize(rows);
  sides_.push_back(std::move(side));
  const auto foreign = [&](uint32_t other) { return !sides_[other].own; };
  order_.insert(own ? std::find_if(order_.begin(), order_.end(), foreign) : order_.end(), place);
  return place;
}

void EstimatedCluster::widen(uint32_t place, size_t rows) {
  if (sides_[place].rows.size() < rows) sides_[place].rows.resize(rows);
}

void EstimatedCluster::exports(uint32_t place, uint32_t row, int32_t slots) {
  Side& side = sides_[place];
  Row& at = side.rows[row];
  const int32_t less = at.exported - slots;
  at.exported = slots;
  if (less <= 0) return;
  at.limit = std::max(0, at.limit - less);
  at.ordered = std::max(0, at.ordered - less);
  used_ -= at.used - std::min(at.used, at.limit);
  at.used = std::min(at.used, at.limit);
  side.news = true;
}

void EstimatedCluster::drop(uint32_t place) {
  for (const Row& row : sides_[place].rows) used_ -= row.used;
  sides_[place] = {};
  std::erase(order_, place);
  fill();
}

void EstimatedCluster::set_up(uint32_t place, uint32_t row, bool up) {
  Side& side = sides_[place];
  if (row >= side.rows.size() || side.rows[row].up == up) return;
  side.rows[row].up = up;
  side.news = true;
  if (up) fill();
}

void EstimatedCluster::set_kind(uint32_t place, uint32_t row, const std::string& type,
                                int32_t size) {
  Side& side = sides_[place];
  if (row >= side.rows.size()) return;
  if (side.rows[row].type != type) side.rows[row].type = type;
  side.rows[row].size = size;
}

void EstimatedCluster::put(uint32_t place, uint32_t row, int32_t limit, int32_t used,
                           uint64_t seq) {
  Side& side = sides_[place];
  side.seq = seq;
  Row& at = side.rows[row];
  used_ += used - at.used;
  at.limit = at.ordered = limit;
  at.used = used;
  side.ever_used = side.ever_used || used > 0;
}

/// An order may ask for fewer slots than are used: the rest follows as work ends.
void EstimatedCluster::take(uint32_t place, std::span<const wire::OrderedHost> hosts, uint64_t seq,
                            int64_t grace_ms, int64_t run_time_ms, Instant now) {
  Side& side = sides_[place];
  side.seq = seq;
  for (const wire::OrderedHost& host : hosts) {
    if (host.host >= side.rows.size()) continue;
    Row& row = side.rows[host.host];
    row.ordered = host.limit;
    row.limit = host.limit >= row.limit ? host.limit : std::max(host.limit, row.used);
    row.deadline = kNever;
    if (row.limit > row.ordered) {
      const bool release = host.lowering == wire::Lowering::release;
      if (release) row.ordered = row.limit;
      if (host.lowering == wire::Lowering::reclaim) row.deadline = now + grace_ms;
      if (host.lowering == wire::Lowering::shrink) row.deadline = now + run_time_ms;
    }
  }
  side.deadline = kNever;
  for (const Row& row : side.rows) side.deadline = std::min(side.deadline, row.deadline);
  side.news = true;
  if (!queue_) fill();
}

void EstimatedCluster::start_what_fits() {
  if (queue_) fill();
}

void EstimatedCluster::end_work(uint32_t place, Instant now) {
  Side& side = sides_[place];
  side.deadline = kNever;
  for (Row& row : side.rows) {
    if (row.deadline <= now) {
      const int32_t least = std::min(row.used, row.ordered);
      used_ -= row.used - least;
      row.used = least;
      row.limit = row.ordered;
      row.deadline = kNever;
      side.news = true;
    }
    side.deadline = std::min(side.deadline, row.deadline);
  }
  fill();
}

void EstimatedCluster::forget_leased() {
  for (Side& side : sides_) {
    if (side.own) continue;
    for (Row& row : side.rows) {
      used_ -= row.used;
      row = {.up = row.up, .type = std::move(row.type), .size = row.size};
    }
    side.answer_at = side.deadline = kNever;
  }
}

void EstimatedCluster::pass(Instant now) {
  const int64_t runs = used_ + (queue_ ? queue_->away() : 0);
  if (run_time_ms_ > 0 && now > passed_) ahead_ += SlotMs{runs - running_} * (now - passed_);
  passed_ = std::max(passed_, now);
}

void EstimatedCluster::want(const Want& want, Instant now) {
  pass(now);
  run_time_ms_ = want.run_time_ms;
  // Nothing was left to do then, so work done sooner here was not part of it.
  if (want.slots == 0) ahead_ = std::min(ahead_, SlotMs{0});
  over_ = run_time_ms_ == 0 ? 0 : static_cast<int64_t>(ahead_ / run_time_ms_);
  wanted_ = std::max<int64_t>(0, want.slots - over_);
  running_ = want.used;
  needs_ = want.needs;
  if (!want.demand) {
    queue_.reset();
  } else {
    if (!queue_) queue_.emplace();
    queue_->whole_host(largest_host());
    for (const wire::Demand& passing : want.passing) queue_->waited(passing);
    queue_->waited(*want.demand);
    queue_->idle_elsewhere(want.elsewhere.value_or(std::vector<int32_t>{}));
  }
  elsewhere_known_ = want.elsewhere.has_value();
  fill();
}

/// Returns the slots that ran as recorded, with what was started sooner and without what is late or
/// runs elsewhere, as far as their work is not done.
int64_t EstimatedCluster::slots_to_run() const {
  return running_ + queue_->early() - queue_->late() - queue_->away() - over_;
}

int64_t EstimatedCluster::singles() const {
  return std::max<int64_t>(0, slots_to_run() - used_);
}

int64_t EstimatedCluster::pending() const {
  if (queue_) return queue_->waiting() + singles();
  return std::max<int64_t>(0, wanted_ - used_);
}

std::optional<wire::Demand> EstimatedCluster::demand() const {
  if (!queue_) return std::nullopt;
  return queue_->demand(singles());
}

std::optional<std::vector<int32_t>> EstimatedCluster::elsewhere() const {
  if (!queue_ || !elsewhere_known_) return std::nullopt;
  return queue_->elsewhere();
}

void EstimatedCluster::fill() {
  if (queue_) return fill_by_shape();
  stop_down_to(wanted_);
  fill_up_to(std::min(wanted_, running_));
  if (used_ >= wanted_) return;
  const int64_t least = std::max<int64_t>(1, needs_);
  fill_up_to(std::min(wanted_, used_ + free() / least * least));
}

void EstimatedCluster::fill_up_to(int64_t slots) {
  for (auto at = order_.begin(); at != order_.end() && used_ < slots; ++at) {
    start(sides_[*at], slots);
  }
}

/// Stops work: first on slots that are asked back, then on the last ones.
void EstimatedCluster::stop_down_to(int64_t slots) {
  for (const bool asked_back : {true, false}) {
    for (auto at = order_.rbegin(); at != order_.rend() && used_ > slots; ++at) {
      stop(sides_[*at], slots, asked_back);
    }
  }
}

/// Fills own slot groups first; work that does not fit there may also lie over those of others.
void EstimatedCluster::fill_by_shape() {
  queue_->be_late(singles());
  if (const int64_t slots = slots_to_run(); slots < 0) queue_->drop_late(-slots);
  if (const int64_t less = used_ - slots_to_run(); less > 0) queue_->end_away(less);
  stop_down_to(std::max<int64_t>(0, slots_to_run()));
  fill_up_to(slots_to_run());
  queue_->send_away(singles());
  const auto foreign =
      std::find_if(order_.begin(), order_.end(), [&](uint32_t at) { return !sides_[at].own; });
  const auto own = static_cast<size_t>(foreign - order_.begin());
  if (own > 0) start_by_shape(std::span(order_).first(own));
  if (own < order_.size()) start_by_shape(order_);
}

void EstimatedCluster::start_by_shape(std::span<const uint32_t> places) {
  std::vector<EstimatedQueue::Free> free;
  std::vector<std::pair<Side*, Row*>> rows;
  int64_t slots = 0;
  for (const uint32_t place : places) {
    for (Row& row : sides_[place].rows) {
      free.push_back({free_of(row), row.type, row.size});
      rows.emplace_back(&sides_[place], &row);
      slots += free.back().slots;
    }
  }
  if (slots == 0) return;
  for (const demand_aware::RowSlots& start : queue_->start(std::move(free))) {
    auto& [side, row] = rows[start.row];
    row->used += start.slots;
    used_ += start.slots;
    side->ever_used = side->news = true;
  }
}

int32_t EstimatedCluster::largest_host() const {
  int32_t size = 0;
  for (const Side& side : sides_) {
    for (const Row& row : side.rows) size = std::max(size, row.size);
  }
  return size;
}

int64_t EstimatedCluster::free() const {
  int64_t slots = 0;
  for (const Side& side : sides_) {
    for (const Row& row : side.rows) slots += free_of(row);
  }
  return slots;
}

void EstimatedCluster::start(Side& side, int64_t slots) {
  for (Row& row : side.rows) {
    if (used_ >= slots) return;
    if (free_of(row) == 0) continue;
    const auto more = static_cast<int32_t>(std::min<int64_t>(free_of(row), slots - used_));
    row.used += more;
    used_ += more;
    side.ever_used = side.news = true;
  }
}

void EstimatedCluster::stop(Side& side, int64_t most, bool asked_back) {
  for (auto row = side.rows.rbegin(); row != side.rows.rend() && used_ > most; ++row) {
    const bool going = row->limit > row->ordered;
    if (going != asked_back || row->used == 0) continue;
    const auto less = static_cast<int32_t>(std::min<int64_t>(row->used, used_ - most));
    row->used -= less;
    used_ -= less;
    if (going) row->limit = std::max(row->ordered, row->used);
    if (row->limit == row->ordered) row->deadline = kNever;
    side.news = true;
  }
}

void EstimatedCluster::state(uint32_t place, wire::StateBlock& block) {
  Side& side = sides_[place];
  side.news = false;
  side.answer_at = kNever;
  const size_t first = block.hosts.size();
  for (uint32_t r = 0; r < side.rows.size(); ++r) {
    const Row& row = side.rows[r];
    block.hosts.push_back({r, row.limit, row.used, row.up});
  }
  side.state(block, first);
}

}  // namespace leasehold
