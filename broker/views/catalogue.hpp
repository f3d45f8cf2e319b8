// Catalogue: one row for every question that a broker answers and every change that operators may
// make: its name and purpose, what it takes, who may, who answers, and how people see the answer.
// Permissions, `leasectl` with its options, help, completion and reference, the past and the
// control endpoint all follow these rows. The same request is therefore the same at the endpoint,
// of a database file and of a past instant. Fields are described in request.hpp.
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
#include "broker/views/request/request.hpp"
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

enum class AnsweredBy : uint8_t {
  state,   // RequestRow::answer does, of any state
  broker,  // each broker says it of itself; a database knows of none
  // The history does (broker/replay/lookup.cpp):
  history,
  backup,
  usage,
  used_by,
  compare,
};

/// Data that the caller adds to the answer, because State does not hold it.
enum class Added : uint8_t {
  nothing,
  decisions,  // the last decisions about the lease, which the log has
  machine,    // what a running broker finds on its machine and in its own file
};

struct RequestRow {
  const char* name;
  const char* what;      // for --help
  const char* examples;  // for --help
  /// The field that the request is about: it is required, and is not an option.
  std::optional<RequestField> subject = {};
  RequestFields fields = 0;  // the fields that it takes besides
  Role needs = Role::read;   // a role that may change may also ask
  /// Renders the answer for people; nullptr: leasectl does it itself.
  std::string (*table)(const Json& answer, const TableStyle& style) = nullptr;
  /// Set if the answer is a list of rows: it says how they are filtered, sorted and shown in other
  /// forms. The fields that it takes are added to `fields`.
  const Listing* list = nullptr;

  // The following are for questions.
  bool admins_alone = false;  // only admins may ask: the answer shows more than readers may see
  /// For a database file the log is replayed to answer this, because the saved state lacks fields
  /// that only reports and evaluations set.
  bool needs_replay = false;
  /// The answer uses Liveness (the agents' last reports, the present time), so that a running
  /// broker and a database file answer differently.
  bool uses_liveness = false;
  /// The question is about a stretch of time, which ends now unless an earlier end is given.
  bool over_time = false;
  AnsweredBy answered_by = AnsweredBy::state;
  Added added = Added::nothing;
  /// It is nullptr if the history answers.
  Result<Json> (*answer)(const Asked& asked) = nullptr;
  /// Says for --help what the subject may be, where that is more than a lease.
  const char* subject_help = nullptr;
  /// True if the answer shows that a person is needed: leasectl then exits with 1.
  bool (*needs_person)(const Json& answer) = nullptr;
  /// Visits the rows of the answer one by one, where there may be very many. Only for lists of
  /// leases: each_wanted() takes a row's key for the id of a lease.
  void (*each_row)(const State& state, const RowVisit& visit) = nullptr;
  /// The fields that tell the rows of a list apart, separated by a blank; "": the answer is no list
  /// that can be paged.
  const char* key = "";
  /// True if an operator of one branch of the consumer tree may see the row (or the answer);
  /// nullptr: he sees none of it.
  bool (*in_branch)(const Branch& branch, const Json& row) = nullptr;

  // The following are for changes.
  std::optional<Command> command = {};  // absent: the core does not execute it (reload)
  /// Returns a sentence that says what was done, after the commit.
  std::string (*confirmation)(const State& state, const OperatorCommand& command) = nullptr;

  /// True if the request may have the field, as its subject or as an option.
  constexpr bool takes_field(RequestField field) const {
    const RequestFields all = fields | (list == nullptr ? RequestFields{0} : list->fields());
    return subject == field || (all & takes(field)) != 0;
  }
  constexpr bool is_change() const { return needs != Role::read; }
};

/// Returns the questions, in the order of `leasectl --help`.
std::span<const RequestRow> questions();
std::span<const RequestRow> changes();  // changes.cpp
/// Finds a question or a change; nullptr: there is none of that name.
const RequestRow* find_request(std::string_view name);
const RequestRow& change_of(Command command);
/// Returns the row that answers the request: that of its command, or, where a field makes it a
/// question with other rows, that of this question. nullptr: there is no such command.
const RequestRow* row_for(const Request& request);

/// Answers a question. A table has the rows that the request's filters want (lists/filter.hpp); the
/// request of a branch gets its rows, without names of others (show_branch). Errors: `unknown` for
/// an id that is not known (it names the nearest), `usage` for a request without its subject, or
/// one that a state cannot answer. The decisions of `lease` are left empty: they are history.
Result<Json> answer_query(const State& state, const Liveness& liveness, const ValueSources& sources,
                          const Request& request);

/// The same request, of that state: names are completed by what is known in it, and the branch
/// hides the names in it too, for a past state has others than the present that the branch is made
/// of.
Request of_state(Request request, const State& state);

/// Visits the ListedRows of leases that the request wants and its asker sees: an operator of one
/// branch sees those whose key is the id of a lease of his branch. They are filtered before they
/// become JSON, because their JSON need not show what filters look at. Errors: those of
/// RowFilter::explain_none.
Status each_wanted(const State& state, const Request& request, const RowVisit& visit);

/// Reduces an answer to what the request's branch sees: the rows of a list, and no name of others.
/// Filters compare what is shown, so that what they match reveals nothing more.
void show_branch(const Request& request, Json& answer);

/// Returns the answer of answer_query() as text. A long answer is never in memory as JSON values,
/// and with `take` not as a whole either: the returned text is the rest behind all parts that were
/// taken. An Error comes before the first part.
Result<std::string> answer_text(const State& state, const Liveness& liveness,
                                const ValueSources& sources, const Request& request,
                                const TakePart& take = {});

/// Renders the answer to that command as text ending in a newline; an empty list is one friendly
/// line. Control characters in names are shown as '?'. Throws Json::type_error where the answer, or
/// a field that is shown, is of a kind that the table does not know; an absent field is an empty
/// cell.
std::string table_of(std::string_view command, const Json& answer, const TableStyle& style);

}  // namespace leasehold
