#include "broker/replay/lookup.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "broker/replay/backup_page.hpp"
#include "broker/replay/compare.hpp"
#include "broker/replay/rebuild.hpp"
#include "broker/replay/timeline.hpp"
#include "broker/replay/usage.hpp"
#include "broker/store/sqlite/history.hpp"
#include "broker/store/sqlite/store.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/lists/filter.hpp"
#include "broker/views/request_json.hpp"
#include "common/json_text.hpp"

namespace leasehold {

namespace {

/// Decisions that `lease` shows.
constexpr int64_t kDecisionsShown = 20;

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

Result<Json> answer_history(SqliteStore& store, const Request& request, int64_t rows_max) {
  HistoryFilter filter;
  filter.lease = request.lease;
  if (!filter.lease.empty()) {
    if (Status known = require_known(store, filter.lease); !known) {
      return tl::unexpected(known.error());
    }
  }
  filter.after_id = request.after.value_or(0);
  filter.newest = request.newest;
  const int64_t wanted = request.limit.value_or(rows_max);
  if (filter.newest && wanted > rows_max) {
    return fail(ErrorCode::refused, "the broker gives the newest " + std::to_string(rows_max) +
                                        " rows at the most ([limits] history_rows); without a "
                                        "limit it gives all, page by page");
  }
  filter.limit = std::clamp<int64_t>(wanted, 1, rows_max);
  filter.since = request.since;
  filter.until = request.until;
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

/// What agents said last is in no log: nothing is told of it.
Result<Json> answer_of(SqliteStore& store, const State& state, Instant now,
                       const Request& request) {
  Liveness liveness;
  liveness.now = now;
  liveness.agents_known = false;
  Result<Json> answer = answer_query(state, liveness, {}, request);
  if (answer && request.command == "lease") {
    Result<Json> decisions = last_decisions(store, request.lease, request.at);
    if (!decisions) return decisions;
    (*answer)["decisions"] = *std::move(decisions);
  }
  return answer;
}

/// Rebuilt from the history: at "at", else after the last event.
Result<Json> answer_at(SqliteStore& store, const Request& request) {
  if (request.at) {
    const Status there = require_begun(store, *request.at);
    if (!there) return tl::unexpected(there.error());
  }
  const Result<State> state = state_at(store, request.at.value_or(kNever));
  if (!state) return tl::unexpected(state.error());
  return answer_of(store, *state, request.at.value_or(state->now), request);
}

/// What only the history knows: demand and use are of reports, which no table keeps.
bool from_history(const Request& request) {
  return request.row->rebuilt || request.at.has_value();
}

/// What the database knows of agents: nothing but what the last commit says.
Result<Json> answer_as_committed(SqliteStore& store, const Request& request) {
  const Result<State> state = store.load();
  if (!state) return tl::unexpected(state.error());
  return answer_of(store, *state, state->now, request);
}

/// A pattern that nothing matches is judged by what the last commit knows.
Result<Json> only_wanted(SqliteStore& store, const Request& request, Result<Json> rows) {
  const RowFilter filter(request.row->list, request);
  if (!rows || filter.wants_all()) return rows;
  const Result<State> state = store.load();
  if (!state) return tl::unexpected(state.error());
  const Status kept = keep_wanted(filter, *state, *rows);
  return kept ? std::move(rows) : tl::unexpected(kept.error());
}

/// Rows that are read at once.
constexpr int64_t kPage = 10'000;

/// Gives `take` every row that the filter wants, a page after the other.
Status each_row(SqliteStore& store, HistoryFilter filter,
                const std::function<Status(const HistoryRow&)>& take) {
  filter.limit = kPage;
  while (true) {
    const Result<std::vector<HistoryRow>> rows = history(store, filter);
    if (!rows) return tl::unexpected(rows.error());
    for (const HistoryRow& row : *rows) {
      if (Status taken = take(row); !taken) return taken;
    }
    if (static_cast<int64_t>(rows->size()) < kPage) return {};
    filter.after_id = rows->back().id;
  }
}

/// Where an operator set time back, by the id of the event.
using TimesSetBack = std::map<int64_t, Instant>;

Result<TimesSetBack> times_set_back(SqliteStore& store, int64_t after_id) {
  TimesSetBack times;
  HistoryFilter filter;
  filter.after_id = after_id;
  filter.kinds = {record_token(RecordKind::clock_set)};
  const Status read = each_row(store, filter, [&times](const HistoryRow& row) {
    times[row.id] = row.time;
    return Status{};
  });
  return read ? Result<TimesSetBack>(std::move(times)) : tl::unexpected(read.error());
}

/// What a wrong clock made of an instant beyond the one that time was set back to later.
Instant counted_at(const TimesSetBack& times, const HistoryRow& row) {
  Instant at = row.time;
  for (auto set = times.upper_bound(row.id); set != times.end(); ++set) {
    at = std::min(at, set->second);
  }
  return at;
}

Result<Json> compare_rows(SqliteStore& store, std::optional<Instant> since,
                          std::optional<Instant> until) {
  if (since && until && *until < *since) {
    return fail(ErrorCode::usage, "--until is before --since");
  }
  // What happened at that very instant is counted, too.
  const Result<StateFrom> begin =
      state_from(store, since ? std::optional(*since + -1) : std::nullopt);
  if (!begin) return tl::unexpected(begin.error());
  const Result<TimesSetBack> set_back = times_set_back(store, begin->last_event);
  if (!set_back) return tl::unexpected(set_back.error());
  CompareMeter meter(begin->state, since.value_or(begin->state.now));
  HistoryFilter filter;
  filter.after_id = begin->last_event;
  filter.until = until;
  filter.kinds = CompareMeter::kinds();
  filter.inputs = filter.payloads = true;
  const Status read = each_row(store, filter, [&](const HistoryRow& row) {
    return meter.take(row, counted_at(*set_back, row));
  });
  if (!read) return tl::unexpected(read.error());
  const Result<State> end = state_at(store, until.value_or(kNever));
  if (!end) return tl::unexpected(end.error());
  return meter.rows(*end, until.value_or(end->now));
}

Result<Json> answer_compare(SqliteStore& store, const Request& request) {
  Result<Json> rows = compare_rows(store, request.since, request.until);
  if (!rows || request.lease.empty()) return only_wanted(store, request, std::move(rows));
  if (Status known = require_known(store, request.lease); !known) {
    return tl::unexpected(known.error());
  }
  Json of_it = Json::array();
  for (Json& row : *rows) {
    if (row["lease"] == request.lease) of_it.push_back(std::move(row));
  }
  return only_wanted(store, request, std::move(of_it));
}

}  // namespace

Result<Json> last_decisions(SqliteStore& store, const std::string& lease,
                            std::optional<Instant> at) {
  HistoryFilter filter;
  if (at) filter.until = *at + 1;  // those of that very instant too
  filter.lease = lease;
  filter.limit = kDecisionsShown;
  filter.newest = true;
  return rows_of(store, filter);
}

Result<Json> look_up(const std::string& database, const Request& request,
                     int64_t history_rows_max) {
  if (request.row == nullptr || request.row->is_change()) {
    return fail(ErrorCode::usage, "'" + request.command +
                                      "' changes things: it needs a running broker (--broker), "
                                      "not a database (--db)");
  }
  Result<std::unique_ptr<SqliteStore>> store = SqliteStore::open(database, OpenMode::read_only);
  if (!store) return tl::unexpected(store.error());
  if (request.command == "history") return answer_history(**store, request, history_rows_max);
  if (request.command == "backup") {
    return backup_page(**store, {request.after, request.part.value_or(0)});
  }
  if (request.command == "usage") {
    return only_wanted(**store, request, usage_rows(**store, request.since, request.until));
  }
  if (request.command == "compare") return answer_compare(**store, request);
  return from_history(request) ? answer_at(**store, request)
                               : answer_as_committed(**store, request);
}

Result<int64_t> event_at(const std::string& database, Instant at) {
  Result<std::unique_ptr<SqliteStore>> store = SqliteStore::open(database, OpenMode::read_only);
  if (!store) return tl::unexpected(store.error());
  return last_event_by(**store, at);
}

}  // namespace leasehold
