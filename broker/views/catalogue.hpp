// Catalogue: every question that a broker answers and every change that operators may make, a row
// each: what it is called and for, what it takes, who may, who answers, how people see the answer.
// Permissions, `leasectl` with its options, help, completion and reference, the past and the
// control endpoint go by these rows, so that the same request is the same anywhere: at the
// endpoint, of a database file, of a past instant. What a field is: request.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "broker/config/daemon.hpp"
#include "broker/views/json.hpp"
#include "broker/views/lists/listed_row.hpp"
#include "broker/views/lists/listing.hpp"
#include "broker/views/lists/parts.hpp"
#include "broker/views/request.hpp"
#include "broker/views/tables/columns.hpp"
#include "broker/views/views.hpp"
#include "common/result.hpp"

namespace leasehold {

class Branch;

struct Asked {
  const State& state;
  const Liveness& liveness;
  const ValueSources& sources;
  const Request& request;
};

struct RequestRow {
  const char* name;
  const char* what;      // for --help
  const char* examples;  // the same
  /// What it is about: required, and no option.
  std::optional<RequestField> subject = {};
  RequestFields fields = 0;  // that it takes besides
  Role needs = Role::read;   // whoever may change, may ask
  /// How people see the answer; nullptr: whoever asks makes its own of it.
  std::string (*table)(const Json& answer, const TableStyle& style) = nullptr;
  /// Its answer is a list of rows: how they are filtered, sorted and shown in other forms. The
  /// fields that this takes are added to `fields`.
  const Listing* list = nullptr;

  // Of a question.
  bool admins_alone = false;  // its answer is more than who may look is shown
  /// Of a database file it is rebuilt from the history: its last commit does not keep all of it.
  bool rebuilt = false;
  /// It tells what agents said last, too, which is in no log.
  bool of_agents = false;
  /// It is about a stretch of time, which ends now where no earlier end is said.
  bool over_time = false;
  /// nullptr: the history answers (broker/replay/lookup.hpp).
  Result<Json> (*answer)(const Asked& asked) = nullptr;
  /// Its subject may be a cluster, a host or a consumer as well as a lease.
  bool of_any_name = false;
  /// The answer shows that somebody is needed: leasectl ends with 1.
  bool (*needs_person)(const Json& answer) = nullptr;
  /// The rows of that answer, where there may be very many.
  void (*each_row)(const State& state, const RowVisit& visit) = nullptr;
  /// Of a list: the fields that tell its rows apart, a space between; "": no list of rows that a
  /// page could go on behind.
  const char* key = "";
  /// Whether who may look at one branch of the consumer tree sees this row (or answer); nullptr:
  /// none of it.
  bool (*in_branch)(const Branch& branch, const Json& row) = nullptr;

  // Of a change.
  std::optional<Command> command = {};  // absent: it is not the core that is told (reload)
  /// What was done, as a sentence, after its commit.
  std::string (*done)(const State& state, const OperatorCommand& command) = nullptr;

  constexpr bool has(RequestField field) const {
    const RequestFields all = fields | (list == nullptr ? RequestFields{0} : list->fields());
    return subject == field || (all & takes(field)) != 0;
  }
  constexpr bool is_change() const { return needs != Role::read; }
};

/// In the order of `leasectl --help`.
std::span<const RequestRow> questions();
std::span<const RequestRow> changes();  // changes.cpp
/// A question or a change; nullptr: there is none of that name.
const RequestRow* find_request(std::string_view name);
const RequestRow& change_of(Command command);

/// Of a table's answer the rows that the request's filters want (lists/filter.hpp). Of a request
/// of one branch, its rows, without names of others (show_branch).
/// Errors: `unknown` for an id that nobody knows (naming the nearest), `usage` for a request that
/// lacks it, or that is none of those that the state answers. The decisions of `lease` are left
/// empty: they are history.
Result<Json> answer_query(const State& state, const Liveness& liveness, const ValueSources& sources,
                          const Request& request);

/// The same request, of that state: names are completed by what is known in it, and the branch
/// hides the names in it too, for a past state has others than the present that the branch is made
/// of.
Request of_state(Request request, const State& state);

/// Leaves of an answer what the request's branch sees: of a list its rows; and no name of others.
/// Filters come after it: what they match tells nothing that the rows do not show.
void show_branch(const Request& request, Json& answer);

/// The same as text; a long answer never is in memory as values, and with `take` not as a whole
/// either: what is returned is the rest, behind all parts that were taken. An Error comes before
/// the first part.
Result<std::string> answer_text(const State& state, const Liveness& liveness,
                                const ValueSources& sources, const Request& request,
                                const TakePart& take = {});

/// The answer to that command as text ending in a newline; an empty list is one friendly line.
/// Control characters in names are shown as '?'. Throws Json::type_error where the answer, or a
/// field that is shown, is of a kind that this table does not know; an absent field is an empty
/// cell.
std::string table_of(std::string_view command, const Json& answer, const TableStyle& style);

}  // namespace leasehold
