#include "broker/ctl/history/history_pages.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "broker/views/answer.hpp"
#include "broker/views/request/request_json.hpp"

namespace leasehold::ctl {

namespace {

constexpr int64_t kPageRows = 5'000;

bool is_narrowed(const Request& request) {
  return !request.lease.empty() || !request.cluster_like.empty() || !request.kind_like.empty();
}

}  // namespace

HistoryPages::HistoryPages(Request request, Ask ask)
    : request_(std::move(request)), ask_(std::move(ask)) {
  request_.limit = kPageRows;
}

void HistoryPages::newest(int64_t rows) {
  request_.newest = true;
  request_.limit = rows;
}

Result<Json> HistoryPages::next() {
  if (ended_) return Json::array();
  if (Status asked = look_for_end(); !asked) return tl::unexpected(asked.error());
  if (end_ && *end_ <= *request_.after) return Json::array();
  Result<std::optional<int64_t>> all{std::nullopt};
  if (request_.follow && is_narrowed(request_)) all = newest_id(request_);
  if (!all) return tl::unexpected(all.error());
  Result<Json> page = rows_of(request_);
  if (!page && complete_cluster(page.error())) page = rows_of(request_);
  if (!page) return page;
  if (!page->empty()) {
    const std::optional<int64_t> last = integer_at(page->back(), "id");
    ended_ = !last || (request_.after && *last <= *request_.after);  // the same page comes again
    request_.after = last;
  } else if (request_.follow) {
    // Rows that were there before have been looked through: they are not asked for again.
    request_.after = std::max(request_.after.value_or(0), all->value_or(0));
  }
  // The rows after the newest ones follow in order.
  request_.newest = false;
  request_.limit = kPageRows;
  return page;
}

Result<Json> HistoryPages::rows_of(const Request& request) const {
  Result<Json> rows = ask_(request);
  if (rows) require_list(*rows);
  return rows;
}

/// Replaces the beginning of a cluster's name by the name, once the broker knows none that is
/// written so. Returns false where that begins several names, or none.
bool HistoryPages::complete_cluster(const Error& error) {
  if (error.code != ErrorCode::unknown || request_.cluster_like.empty()) return false;
  Request clusters = request_for("clusters");
  clusters.cluster_like = request_.cluster_like;
  const Result<Json> rows = rows_of(clusters);
  if (!rows || rows->empty()) return false;
  request_.cluster_like = text_at(rows->front(), "cluster");
  return true;
}

/// Returns the newest row of all that the asker sees, whatever the request wants of them.
Result<std::optional<int64_t>> HistoryPages::newest_id(Request request) const {
  request.lease = request.cluster_like = request.kind_like = "";
  request.newest = true;
  request.limit = 1;
  const Result<Json> rows = rows_of(request);
  if (!rows) return tl::unexpected(rows.error());
  return rows->empty() ? std::nullopt : integer_at(rows->back(), "id");
}

/// After the first page, asks once where the history ends: later rows were not asked for, and a
/// busy broker adds them as fast as they are read. The length of a page does not show the end,
/// because the broker may cut pages ([limits] history_rows).
Status HistoryPages::look_for_end() {
  if (request_.follow || !request_.after || end_) return {};
  Request newest = request_;
  newest.newest = true;
  newest.limit = 1;
  const Result<Json> rows = rows_of(newest);
  if (!rows) return tl::unexpected(rows.error());
  end_ = rows->empty() ? request_.after : integer_at(rows->back(), "id");
  return {};
}

}  // namespace leasehold::ctl
