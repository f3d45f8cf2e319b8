#include "broker/replay/lookup.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/replay/rebuild.hpp"
#include "broker/replay/timeline.hpp"
#include "broker/replay/usage.hpp"
#include "broker/store/sqlite/history.hpp"
#include "broker/store/sqlite/store.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/request.hpp"
#include "common/json_text.hpp"

namespace leasehold {

namespace {

/// Decisions that `lease` shows.
constexpr int64_t kDecisionsShown = 20;

int64_t integer_of(const Json& request, const char* key, int64_t fallback) {
  auto found = request.find(key);
  return found != request.end() && found->is_number_integer() ? found->get<int64_t>() : fallback;
}

/// Instants in requests are absolute: whoever asks has resolved "-2h".
Result<std::optional<Instant>> instant_of(const Json& request, const char* key) {
  const std::string text = request_text(request, key);
  if (text.empty()) return std::nullopt;
  Result<Instant> at = parse_time(text, Instant{});
  if (!at) return tl::unexpected(at.error());
  return *at;
}

Result<Json> rows_of(SqliteStore& store, const HistoryFilter& filter) {
  Result<std::vector<HistoryRow>> found = history(store, filter);
  if (!found) return tl::unexpected(found.error());
  return parse_json<Json>(history_json(*found));
}

/// A lease that history has rows of, or that is there now; else the nearest id is named.
Status require_known(SqliteStore& store, const std::string& lease) {
  HistoryFilter any;
  any.lease = lease;
  any.limit = 1;
  any.inputs = true;
  const Result<std::vector<HistoryRow>> found = history(store, any);
  if (!found) return tl::unexpected(found.error());
  if (!found->empty()) return {};
  const Result<State> state = store.load();
  if (!state) return tl::unexpected(state.error());
  const Result<LeaseRef> known = require_lease(*state, lease);
  return known ? Status{} : tl::unexpected(known.error());
}

Result<Json> answer_history(SqliteStore& store, const Json& request, int64_t rows_max) {
  HistoryFilter filter;
  filter.lease = request_text(request, "lease");
  if (!filter.lease.empty()) {
    if (Status known = require_known(store, filter.lease); !known) {
      return tl::unexpected(known.error());
    }
  }
  filter.after_id = integer_of(request, "after", 0);
  filter.newest = request_flag(request, "newest");
  const int64_t wanted = integer_of(request, "limit", rows_max);
  if (filter.newest && wanted > rows_max) {
    return fail(ErrorCode::refused, "the broker gives the newest " + std::to_string(rows_max) +
                                        " rows at the most ([limits] history_rows); without a "
                                        "limit it gives all, page by page");
  }
  filter.limit = std::clamp<int64_t>(wanted, 1, rows_max);
  const auto since = instant_of(request, "since");
  const auto until = instant_of(request, "until");
  if (!since) return tl::unexpected(since.error());
  if (!until) return tl::unexpected(until.error());
  filter.since = *since;
  filter.until = *until;
  return rows_of(store, filter);
}

Result<Json> answer_decisions(SqliteStore& store, const std::string& lease) {
  HistoryFilter filter;
  filter.lease = lease;
  filter.limit = kDecisionsShown;
  filter.newest = true;
  return rows_of(store, filter);
}

/// Refused: nothing was known yet. (That it is not known any more is told by the rebuilding.)
Status require_begun(SqliteStore& store, Instant at) {
  HistoryFilter first;
  first.limit = 1;
  first.inputs = true;
  const Result<std::vector<HistoryRow>> found = history(store, first);
  if (!found) return tl::unexpected(found.error());
  if (found->empty()) return fail(ErrorCode::refused, "there is no history yet");
  if (at >= found->front().time) return {};
  return fail(ErrorCode::refused, "history begins at " + format_utc(found->front().time) +
                                      ": nothing is known of " + format_utc(at) +
                                      "; name a later time");
}

/// Rebuilt from the history: at "at", else after the last event.
Result<Json> answer_at(SqliteStore& store, const Json& request) {
  const auto at = instant_of(request, "at");
  if (!at) return tl::unexpected(at.error());
  if (*at) {
    if (Status there = require_begun(store, **at); !there) return tl::unexpected(there.error());
  }
  const Result<State> state = state_at(store, at->value_or(kNever));
  if (!state) return tl::unexpected(state.error());
  return answer_query(*state, {}, {}, request);
}

Result<Json> answer_usage(SqliteStore& store, const Json& request) {
  const auto since = instant_of(request, "since");
  const auto until = instant_of(request, "until");
  if (!since) return tl::unexpected(since.error());
  if (!until) return tl::unexpected(until.error());
  return usage_rows(store, *since, *until);
}

/// What only the history knows: demand and use are of reports, which no table keeps.
bool from_history(const Question& question, const Json& request) {
  return question.rebuilt || (question.takes.at && request.contains("at"));
}

/// What the database knows of agents: nothing but what the last commit says.
Result<Json> answer_as_committed(SqliteStore& store, const Json& request) {
  Result<State> state = store.load();
  if (!state) return tl::unexpected(state.error());
  Liveness liveness;
  liveness.now = state->now;
  liveness.agents_known = false;
  Result<Json> answer = answer_query(*state, liveness, {}, request);
  if (answer && request_text(request, "command") == "lease") {
    Result<Json> decisions = answer_decisions(store, request_text(request, "lease"));
    if (!decisions) return decisions;
    (*answer)["decisions"] = *std::move(decisions);
  }
  return answer;
}

}  // namespace

Result<Json> look_up(const std::string& database, const Json& request, int64_t history_rows_max) {
  Result<std::unique_ptr<SqliteStore>> store = SqliteStore::open(database, OpenMode::read_only);
  if (!store) return tl::unexpected(store.error());
  const std::string command = request_text(request, "command");
  if (command == "history") return answer_history(**store, request, history_rows_max);
  if (command == "decisions") return answer_decisions(**store, request_text(request, "lease"));
  if (command == "usage") return answer_usage(**store, request);
  const Question* question = find_question(command);
  if (question != nullptr && from_history(*question, request)) return answer_at(**store, request);
  if (question != nullptr) return answer_as_committed(**store, request);
  return fail(ErrorCode::usage, "'" + command +
                                    "' changes things: it needs a running broker (--broker), "
                                    "not a database (--db)");
}

}  // namespace leasehold
