// The questions of the catalogue, asked of a state: as JSON or as text, filtered.
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/lists/filter.hpp"
#include "common/json_text.hpp"

namespace leasehold {

namespace {

/// Rows are filtered before they are JSON, which need not show what filters look at.
Result<Json> answer_many(const State& state, const Liveness& liveness, const ValueSources& sources,
                         const Request& request) {
  const Result<std::string> text = answer_text(state, liveness, sources, request);
  if (!text) return tl::unexpected(text.error());
  return parse_json<Json>(*text);
}

}  // namespace

Result<Json> answer_query(const State& state, const Liveness& liveness, const ValueSources& sources,
                          const Request& request) {
  if (request.row == nullptr || request.row->answer == nullptr) {
    return fail(ErrorCode::usage, "'" + request.command + "' is not a query");
  }
  if (request.row->each_row != nullptr) return answer_many(state, liveness, sources, request);
  Result<Json> answer = request.row->answer({state, liveness, sources, request});
  if (!answer) return answer;
  const Status kept = keep_wanted(RowFilter(request.row->list, request), state, *answer);
  return kept ? std::move(answer) : tl::unexpected(kept.error());
}

Result<std::string> answer_text(const State& state, const Liveness& liveness,
                                const ValueSources& sources, const Request& request,
                                const TakePart& take) {
  if (request.row == nullptr || request.row->each_row == nullptr) {
    const Result<Json> answer = answer_query(state, liveness, sources, request);
    if (!answer) return tl::unexpected(answer.error());
    return answer->dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  const RowFilter filter(request.row->list, request);
  Parts parts(take);
  request.row->each_row(state, [&](ListedRow& row) {
    if (filter.wants(row)) parts.add(row);
  });
  if (parts.empty()) {
    if (Status known = filter.explain_none(state); !known) return tl::unexpected(known.error());
  }
  return parts.rest();
}

}  // namespace leasehold
