// Answers the questions of the catalogue from a state, as JSON or as text, and filters the rows.
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/lists/filter.hpp"
#include "broker/views/request/branch.hpp"
#include "common/text/json_text.hpp"

namespace leasehold {

namespace {

/// Rows are filtered before they become JSON, because their JSON need not show what filters look
/// at.
Result<Json> answer_many(const State& state, const Liveness& liveness, const ValueSources& sources,
                         const Request& request) {
  const Result<std::string> text = answer_text(state, liveness, sources, request);
  if (!text) return tl::unexpected(text.error());
  Result<Json> rows = parse_json<Json>(*text);
  if (rows) show_branch(request, *rows);
  return rows;
}

}  // namespace

Request of_state(Request request, const State& state) {
  if (request.branch != nullptr) {
    auto then = std::make_shared<Branch>(*request.branch);
    then->note_others(state);
    request.branch = std::move(then);
  }
  complete_names(state, request);
  return request;
}

void show_branch(const Request& request, Json& answer) {
  if (request.branch == nullptr) return;
  if (answer.is_array()) {
    Json seen = Json::array();
    for (Json& each : answer) {
      if (request.row->in_branch(*request.branch, each)) seen.push_back(std::move(each));
    }
    answer = std::move(seen);
  }
  request.branch->hide_others(answer);
}

Result<Json> answer_query(const State& state, const Liveness& liveness, const ValueSources& sources,
                          const Request& asked) {
  const Request request = of_state(asked, state);
  if (request.row == nullptr || request.row->answer == nullptr) {
    const bool changes = request.row != nullptr && request.row->is_change();
    return fail(ErrorCode::usage, "'" + request.command + "' " +
                                      (changes ? "changes something; it is" : "is") +
                                      " no question");
  }
  if (request.row->each_row != nullptr) return answer_many(state, liveness, sources, request);
  Result<Json> answer = request.row->answer({state, liveness, sources, request});
  if (!answer) return answer;
  show_branch(request, *answer);
  const Status kept = keep_wanted(RowFilter(request.row->list, request), state, *answer);
  return kept ? std::move(answer) : tl::unexpected(kept.error());
}

Result<std::string> answer_text(const State& state, const Liveness& liveness,
                                const ValueSources& sources, const Request& asked,
                                const TakePart& take) {
  const Request request = of_state(asked, state);
  if (request.row == nullptr || request.row->each_row == nullptr) {
    const Result<Json> answer = answer_query(state, liveness, sources, request);
    if (!answer) return tl::unexpected(answer.error());
    return answer->dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  const RowFilter filter(request.row->list, request);
  Parts parts(take);
  request.row->each_row(state, [&](ListedRow& row) {
    const bool seen = request.branch == nullptr || request.branch->has_lease(row.key());
    if (seen && filter.wants(row)) parts.add(row);
  });
  if (parts.empty()) {
    if (Status known = filter.explain_none(state); !known) return tl::unexpected(known.error());
  }
  return parts.rest();
}

}  // namespace leasehold
