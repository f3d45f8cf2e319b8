// Greeter: who is greeted. A hello opens a session if it is of a cluster of the configuration,
// comes from one of that cluster's keys, has seen no leadership that outranks this broker's, and
// the core admits it.
#pragma once

#include "broker/core/admission.hpp"
#include "broker/ports/agents/clock_check.hpp"
#include "broker/ports/agents/epochs.hpp"
#include "broker/ports/agents/limits/record_share.hpp"
#include "broker/ports/agents/loss_watch.hpp"
#include "broker/ports/agents/replies.hpp"
#include "broker/ports/agents/sessions.hpp"
#include "broker/ports/agents/statements/statements.hpp"
#include "broker/ports/agents/turn.hpp"

namespace leasehold {

/// The parts that a hello bears on.
struct GreeterParts {
  PortTurn& turn;
  Sessions& sessions;
  Replies& replies;
  Epochs& epochs;
  RecordShare& record;
  Statements& statements;
  LossWatch& loss_watch;
  ClockCheck& clock_check;
};

class Greeter {
 public:
  explicit Greeter(const GreeterParts& parts) : parts_(parts) {}
  void on(const Incoming& in, const wire::Hello& hello);

 private:
  bool admits(const Incoming& in, const wire::Hello& hello);
  bool is_known(const Incoming& in, const wire::Hello& hello);
  void note_copy(const Incoming& in, const wire::Hello& hello, const Refused& refused);

  GreeterParts parts_;
};

}  // namespace leasehold
