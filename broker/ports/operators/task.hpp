// OperatorContext is what the loop gives OperatorPort to answer from; OperatorTask is what the port
// returns for the loop to do.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/ports/access.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "broker/views/views.hpp"
#include "common/result.hpp"

namespace leasehold {

/// The state by which a request is answered. References live as long as the call.
struct OperatorContext {
  const State& state;
  const Liveness& liveness;
  Instant now;
  int64_t durable_event = 0;  // the last event on disk
  /// Reads and checks the configuration file for a reload, windows resolved, `by` as given.
  /// `reading` is 0 in the first call, which sets it. nullopt: the file is still being read, and
  /// the call is to be repeated with the same `reading`. Empty while `elsewhere` is set.
  std::function<std::optional<Result<ConfigRead>>(uint64_t& reading, const std::string& by)>
      read_configuration;
  /// Set where another broker leads, or nobody: changes are refused with it.
  const Error* elsewhere = nullptr;
};

/// A change that an operator asked for, already checked: the loop steps it, commits, then calls
/// finish(). Or a refused attempt for the history, which nobody waits for.
struct OperatorTask {
  uint64_t ticket = 0;                   // 0: nobody waits
  Event event;                           // OperatorCommand, ConfigLoaded or OperatorRefused
  std::shared_ptr<const Access> access;  // comes into force with a ConfigLoaded
};

}  // namespace leasehold
