// Lookups are the functions that answer questions, called on threads of their own: questions about
// now are answered by a copy of the state that follows the log, questions about the past by reading
// the log. The daemon fills them in; the ports call them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "broker/metrics/input.hpp"
#include "broker/ports/access.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "broker/views/json.hpp"
#include "broker/views/request/request.hpp"
#include "broker/views/request/selection.hpp"
#include "broker/views/views.hpp"
#include "common/result.hpp"

namespace leasehold {

/// The event after whose commit the answer is true, and the time of that event.
struct AsOf {
  int64_t event = 0;
  Instant time;
  /// Set if the database fell silent after the question came: the answer is from memory.
  std::optional<NobodyLeads> nobody = {};
};

/// A question about now, with all that no log keeps, as it was when the question came.
struct PresentQuestion {
  Request request;
  int64_t event = 0;  // the last durable one: the answer is true after it or a later one
  Instant now;
  std::shared_ptr<const Liveness> liveness;  // nullptr: the answer does not need it
  ValueSources sources;
  std::shared_ptr<const Access> access;  // what the sources refer to
  RowSelection selection = {};           // of the rows, where the answer is a list
  bool from_memory = false;  // nobody leads: the log is not read, the last state answers
  /// Takes the first parts of a long answer, as they are made: JSON of the result, and the event
  /// that it is true after. Empty: the answer comes whole.
  std::function<void(const AsOf& of, std::string&& json)> take = {};
};

struct PresentAnswer {
  std::string json;  // the result, behind the parts of it that were taken
  AsOf as_of;
  std::optional<std::string>
      next;  // the key behind which the next page begins; nullopt: there is none
};

/// All that the metrics are made of, as it was when the question came.
struct MetricsQuestion {
  int64_t event = 0;
  Instant now;
  std::shared_ptr<const Liveness> liveness;
  std::shared_ptr<const LoopFigures> figures;
  HttpFigures http = {};
  bool database_failing = false;
  LeaderView leader_view = {};
  int64_t series_most = 0;
};

struct Lookups {
  /// Answers `history`, `usage`, `compare`, and any question with "at", from a database.
  std::function<Result<Json>(const Request& request)> past;
  std::function<Result<PresentAnswer>(const PresentQuestion& question)> present;
  /// Answers `brokers` by the state that was followed last: at once, on any thread. Empty:
  /// `present` answers it.
  std::function<PresentAnswer(const PresentQuestion& question)> leader_view = {};
  /// Follows the log; a thread calls it when there is more in it.
  std::function<void()> follow = {};
  /// The members of that branch of the consumer tree, after that event or a later one.
  std::function<Result<Branch>(const std::string& path, int64_t event, bool from_memory)> branch =
      {};
  /// The id of the last event that had happened at `at`.
  std::function<Result<int64_t>(Instant at)> event_at = {};
  /// Checks that the log is read and followed; the Error says why it is not.
  std::function<Status()> followed = {};
  /// Returns the metrics of now as text.
  std::function<Result<std::string>(const MetricsQuestion& question)> metrics = {};
  /// Set while nobody leads and no database can be read: this may have begun since the question
  /// came.
  std::function<std::optional<NobodyLeads>()> silent = {};
};

}  // namespace leasehold
