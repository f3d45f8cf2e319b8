// Answers the questions of the catalogue from a state, as JSON or as text, and filters the rows.
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/lists/filter.hpp"
#include "broker/views/request/branch.hpp"

namespace leasehold {

namespace {

Result<Json> answer_many(const State& state, const Request& request) {
  Json rows = Json::array();
  const Status found =
      each_wanted(state, request, [&](ListedRow& row) { rows.push_back(row.json()); });
  if (!found) return tl::unexpected(found.error());
  show_branch(request, rows);
  return rows;
}

}  // namespace

Status each_wanted(const State& state, const Request& request, const RowVisit& visit) {
  const RowFilter filter(request.row->list, request);
  bool any = false;
  request.row->each_row(state, [&](ListedRow& row) {
    if (!filter.wants(row)) return;
    if (request.branch != nullptr && !request.branch->has_lease(row.key())) return;
    any = true;
    visit(row);
  });
  return any ? Status{} : filter.explain_none(state);
}

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
  if (request.row->each_row != nullptr) return answer_many(state, request);
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
  Parts parts(take);
  const Status found = each_wanted(state, request, [&](ListedRow& row) { parts.add(row); });
  if (!found) return tl::unexpected(found.error());
  return parts.rest();
}

}  // namespace leasehold
