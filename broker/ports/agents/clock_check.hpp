// ClockCheck: what follows from an agent's clock. Histories are read beside each other, so that one
// clock that is wrong confuses people, and it may be the broker's; and ages of work are corrected
// by the difference.
#pragma once

#include "broker/ports/agents/peer.hpp"
#include "broker/ports/agents/replies.hpp"
#include "broker/ports/agents/turn.hpp"

namespace leasehold {

class ClockCheck {
 public:
  ClockCheck(PortTurn& turn, Replies& replies) : turn_(turn), replies_(replies) {}

  /// Takes over what the peer's ClockMeter has found: it is shown with the cluster, and the log
  /// tells of a clock that differs, once until it is right again.
  void check(Peer& peer);

 private:
  void correct_ages(Peer& peer);

  PortTurn& turn_;
  Replies& replies_;
};

}  // namespace leasehold
