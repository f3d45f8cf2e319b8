#include "broker/ports/peer_rates.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace leasehold {

namespace {

constexpr size_t kForgetAt = 1024;

}  // namespace

PeerRates::PeerRates(int64_t per_second, int64_t saved_least)
    : per_second_(per_second),
      full_milli_(std::max(per_second * kSavedSeconds, saved_least) * 1000),
      forget_at_(kForgetAt) {}

/// A thousandth of a message a millisecond for each message a second.
void PeerRates::fill(Bucket& bucket, int64_t now_ms) const {
  const int64_t passed_ms = std::clamp<int64_t>(now_ms - bucket.at_ms, 0, 3'600'000);
  bucket.level_milli = std::min(full_milli_, bucket.level_milli + passed_ms * per_second_);
  bucket.at_ms = std::max(bucket.at_ms, now_ms);
}

/// A full bucket says nothing that a new one does not: strangers that come and go fill no memory.
void PeerRates::forget_full(int64_t now_ms) {
  for (auto it = buckets_.begin(); it != buckets_.end();) {
    fill(it->second, now_ms);
    it = it->second.level_milli == full_milli_ ? buckets_.erase(it) : std::next(it);
  }
  forget_at_ = std::max(kForgetAt, 2 * buckets_.size());
}

PeerRates::Verdict PeerRates::take(const std::string& peer, size_t bytes, int64_t now_ms) {
  if (per_second_ == 0) return Verdict::taken;
  if (buckets_.size() >= forget_at_) forget_full(now_ms);
  const auto [entry, is_new] = buckets_.try_emplace(peer, Bucket{full_milli_, now_ms, false});
  Bucket& bucket = entry->second;
  fill(bucket, now_ms);
  const int64_t parts = (static_cast<int64_t>(bytes) + kBytesPerMessage - 1) / kBytesPerMessage;
  const int64_t cost_milli = std::clamp<int64_t>(parts, 1, full_milli_ / 1000) * 1000;
  if (bucket.level_milli >= cost_milli) {
    bucket.level_milli -= cost_milli;
    // A second's worth saved up again: what comes next is another row.
    if (bucket.level_milli >= std::min(per_second_ * 1000, full_milli_ / 2)) {
      bucket.dropping = false;
    }
    return Verdict::taken;
  }
  ++dropped_;
  return std::exchange(bucket.dropping, true) ? Verdict::dropped : Verdict::first_dropped;
}

}  // namespace leasehold
