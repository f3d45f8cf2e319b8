// Access: what a configuration says beside the core's part: who may come in, as whom the broker
// answers, how much each may ask. In force together with the configuration that it was read with.
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
  // As written, for people: where each setting comes from.
  ResourcePlans plans;
  WrittenSettings written;
};

/// A configuration file read: the event for the core, and the access that goes with it. Without
/// access (tests) nothing changes there.
struct ConfigRead {
  ConfigRead() = default;
  ConfigRead(ConfigLoaded event, std::shared_ptr<const Access> with = nullptr)
      : loaded(std::move(event)), access(std::move(with)) {}

  ConfigLoaded loaded;
  std::shared_ptr<const Access> access;
  std::vector<Error> warnings;
};

/// All that is wrong with a file as one error, a line each. Contract: not empty.
Error joined(const std::vector<Error>& errors);

}  // namespace leasehold
