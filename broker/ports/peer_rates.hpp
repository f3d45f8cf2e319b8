// PeerRates limits the messages a second of each peer, with a token bucket for each. Messages above
// the limit are dropped, and the peer is answered once; other peers notice nothing. Pure: time
// comes in.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace leasehold {

class PeerRates {
 public:
  /// A silent peer saves up messages for so long: the burst after a reconnection is honest.
  static constexpr int64_t kSavedSeconds = 10;
  /// A long message is as much work as several: each 64 KiB that it begins counts as one.
  static constexpr int64_t kBytesPerMessage = 64 << 10;

  enum class Verdict : uint8_t {
    taken,
    first_dropped,  // of a row: say so, once
    dropped,
  };

  /// The largest message must fit into a full bucket.
  static constexpr int64_t kSavedLeast = 1024;

  /// 0 per second means unlimited.
  explicit PeerRates(int64_t per_second = 0, int64_t saved_least = kSavedLeast);

  Verdict take(const std::string& peer, size_t bytes, int64_t now_ms);

  int64_t per_second() const { return per_second_; }
  uint64_t dropped() const { return dropped_; }
  /// Returns the number of peers remembered: those that have sent lately.
  size_t size() const { return buckets_.size(); }

 private:
  struct Bucket {
    int64_t level_milli = 0;  // thousandths of a message
    int64_t at_ms = 0;
    bool dropping = false;
  };

  void fill(Bucket& bucket, int64_t now_ms) const;
  void forget_full(int64_t now_ms);

  int64_t per_second_;
  int64_t full_milli_;
  size_t forget_at_;
  uint64_t dropped_ = 0;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace leasehold
