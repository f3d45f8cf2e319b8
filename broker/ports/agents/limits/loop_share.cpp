#include "broker/ports/agents/limits/loop_share.hpp"

#include <algorithm>
#include <iterator>

#include "common/log.hpp"
#include "common/wire/codec.hpp"

namespace leasehold {

namespace {

constexpr size_t kShortBytes = size_t{64} << 10;  // of a heartbeat that is read at once

}  // namespace

bool LoopShare::put_to_wait(Frame& frame) {
  if (!work_us_) return false;
  const auto envelope = wire::peek(frame.bytes);
  if (!envelope || !agents_say(envelope->type)) return false;  // refused without reading it
  const std::string peer = peer_name(frame);
  const auto known = waiting_.find(peer);
  const bool any = known != waiting_.end();
  const bool beat = envelope->type == wire::MessageType::heartbeat;
  const bool greets = any && known->second.greets(frame.peer);
  if (beat && !greets && frame.bytes.size() <= kShortBytes) return false;
  if (!any && budget_.has_left(peer, turn_.start().ms)) return false;
  const std::string cluster = sessions_.cluster_of(frame.peer);
  note_waiting(cluster, waiting_[peer].put(std::exchange(frame, Frame{}), envelope->type));
  return true;
}

/// The log tells of it once, until end_notices().
void LoopShare::note_waiting(const std::string& cluster, size_t dropped) {
  if (cluster.empty()) return;
  ClusterLiveness& live = turn_.liveness_of(cluster);
  live.waiting_dropped += dropped;
  if (live.waits_since) return;
  live.waits_since = turn_.start();
  log_warn(
      "messages-delayed",
      {{"cluster", cluster},
       {"ms_per_second", static_cast<uint64_t>(kLoopUsPerSecond / 1000)},
       {"why",
        "what the cluster's agent sends takes more of the broker's time than one agent may have"},
       {"then", "its messages are read later, and its oldest reports are dropped"},
       {"do", "look what its agent sends, and for a second process of it"}});
}

void LoopShare::read_waiting(const std::function<void(const Frame&)>& read) {
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    Waiting& messages = each->second;
    while (!messages.empty() && budget_.has_left(each->first, turn_.start().ms)) {
      const Frame frame = messages.take();
      charge(each->first, [&] { read(frame); });
    }
    each = messages.empty() ? waiting_.erase(each) : std::next(each);
  }
}

void LoopShare::end_notices() {
  for (auto& [cluster, live] : turn_.liveness().clusters) {
    if (!live.waits_since) continue;
    const Peer* known = sessions_.find(cluster);
    const std::string peer = known == nullptr ? "" : peer_name(*known);
    if (waiting_.contains(peer)) continue;
    if (budget_.is_half_full(peer, turn_.start().ms)) live.waits_since.reset();
  }
}

Instant LoopShare::next(Instant now) {
  Instant soonest = kNever;
  for (const auto& [peer, messages] : waiting_) {
    soonest = std::min(soonest, Instant{budget_.left_again_ms(peer, now.ms)});
  }
  return soonest;
}

}  // namespace leasehold
