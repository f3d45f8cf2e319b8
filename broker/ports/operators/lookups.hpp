// Lookups: who answers questions, on threads of their own: of now, whoever follows the log; of the
// past, whoever reads it. What the port asks, and what it hands over with the question; the
// daemon says who they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "broker/metrics/input.hpp"
#include "broker/ports/access.hpp"
#include "broker/views/json.hpp"
#include "broker/views/liveness.hpp"
#include "broker/views/request.hpp"
#include "broker/views/selection.hpp"
#include "broker/views/views.hpp"
#include "common/result.hpp"

namespace leasehold {

/// The event that an answer is of, the last one before it, and when that was.
struct AsOf {
  int64_t event = 0;
  Instant time;
  /// The database fell silent after the question came: it is answered from memory.
  std::optional<NobodyLeads> nobody = {};
};

/// A question of now, with all that no log keeps, as it was when the question came.
struct PresentQuestion {
  Request request;
  int64_t event = 0;  // the last that was durable: the answer is of it or of a later one
  Instant now;
  std::shared_ptr<const Liveness> liveness;  // where the answer tells of it; else empty
  ValueSources sources;
  std::shared_ptr<const Access> access;  // what the sources refer to
  RowSelection selection = {};           // of the rows, where the answer is a list
  bool from_memory = false;  // nobody leads: by what was followed last, the log is not read
  /// Takes the first parts of a long answer, as they are made: of which event, and JSON of the
  /// result. Empty: the answer comes whole.
  std::function<void(const AsOf& of, std::string&& json)> take = {};
};

struct PresentAnswer {
  std::string json;  // the result, behind the parts of it that were taken
  AsOf as_of;
  std::optional<std::string>
      next;  // the page ends here, and there is more: the key to go on behind
};

/// What metrics are made of, as it was when the question came.
struct MetricsQuestion {
  int64_t event = 0;
  Instant now;
  std::shared_ptr<const Liveness> liveness;
  std::shared_ptr<const LoopFigures> figures;
  HttpFigures http = {};
  bool database_failing = false;
  BrokerStanding standing = {};
  int64_t series_most = 0;
};

struct Lookups {
  /// `history`, `usage`, `compare`, and any question with "at", from a database.
  std::function<Result<Json>(const Request& request)> past;
  std::function<Result<PresentAnswer>(const PresentQuestion& question)> present;
  /// What this broker is (`brokers`), as of what was followed last: at once, on any thread. Empty:
  /// `present` is asked.
  std::function<PresentAnswer(const PresentQuestion& question)> standing = {};
  /// What a thread does when there is more in the log.
  std::function<void()> follow = {};
  /// What belongs to that branch of the consumer tree, as of that event or a later one.
  std::function<Result<Branch>(const std::string& path, int64_t event, bool from_memory)> branch =
      {};
  /// The last event that had happened by then.
  std::function<Result<int64_t>(Instant at)> event_at = {};
  /// Whether the log is read and followed; the Error says why not.
  std::function<Status()> followed = {};
  /// The metrics of now as text.
  std::function<Result<std::string>(const MetricsQuestion& question)> metrics = {};
  /// That nobody leads and no database can be read, though it was not so when the question came.
  std::function<std::optional<NobodyLeads>()> silent = {};
};

}  // namespace leasehold
