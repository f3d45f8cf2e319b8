#include "broker/store/bases.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "broker/record/state_bytes.hpp"
#include "common/version.hpp"

namespace leasehold {

Status Bases::begin() {
  const Result<KeptLog::Since> since = kept_.since_base();
  if (!since) return tl::unexpected(since.error());
  since_ = *since;
  return {};
}

bool Bases::needs_base(const Retention& retention, Instant now) const {
  return is_base_needed(retention, since_.bytes, since_.base_bytes, since_.time.value_or(now), now);
}

/// The maker has not delivered the wanted base in good time.
bool Bases::is_late(const Retention& retention) const {
  return wanted_ != 0 &&
         since_.bytes - bytes_at_want_ >= base_interval_bytes(retention, since_.base_bytes);
}

/// The base is asked for before the commit, so that the maker, which follows the log, cannot have
/// passed this row yet.
void Bases::before_commit(const LogRow& row, int64_t last_event, const State& state) {
  since_.bytes += static_cast<int64_t>(row.body.size());
  // This also holds where time was set back: the next one is made as long after it as ever.
  if (!since_.time || *since_.time > row.time) since_.time = row.time;
  if (!std::exchange(asks_maker_, false)) return;
  maker_->want({last_event, row.hash, unimaged_of(state)});
  wanted_ = last_event;
  bytes_at_want_ = since_.bytes;
}

Result<bool> Bases::after_commit(const Retention& retention, const LogEnd& end,
                                 const State& state) {
  if (made_ || wanted_ != 0) {
    const Result<bool> finished = write_some();
    if (!finished || *finished) return finished;
    if (made_ || !is_late(retention)) return false;
  } else if (!needs_base(retention, state.now)) {
    return false;
  } else if (maker_ != nullptr) {
    asks_maker_ = true;
    return false;
  }
  const Status written = write_all(end, state);
  return written ? Result<bool>(true) : tl::unexpected(written.error());
}

/// Writes one part of a base that the maker has made, if there is one. True: that was the last
/// part.
Result<bool> Bases::write_some() {
  if (!made_) {
    std::optional<MadeBase> made = maker_->take();
    if (!made || made->last_event != wanted_) return false;
    made_ = std::move(made);
    parts_left_ = made_->chunks.size();
  }
  if (Status put = write_part(); !put) return tl::unexpected(put.error());
  if (--parts_left_ > 0) return false;
  int64_t bytes = 0;
  for (const Chunk& chunk : made_->chunks) bytes += static_cast<int64_t>(chunk.body.size());
  since_ = {bytes, since_.bytes - bytes_at_want_, made_->time};
  made_.reset();
  wanted_ = 0;
  return true;
}

Status Bases::write_part() {
  const size_t left = made_->chunks.size() - parts_left_;
  const size_t part = (left + 1) % made_->chunks.size();  // the first one last
  const BasePart one{made_->last_event, static_cast<int64_t>(part), made_->time,
                     made_->chunks[part]};
  return kept_.put({&one, 1});
}

Status Bases::write_all(const LogEnd& end, const State& state) {
  Base base{end.last_event, end.batch, state.now, kCoreVersion, end.hash, {}};
  encode_state(state, base.state);
  const std::vector<Chunk> chunks = chunks_of(base);
  std::vector<BasePart> parts;
  for (size_t i = 0; i < chunks.size(); ++i) {
    parts.push_back({base.last_event, static_cast<int64_t>(i), base.time, chunks[i]});
  }
  if (Status put = kept_.put(parts); !put) return put;
  since_ = {static_cast<int64_t>(base.state.size()), 0, state.now};
  wanted_ = 0;
  return {};
}

Status Bases::compact(const Retention& retention, Instant now) {
  const Status done = remove_too_old(retention, now);
  return done ? remove_too_much(retention) : done;
}

/// Lets history begin with the newest base that is old enough, if it has rows before it.
Status Bases::remove_too_old(const Retention& retention, Instant now) {
  if (retention.age_ms == 0) return {};
  const Result<int64_t> first = log_.first_event();
  if (!first) return tl::unexpected(first.error());
  const Result<std::vector<BasePlace>> bases = log_.bases();
  if (!bases) return tl::unexpected(bases.error());
  for (auto base = bases->rbegin(); *first != 0 && base != bases->rend(); ++base) {
    if (base->time > now + -retention.age_ms || base->last_event < *first) continue;
    return kept_.remove_before(base->last_event);
  }
  return {};
}

/// Removes one base after the other, until what is left is little enough.
Status Bases::remove_too_much(const Retention& retention) {
  if (retention.size_bytes == 0) return {};
  while (!kept_.waits()) {
    const Result<int64_t> used = kept_.used_bytes();
    if (!used) return tl::unexpected(used.error());
    if (*used <= most_bytes(retention)) return {};
    const Result<int64_t> first = log_.first_event();
    if (!first) return tl::unexpected(first.error());
    const Result<std::vector<BasePlace>> bases = log_.bases();
    if (!bases) return tl::unexpected(bases.error());
    const auto next = std::find_if(bases->begin(), bases->end(), [&](const BasePlace& base) {
      return *first != 0 && base.last_event >= *first;
    });
    if (next == bases->end()) return {};
    if (Status removed = kept_.remove_before(next->last_event); !removed) return removed;
  }
  return {};
}

}  // namespace leasehold
