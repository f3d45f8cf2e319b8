// Catalogue: every question that a broker answers, a row each: what it is called and for, what it
// takes, who answers, how people see the answer. Permissions, `leasectl` with its help, the past
// and the control endpoint go by these rows, so that the same question gets the same answer
// anywhere: at the endpoint, of a database file, of a past instant. Not the changes: Command
// (event.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "broker/views/json.hpp"
#include "broker/views/tables/columns.hpp"
#include "broker/views/views.hpp"
#include "common/result.hpp"

namespace leasehold {

/// What a question may name besides itself, each a field of the request.
struct QuestionFields {
  bool lease = false;     // required
  bool cluster = false;   // this one alone
  bool at = false;        // a past instant: then history answers
  bool exported = false;  // hosts that are exported alone
  bool details = false;   // every effective value and where it comes from
};

struct Asked {
  const State& state;
  const Liveness& liveness;
  const ValueSources& sources;
  const Json& request;
};

struct Question {
  const char* name;
  const char* what;      // for --help
  const char* examples;  // the same
  QuestionFields takes = {};
  /// Of a database file it is rebuilt from the history: its last commit does not keep all of it.
  bool rebuilt = false;
  /// nullptr: the history answers (broker/replay/lookup.hpp).
  Result<Json> (*answer)(const Asked& asked) = nullptr;
  /// nullptr: whoever asks makes its own of the rows.
  std::string (*table)(const Json& answer, const TableStyle& style) = nullptr;
};

/// In the order of `leasectl --help`.
std::span<const Question> questions();
/// nullptr: there is none of that name.
const Question* find_question(std::string_view name);

/// Errors: `unknown` for an id that nobody knows (naming the nearest), `usage` for a request that
/// lacks it, or that is none of those that the state answers. The decisions of `lease` are left
/// empty: they are history.
Result<Json> answer_query(const State& state, const Liveness& liveness, const ValueSources& sources,
                          const Json& request);

/// The lease `id`, or an Error that names the nearest id.
Result<LeaseRef> require_lease(const State& state, const std::string& id);

/// The answer to that question, or what `reload` shows, as text ending in a newline; an empty list
/// is one friendly line. Control characters in names are shown as '?'.
std::string table_of(const std::string& command, const Json& answer, const TableStyle& style);

}  // namespace leasehold
