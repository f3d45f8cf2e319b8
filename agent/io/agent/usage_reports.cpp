#include "agent/io/agent/usage_reports.hpp"

#include <utility>

#include "common/log.hpp"

namespace leasehold::agent {

/// A site that reports users no more does not report those that it counted before.
void UsageReports::restore(SavedUsage saved, int64_t now_ms) {
  kept_number_ = saved.last_number;
  const bool any = !saved.open.empty() || !saved.closed.empty();
  if (!names_.any()) saved = {.open = {}, .closed = {}, .last_number = saved.last_number};
  count_.restore(std::move(saved), moment(now_ms));
  if (!names_.any() && any) keep(now_ms, true);
}

void UsageReports::on_answer(std::optional<uint64_t> recorded, int64_t now_ms) {
  if (!recorded) return;
  broker_records_ = true;
  if (count_.recorded(*recorded)) keep(now_ms, true);
}

void UsageReports::look(const Book& book, const std::vector<GroupUse>& use, int64_t now_ms) {
  if (names_.any()) count_.look(book, use, moment(now_ms));
}

bool UsageReports::wants_list(const Book& book, int64_t now_ms) const {
  if (!names_.any() || !count_.any_open()) return false;
  return now_ms >= next_ms_ || count_.close_due(book, moment(now_ms));
}

void UsageReports::list(const Book& book, const std::vector<GroupUse>& use, const WorkList& work,
                        const WorkSessions& sessions, int64_t now_ms) {
  count_.list(book, use, work.units, sessions, work.now, moment(now_ms));
}

void UsageReports::finish(const Book& book, int64_t now_ms) {
  if (!names_.any()) return;
  const bool closes = count_.close_due(book, moment(now_ms));
  const size_t lost = closes ? count_.close(book, moment(now_ms)) : 0;
  if (lost > 0) log_warn("used-slots-lost", {{"counts", lost}});
  if (!closes && (!count_.any_open() || now_ms < next_ms_)) return;
  next_ms_ = now_ms + kEveryMs;
  keep(now_ms, closes);
}

/// Only logs if it cannot be kept: no lease waits for it.
void UsageReports::keep(int64_t now_ms, bool closed_too) {
  const SavedUsage saved = count_.save(moment(now_ms));
  closed_too = std::exchange(closed_unkept_, false) || closed_too;
  if (const Status done = state_.save_usage(saved, closed_too); !done) {
    closed_unkept_ = closed_too;
    return log_not_written(done.error(), "the broker learns later who used borrowed slots");
  }
  if (closed_too) kept_number_ = saved.last_number;
}

std::optional<std::vector<wire::UsedSlots>> UsageReports::unreported() const {
  if (!broker_records_) return std::nullopt;
  std::vector<wire::UsedSlots> closed = count_.unreported();
  std::erase_if(closed, [&](const wire::UsedSlots& used) { return used.number > kept_number_; });
  if (closed.empty()) return std::nullopt;
  for (wire::UsedSlots& used : closed) {
    for (wire::UsedBy& by : used.by) names_.write(by.session, by.user, by.account);
  }
  return closed;
}

}  // namespace leasehold::agent
