#include "broker/ports/agents/statements/ended_work.hpp"

#include <utility>

#include "broker/core/admission.hpp"

namespace leasehold {

void EndedWork::begin_turn() {
  for (auto& [cluster, known] : known_) known.recorded = known.stepped;
}

void EndedWork::note(const Peer& peer, const std::vector<wire::EndedWork>& ended) {
  Known& known = known_[peer.cluster];
  if (known.state_id != peer.state_id) known = {peer.state_id, 0, 0, {}};
  uint64_t last = known.noted.empty() ? known.stepped : known.noted.back().number;
  for (const wire::EndedWork& work : ended) {
    if (work.number <= last || known.noted.size() == wire::kEndedMost) continue;
    last = work.number;
    known.noted.push_back(work);
  }
}

void EndedWork::step(const State& state, const EventSink& sink) {
  for (auto& [cluster, known] : known_) {
    if (known.noted.empty()) continue;
    WorkEnded event{cluster, std::exchange(known.noted, {})};
    if (find_cluster(state, cluster) == kNoIndex || !record_.has_left(cluster)) continue;
    known.stepped = event.work.back().number;
    record_.step(cluster, event, sink);
  }
}

uint64_t EndedWork::recorded(const Peer& peer) const {
  const auto known = known_.find(peer.cluster);
  const bool same = known != known_.end() && known->second.state_id == peer.state_id;
  return same ? known->second.recorded : 0;
}

}  // namespace leasehold
