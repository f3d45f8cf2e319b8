// Access is the part of a configuration that the core does not see: operators and tokens, the
// broker's own key, limits. It is in force together with the configuration that it was read with.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "broker/config/daemon.hpp"
#include "broker/config/plan/windows.hpp"
#include "broker/core/model/event.hpp"
#include "broker/ports/tokens.hpp"
#include "common/key.hpp"

namespace leasehold {

struct Access {
  std::vector<OperatorConfig> operators;
  LimitsConfig limits;
  std::optional<KeyPair> own;  // nullopt: no [security]
  HttpConfig http;
  Tokens tokens;  // of `operators`
  // These show people where each setting was written.
  ResourcePlans plans;
  WrittenSettings written;
};

/// A configuration file that was read: the event for the core, and the access that goes with it.
/// Without access, as in tests, the one in force stays.
struct ConfigRead {
  ConfigRead() = default;
  ConfigRead(ConfigLoaded event, std::shared_ptr<const Access> with = nullptr)
      : loaded(std::move(event)), access(std::move(with)) {}

  ConfigLoaded loaded;
  std::shared_ptr<const Access> access;
  std::vector<Error> warnings;
};

}  // namespace leasehold
