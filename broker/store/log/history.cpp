#include "broker/store/log/history.hpp"

#include <algorithm>
#include <utility>

#include "broker/record/log_body.hpp"
#include "broker/store/log/ends.hpp"
#include "broker/store/log/history_times.hpp"
#include "broker/store/log/log.hpp"

namespace leasehold {

namespace {

constexpr const char* kAudited[] = {"operator-command", "operator-refused", "config-loaded",
                                    "alarm", "work-ended"};

/// Collects the events that a filter asks for, from one commit after the other.
class Found {
 public:
  Found(const HistoryFilter& filter, int64_t from, int64_t until)
      : filter_(filter), from_(from), until_(until) {}

  /// Returns false when the filter's limit is reached.
  Result<bool> take(const LogRow& row);
  bool is_full() const {
    return filter_.limit >= 0 && static_cast<int64_t>(rows_.size()) >= filter_.limit;
  }
  std::vector<HistoryRow> rows() &&;

 private:
  bool is_asked_for(const HistoryRow& row) const;
  bool may_have_any(const LogBody& body) const;
  bool is_of_use(const std::string& body) const;
  void add(HistoryRow row);

  const HistoryFilter& filter_;
  int64_t from_;
  int64_t until_;
  std::vector<HistoryRow> rows_;
};

bool Found::is_asked_for(const HistoryRow& row) const {
  if (!filter_.lease.empty() && row.lease != filter_.lease) return false;
  if (!filter_.inputs && is_input(row)) return false;
  if (filter_.wanted && !filter_.wanted(row)) return false;
  return filter_.kinds.empty() ||
         std::find(filter_.kinds.begin(), filter_.kinds.end(), row.kind) != filter_.kinds.end();
}

bool Found::may_have_any(const LogBody& body) const {
  if (!filter_.lease.empty() && !body.names(filter_.lease)) return false;
  return filter_.kinds.empty() ||
         std::any_of(filter_.kinds.begin(), filter_.kinds.end(),
                     [&body](const std::string& kind) { return body.names(kind); });
}

/// Each text stands in a body once, as it is: most are passed over without being taken apart.
bool Found::is_of_use(const std::string& body) const {
  const auto holds = [&body](const std::string& text) { return body.find(text) != body.npos; };
  if (!holds(filter_.lease)) return false;
  return filter_.any_of.empty() || std::any_of(filter_.any_of.begin(), filter_.any_of.end(), holds);
}

void Found::add(HistoryRow row) {
  if (std::find(std::begin(kAudited), std::end(kAudited), row.kind) != std::end(kAudited)) {
    take_audit(row);
  }
  if (!filter_.payloads) row.payload.clear();
  rows_.push_back(std::move(row));
}

Result<bool> Found::take(const LogRow& row) {
  if (!is_of_use(row.body)) return true;
  const Result<LogBody> body = LogBody::read(row);
  if (!body) return tl::unexpected(body.error());
  if (!may_have_any(*body)) return true;
  HistoryRow event;
  for (int64_t i = 0; i < body->events(); ++i) {
    if (is_full()) return false;
    const int64_t at = filter_.newest ? body->events() - 1 - i : i;
    const int64_t id = row.first_event + at;
    if (id < from_ || id >= until_) continue;
    if (Status read = body->texts_of(at, event); !read) return tl::unexpected(read.error());
    if (!is_asked_for(event)) continue;
    if (Status read = body->event(at, event); !read) return tl::unexpected(read.error());
    add(std::move(event));
  }
  return !is_full();
}

std::vector<HistoryRow> Found::rows() && {
  if (filter_.newest) std::reverse(rows_.begin(), rows_.end());
  return std::move(rows_);
}

/// Returns the first event that the filter asks for, and the one after the last.
Result<std::pair<int64_t, int64_t>> span_of(Log& log, const HistoryFilter& filter) {
  int64_t from = filter.after_id + 1;
  int64_t until = INT64_MAX;
  if (filter.since) {
    const Result<int64_t> first = first_event_at(log, *filter.since);
    if (!first) return tl::unexpected(first.error());
    from = std::max(from, *first);
  }
  if (filter.until) {
    const Result<int64_t> end = first_event_at(log, *filter.until);
    if (!end) return tl::unexpected(end.error());
    until = *end;
  }
  return std::pair(from, until);
}

}  // namespace

Result<std::vector<HistoryRow>> history(Log& log, const HistoryFilter& filter) {
  const auto one_view = log.one_view();
  if (!one_view) return tl::unexpected(one_view.error());
  const auto span = span_of(log, filter);
  if (!span) return tl::unexpected(span.error());
  const auto [from, until] = *span;
  Found found(filter, from, until);
  const auto rows = filter.newest ? log.rows(until - 1, Order::newest_first)
                                  : log.rows(from, Order::oldest_first);
  LogRow row;
  bool more = !found.is_full();
  while (more) {
    const Result<bool> there = rows->next(row);
    if (!there) return tl::unexpected(there.error());
    if (!*there || (!filter.newest && row.first_event >= until)) break;
    const Result<bool> taken = found.take(row);
    if (!taken) return tl::unexpected(taken.error());
    // With the newest first, a row that begins at or before `from` is the last one needed.
    more = *taken && !(filter.newest && row.first_event <= from);
  }
  return std::move(found).rows();
}

}  // namespace leasehold
