// Whose messages are read now, and whose wait: each peer has a budget of the loop's time
// (loop_time.hpp). Heartbeats are read at once, so that nobody is lost for what it has to say.
#include <utility>

#include "broker/ports/agents/loop_time.hpp"
#include "broker/ports/agents/port.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

constexpr size_t kShortBytes = size_t{64} << 10;  // of a heartbeat that is read at once

}  // namespace

/// What it names may be known only when what waits is read.
bool AgentPort::waits(const Message& in) const {
  return waiting_.contains(peer_name(in.frame));
}

/// True: it was taken out of the frame.
bool AgentPort::put_to_wait(const Message& in) {
  if (!work_us_) return false;
  const auto envelope = wire::peek(in.frame.bytes);
  if (!envelope || !agents_say(envelope->type)) return false;  // refused without reading it
  const std::string peer = peer_name(in.frame);
  const auto known = waiting_.find(peer);
  const bool any = known != waiting_.end();
  const bool beat = envelope->type == wire::MessageType::heartbeat;
  const bool greets = any && known->second.greets(in.frame.peer);
  if (beat && !greets && in.frame.bytes.size() <= kShortBytes) return false;
  if (!any && loop_time_.has_left(peer, in.now.ms)) return false;
  const auto speaker = cluster_of_.find(in.frame.peer);
  const std::string cluster = speaker == cluster_of_.end() ? "" : speaker->second;
  tell_waiting(cluster, waiting_[peer].put(std::exchange(frame_, Frame{}), envelope->type));
  return true;
}

/// Told once, until what waited was read and the peer has calmed down.
void AgentPort::tell_waiting(const std::string& cluster, size_t dropped) {
  if (cluster.empty()) return;
  ClusterLiveness& live = liveness_.clusters[cluster];
  live.waiting_dropped += dropped;
  if (live.waits_since) return;
  live.waits_since = now_;
  log_warn("messages-wait",
           {{"cluster", cluster},
            {"ms_per_second", static_cast<uint64_t>(kLoopUsPerSecond / 1000)},
            {"why",
             "what its agent sends takes more of the broker's time than one agent may have: it is "
             "read later, the oldest reports are dropped. Look what it sends"}});
}

void AgentPort::take_waiting(const State& state, const Sink& sink) {
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    Waiting& messages = each->second;
    while (!messages.empty() && loop_time_.has_left(each->first, now_.ms)) {
      frame_ = messages.take();
      charged(each->first, [&] { handle({state, now_, frame_, sink}); });
    }
    each = messages.empty() ? waiting_.erase(each) : std::next(each);
  }
}

void AgentPort::note_calm() {
  for (auto& [cluster, live] : liveness_.clusters) {
    if (!live.waits_since) continue;
    const auto known = peers_.find(cluster);
    const std::string peer = known == peers_.end() ? "" : peer_name(known->second);
    if (!waiting_.contains(peer) && loop_time_.is_calm(peer, now_.ms)) live.waits_since.reset();
  }
}

}  // namespace leasehold
