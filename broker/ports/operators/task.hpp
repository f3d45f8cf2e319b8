// What the loop gives OperatorPort to answer from, and what it gets back to do.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/ports/access.hpp"
#include "broker/views/liveness.hpp"
#include "broker/views/views.hpp"
#include "common/result.hpp"

namespace leasehold {

/// What a request is answered from. References live as long as the call.
struct OperatorContext {
  const State& state;
  const Liveness& liveness;
  Instant now;
  int64_t durable_event = 0;  // the last that is on disk
  /// For reload: the configuration file read anew, checked, windows resolved, `by` as given;
  /// nullopt: it is being read, ask again under the same `reading`. 0: it is asked for the first
  /// time.
  std::function<std::optional<Result<ConfigRead>>(uint64_t& reading, const std::string& by)>
      read_configuration;
  /// Set where another broker leads, or nobody: changes are refused with it.
  const Error* elsewhere = nullptr;
};

/// A change that an operator asked for, already checked: step it, commit, then call finish(). Or
/// what was refused, for the history: nobody waits for it.
struct OperatorTask {
  uint64_t ticket = 0;                   // 0: nobody waits
  Event event;                           // OperatorCommand, ConfigLoaded or OperatorRefused
  std::shared_ptr<const Access> access;  // of a ConfigLoaded: in force with it
};

}  // namespace leasehold
