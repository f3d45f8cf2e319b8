#include "broker/what_if/cluster.hpp"

#include <algorithm>

namespace leasehold {

uint32_t EstimatedCluster::add(uint32_t group, uint64_t generation, bool own, size_t rows) {
  const auto place = static_cast<uint32_t>(sides_.size());
  Side side;
  side.group = group;
  side.generation = generation;
  side.own = own;
  side.news = true;  // an agent that is told of a group states it
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

/// Where an order asks for less than is used, the rest follows as work ends.
void EstimatedCluster::take(uint32_t place, std::span<const wire::OrderedHost> hosts, uint64_t seq,
                            int64_t grace_ms, int64_t run_time_ms, Instant now) {
  Side& side = sides_[place];
  side.seq = seq;
  for (const wire::OrderedHost& host : hosts) {
    if (host.host >= side.rows.size()) continue;
    Row& row = side.rows[host.host];
    row.ordered = host.limit;
    row.limit = host.limit >= row.limit ? host.limit : std::max(host.limit, row.used);
    row.due = kNever;
    if (row.limit > row.ordered) {
      const bool release = host.lowering == wire::Lowering::release;
      if (release) row.ordered = row.limit;
      if (host.lowering == wire::Lowering::reclaim) row.due = now + grace_ms;
      if (host.lowering == wire::Lowering::shrink) row.due = now + run_time_ms;
    }
  }
  side.due = kNever;
  for (const Row& row : side.rows) side.due = std::min(side.due, row.due);
  side.news = true;
  fill();
}

void EstimatedCluster::end_work(uint32_t place, Instant now) {
  Side& side = sides_[place];
  side.due = kNever;
  for (Row& row : side.rows) {
    if (row.due <= now) {
      const int32_t least = std::min(row.used, row.ordered);
      used_ -= row.used - least;
      row.used = least;
      row.limit = row.ordered;
      row.due = kNever;
      side.news = true;
    }
    side.due = std::min(side.due, row.due);
  }
  fill();
}

void EstimatedCluster::forget_leased() {
  for (Side& side : sides_) {
    if (side.own) continue;
    for (Row& row : side.rows) {
      used_ -= row.used;
      row = {.up = row.up};
    }
    side.answer_at = side.due = kNever;
  }
}

void EstimatedCluster::pass(Instant now) {
  if (run_time_ms_ > 0 && now > passed_) ahead_ += SlotMs{used_ - running_} * (now - passed_);
  passed_ = std::max(passed_, now);
}

void EstimatedCluster::want(const Want& want, Instant now) {
  pass(now);
  run_time_ms_ = want.run_time_ms;
  // Nothing was left to do then: what was done here besides was none of it.
  if (want.slots == 0) ahead_ = std::min(ahead_, SlotMs{0});
  const auto over = run_time_ms_ == 0 ? 0 : static_cast<int64_t>(ahead_ / run_time_ms_);
  wanted_ = std::max<int64_t>(0, want.slots - over);
  running_ = want.used;
  needs_ = want.needs;
  fill();
}

/// Less is wanted: slots that are asked back first, then the last ones.
void EstimatedCluster::fill() {
  for (const bool asked_back : {true, false}) {
    for (auto at = order_.rbegin(); at != order_.rend() && used_ > wanted_; ++at) {
      stop(sides_[*at], asked_back);
    }
  }
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

namespace {

int32_t free_of(const EstimatedCluster::Row& row) {
  return row.up && row.limit == row.ordered ? row.limit - row.used : 0;
}

}  // namespace

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

void EstimatedCluster::stop(Side& side, bool asked_back) {
  for (auto row = side.rows.rbegin(); row != side.rows.rend() && used_ > wanted_; ++row) {
    const bool going = row->limit > row->ordered;
    if (going != asked_back || row->used == 0) continue;
    const auto less = static_cast<int32_t>(std::min<int64_t>(row->used, used_ - wanted_));
    row->used -= less;
    used_ -= less;
    if (going) row->limit = std::max(row->ordered, row->used);
    if (row->limit == row->ordered) row->due = kNever;
    side.news = true;
  }
}

void EstimatedCluster::state(uint32_t place, wire::StateBlock& block) {
  Side& side = sides_[place];
  side.news = false;
  side.answer_at = kNever;
  wire::GroupState group;
  group.generation = side.generation;
  group.seq = side.seq;
  group.ever_used = side.ever_used;
  group.first = static_cast<uint32_t>(block.hosts.size());
  group.count = static_cast<uint32_t>(side.rows.size());
  block.groups.push_back(group);
  for (uint32_t r = 0; r < side.rows.size(); ++r) {
    const Row& row = side.rows[r];
    block.hosts.push_back({r, row.limit, row.used, row.up});
  }
}

}  // namespace leasehold
