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
#include "broker/store/database.hpp"
#include "broker/store/log/follow_log.hpp"
#include "broker/store/log/history.hpp"
#include "broker/store/log/log.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/lists/filter.hpp"
#include "broker/views/request/branch.hpp"
#include "broker/views/request/request_json.hpp"

namespace leasehold {

namespace {

/// The number of decisions that `lease` shows.
constexpr int64_t kDecisionsShown = 20;

Result<Json> rows_of(Log& log, const HistoryFilter& filter) {
  Result<std::vector<HistoryRow>> found = history(log, filter);
  if (!found) return tl::unexpected(found.error());
  return history_json(*found);
}

/// Returns the completed id of a lease that history has rows of, or that exists now; else an Error
/// that names the nearest id.
Result<std::string> known_lease(Log& log, Request asked) {
  HistoryFilter any;
  any.lease = asked.lease;
  any.limit = 1;
  any.inputs = true;
  const Result<std::vector<HistoryRow>> found = history(log, any);
  if (!found) return tl::unexpected(found.error());
  if (!found->empty()) return asked.lease;
  const Result<State> state = load_state(log);
  if (!state) return tl::unexpected(state.error());
  asked.row = find_request("lease");
  complete_names(*state, asked);
  const Result<LeaseRef> known = require_lease(*state, asked.lease);
  if (!known) return tl::unexpected(known.error());
  return asked.lease;
}

/// True if the row shows a cluster that the pattern matches. Names that the asker does not see
/// match nothing: else a question would find out who another branch's cluster is.
bool names_cluster(const HistoryRow& row, const std::string& pattern, const Branch* branch) {
  const auto matches = [&](const std::string& name) {
    return !name.empty() && (branch == nullptr || branch->is_seen(name)) &&
           matches_pattern(name, pattern);
  };
  const size_t colon = row.lease.find(':');
  const std::string consumer = colon == std::string::npos ? "" : row.lease.substr(colon + 1);
  return matches(row.cluster) || matches(row.from) || matches(row.to) || matches(consumer);
}

/// An Error with the nearest name where neither history nor the site knows the cluster. Whoever
/// sees one branch alone does not learn which clusters there are.
Status known_cluster(Log& log, const Request& request) {
  const std::string& cluster = request.cluster_like;
  if (cluster.empty() || request.branch != nullptr) return {};
  if (is_pattern(cluster)) return {};
  const Result<State> state = load_state(log);
  if (!state) return tl::unexpected(state.error());
  return require_known(*state, RequestField::of_cluster, cluster);
}

/// Narrows the filter to what the request asks for by pattern, and to the asker's branch.
Status narrow(HistoryFilter& filter, const Request& request) {
  if (!request.kind_like.empty()) {
    Result<std::vector<std::string>> kinds = kinds_like(request.kind_like);
    if (!kinds) return tl::unexpected(kinds.error());
    filter.kinds = *std::move(kinds);
  }
  const std::string& cluster = request.cluster_like;
  if (request.branch != nullptr) {
    filter.any_of = request.branch->words();
  } else if (!cluster.empty() && !is_pattern(cluster)) {
    filter.any_of = {cluster};
  }
  if (cluster.empty() && request.branch == nullptr) return {};
  filter.wanted = [branch = request.branch, cluster](const HistoryRow& row) {
    if (branch != nullptr && !branch->has_event(row.lease, row.cluster)) return false;
    return cluster.empty() || names_cluster(row, cluster, branch.get());
  };
  return {};
}

Result<Json> answer_history(Log& log, const Request& request, int64_t rows_max) {
  HistoryFilter filter;
  filter.lease = request.lease;
  if (!filter.lease.empty()) {
    const Result<std::string> known = known_lease(log, request);
    if (!known) return tl::unexpected(known.error());
    filter.lease = *known;
  }
  filter.after_id = request.after.value_or(0);
  filter.newest = request.newest;
  const int64_t wanted = request.limit.value_or(rows_max);
  if (filter.newest && wanted > rows_max) {
    return fail(ErrorCode::refused, "one answer has at most " + std::to_string(rows_max) +
                                        " rows ([limits] history_rows); leave the limit (-n) out "
                                        "to get all, page by page");
  }
  filter.limit = std::clamp<int64_t>(wanted, 1, rows_max);
  filter.since = request.since;
  filter.until = request.until;
  if (Status narrowed = narrow(filter, request); !narrowed) return tl::unexpected(narrowed.error());
  Result<Json> rows = rows_of(log, filter);
  if (rows && rows->empty() && !request.after) {  // a follower asks again and again
    if (Status known = known_cluster(log, request); !known) return tl::unexpected(known.error());
  }
  if (rows) show_branch(request, *rows);
  return rows;
}

/// Refused: history had not begun yet. (Rebuilding refuses instants that retention has removed.)
Status require_begun(Log& log, Instant at) {
  HistoryFilter first;
  first.limit = 1;
  first.inputs = true;
  const Result<std::vector<HistoryRow>> found = history(log, first);
  if (!found) return tl::unexpected(found.error());
  if (found->empty()) return fail(ErrorCode::refused, "there is no history yet");
  if (at >= found->front().time) return {};
  return fail(ErrorCode::refused, "history begins at " + format_utc(found->front().time) +
                                      ": nothing is known of " + format_utc(at) +
                                      "; name a later time");
}

/// Logs do not contain what agents said last, so the answer leaves it out.
Result<Json> answer_of(Log& log, const State& state, Instant now, const Request& request) {
  Liveness liveness;
  liveness.now = now;
  liveness.agents_known = false;
  Result<Json> answer = answer_query(state, liveness, {}, request);
  if (answer && request.row->added == Added::decisions) {
    Result<Json> decisions = last_decisions(log, text_at(*answer, "id"), request.at);
    if (!decisions) return decisions;
    (*answer)["decisions"] = *std::move(decisions);
    show_branch(request, *answer);
  }
  return answer;
}

/// Rebuilds the state from the history, at "at" or after the last event, and asks it.
Result<Json> answer_at(Log& log, const Request& request) {
  if (request.at) {
    const Status there = require_begun(log, *request.at);
    if (!there) return tl::unexpected(there.error());
  }
  const Result<State> state = state_at(log, request.at.value_or(kNever));
  if (!state) return tl::unexpected(state.error());
  return answer_of(log, *state, request.at.value_or(state->now), request);
}

/// True for questions that need the history: demand and use come from reports, which no table
/// keeps.
bool from_history(const Request& request) {
  return request.row->needs_replay || request.at.has_value();
}

/// Answers with the state of the last commit, which is all that the database knows of agents,
/// unless the history is needed.
Result<Json> answer_of_state(Log& log, const Request& request) {
  if (from_history(request)) return answer_at(log, request);
  const Result<State> state = load_state(log);
  if (!state) return tl::unexpected(state.error());
  return answer_of(log, *state, state->now, request);
}

/// Filters the rows; a pattern that matches none is explained by the state of the last commit.
Result<Json> only_wanted(Log& log, const Request& request, Result<Json> rows) {
  if (rows) show_branch(request, *rows);
  RowFilter filter(request.row->list, request);
  if (!rows || filter.wants_all()) return rows;
  const Result<State> state = load_state(log);
  if (!state) return tl::unexpected(state.error());
  // A name that only history knows means itself, though one that is known now begins so.
  if (std::none_of(rows->begin(), rows->end(),
                   [&filter](const Json& row) { return filter.wants(row); })) {
    Request completed = request;
    complete_names(*state, completed);
    filter = RowFilter(request.row->list, completed);
  }
  const Status kept = keep_wanted(filter, *state, *rows);
  return kept ? std::move(rows) : tl::unexpected(kept.error());
}

/// The number of rows read at once.
constexpr int64_t kPage = 10'000;

/// Calls `take` with every row that the filter wants, page by page.
Status each_row(Log& log, HistoryFilter filter,
                const std::function<Status(const HistoryRow&)>& take) {
  filter.limit = kPage;
  while (true) {
    const Result<std::vector<HistoryRow>> rows = history(log, filter);
    if (!rows) return tl::unexpected(rows.error());
    for (const HistoryRow& row : *rows) {
      if (Status taken = take(row); !taken) return taken;
    }
    if (static_cast<int64_t>(rows->size()) < kPage) return {};
    filter.after_id = rows->back().id;
  }
}

/// The times that an operator set the clock back to, by the id of the event.
using TimesSetBack = std::map<int64_t, Instant>;

Result<TimesSetBack> times_set_back(Log& log, int64_t after_id) {
  TimesSetBack times;
  HistoryFilter filter;
  filter.after_id = after_id;
  filter.kinds = {record_token(RecordKind::clock_set)};
  const Status read = each_row(log, filter, [&times](const HistoryRow& row) {
    times[row.id] = row.time;
    return Status{};
  });
  return read ? Result<TimesSetBack>(std::move(times)) : tl::unexpected(read.error());
}

/// Caps the row's time at the times that the clock was set back to after it, so that the excess of
/// a wrong clock counts for nothing.
Instant counted_at(const TimesSetBack& times, const HistoryRow& row) {
  Instant at = row.time;
  for (auto set = times.upper_bound(row.id); set != times.end(); ++set) {
    at = std::min(at, set->second);
  }
  return at;
}

Result<Json> compare_rows(Log& log, std::optional<Instant> since, std::optional<Instant> until) {
  if (since && until && *until < *since) {
    return fail(ErrorCode::usage, "--until, which is now unless it is given, is before --since");
  }
  // Events of that very instant are counted, too.
  const Result<StateFrom> begin =
      state_from(log, since ? std::optional(*since + -1) : std::nullopt);
  if (!begin) return tl::unexpected(begin.error());
  const Result<TimesSetBack> set_back = times_set_back(log, begin->last_event);
  if (!set_back) return tl::unexpected(set_back.error());
  CompareMeter meter(begin->state, since.value_or(begin->state.now));
  HistoryFilter filter;
  filter.after_id = begin->last_event;
  filter.until = until;
  filter.kinds = CompareMeter::kinds();
  filter.inputs = filter.payloads = true;
  const Status read = each_row(log, filter, [&](const HistoryRow& row) {
    return meter.take(row, counted_at(*set_back, row));
  });
  if (!read) return tl::unexpected(read.error());
  const Result<State> end = state_at(log, until.value_or(kNever));
  if (!end) return tl::unexpected(end.error());
  return meter.rows(*end, until.value_or(end->now));
}

Result<Json> answer_compare(Log& log, const Request& request) {
  Result<Json> rows = compare_rows(log, request.since, request.until);
  if (!rows || request.lease.empty()) return only_wanted(log, request, std::move(rows));
  const Result<std::string> lease = known_lease(log, request);
  if (!lease) return tl::unexpected(lease.error());
  Json of_it = Json::array();
  for (Json& row : *rows) {
    if (row["lease"] == *lease) of_it.push_back(std::move(row));
  }
  return only_wanted(log, request, std::move(of_it));
}

}  // namespace

Result<Json> last_decisions(Log& log, const std::string& lease, std::optional<Instant> at) {
  HistoryFilter filter;
  if (at) filter.until = *at + 1;  // events of that very instant are included
  filter.lease = lease;
  filter.limit = kDecisionsShown;
  filter.newest = true;
  return rows_of(log, filter);
}

namespace {

/// Only a running broker can answer `brokers`.
tl::unexpected<Error> no_brokers(const std::string& database) {
  const Result<std::string> last = last_leader(database);
  if (!last) return tl::unexpected(last.error());
  return fail(ErrorCode::usage,
              "'brokers' asks brokers which of them leads: leave --db out (--broker says whom)" +
                  (last->empty() ? "" : "; on that database the last that led was " + *last));
}

}  // namespace

Result<Json> look_up(const std::string& database, const Request& request,
                     int64_t history_rows_max) {
  if (request.row == nullptr || request.row->is_change()) {
    return fail(ErrorCode::usage, "'" + request.command +
                                      "' changes things: it needs a running broker (--broker), "
                                      "not a database (--db)");
  }
  const AnsweredBy by = request.row->answered_by;
  if (by == AnsweredBy::broker) return no_brokers(database);
  const auto log = open_log(database);
  if (!log) return tl::unexpected(log.error());
  switch (by) {
    case AnsweredBy::history:
      return answer_history(**log, request, history_rows_max);
    case AnsweredBy::backup:
      return backup_page(**log, {request.after, request.part.value_or(0)});
    case AnsweredBy::usage:
      return only_wanted(**log, request, usage_rows(**log, request.since, request.until));
    case AnsweredBy::used_by:
      return only_wanted(**log, request,
                         used_by_rows(**log, request.whose, request.since, request.until));
    case AnsweredBy::compare:
      return answer_compare(**log, request);
    case AnsweredBy::broker:
    case AnsweredBy::state:
      break;
  }
  return answer_of_state(**log, request);
}

Result<int64_t> event_at(const std::string& database, Instant at) {
  const auto log = open_log(database);
  if (!log) return tl::unexpected(log.error());
  return last_event_by(**log, at);
}

}  // namespace leasehold
