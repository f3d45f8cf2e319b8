// OffHosts: what a broker says of this cluster's hosts that are not up (schema/wire/PROTOCOL.md,
// "Hosts that are down", "Hosts that are asleep"), and which of them are to be switched on now: a
// few at once. A host that did not come up, or of which nothing was lent when it was up, is tried
// again after longer and longer times. Pure. The workload manager switches hosts on.
//
// For a restart of the agent the caller calls save() before hosts are switched on, and restore()
// afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "agent/core/limits/view.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

/// The most hosts that are being switched on at once. A host that still sleeps counts for
/// kFirstWakeAgainMs after it was tried, and one that is coming up for kLastWakeAgainMs.
inline constexpr size_t kWakingMost = 4;
inline constexpr int64_t kFirstWakeAgainMs = 300'000;
inline constexpr int64_t kLastWakeAgainMs = 3'600'000;

/// A host that was to be switched on, as it is kept on disk.
struct SavedWake {
  std::string host;
  int64_t wait_ms = 0;  // before it is tried again
  int64_t at_ms = 0;    // when it was tried
  bool operator==(const SavedWake&) const = default;
};

class OffHosts {
 public:
  /// Notes that an inventory was sent after this heartbeat. Answers to that and to earlier
  /// heartbeats are about hosts as they were, and are ignored.
  void sent_inventory(uint64_t heartbeat);
  /// Takes the lists of an answer, unless it is to be ignored.
  void take_answer(const wire::HeartbeatAnswer& answer);

  /// Returns the hosts of which nobody else uses anything, as the last answer said. Some may be up
  /// again by now, or not be known here any more.
  const std::vector<std::string>& unused() const { return unused_; }
  /// Returns the hosts to switch on now, once for each answer: only hosts that the look shows
  /// asleep and that may be lent.
  std::vector<std::string> to_wake(const View& view, int64_t now_ms);
  void tried(const std::string& host, int64_t now_ms);
  /// Returns the hosts that were tried, without those whose waiting time is long over.
  std::vector<SavedWake> save(int64_t now_ms) const;
  /// Restores what save() returned. After a boot of the machine nobody knows how long ago a host
  /// was tried: it counts as tried now.
  void restore(std::span<const SavedWake> saved, bool same_boot, int64_t now_ms);
  /// Notes that slots of the host are lent, so that it is not delayed next time. Returns true if it
  /// was known as tried.
  bool lent(const std::string& host) { return tried_.erase(host) != 0; }

 private:
  struct Tried {
    int64_t wait_ms = 0;
    int64_t at_ms = 0;
  };

  uint64_t inventory_ = 0;  // the last heartbeat before it
  std::vector<std::string> wake_;
  std::vector<std::string> unused_;
  std::map<std::string, Tried> tried_;
};

}  // namespace leasehold::agent
