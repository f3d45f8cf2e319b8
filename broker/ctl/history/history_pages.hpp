// HistoryPages reads history page by page, oldest first, from a broker or a database, which may cut
// pages ([limits] history_rows), and follows it where the request says so.
#pragma once

#include <functional>
#include <optional>

#include "broker/views/json.hpp"
#include "broker/views/request/request.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

class HistoryPages {
 public:
  using Ask = std::function<Result<Json>(const Request& request)>;

  HistoryPages(Request request, Ask ask);

  /// The first page has the newest rows alone, at most so many.
  void newest(int64_t rows);
  /// Returns the next rows; empty: there are no more at present.
  Result<Json> next();

 private:
  Result<Json> rows_of(const Request& request) const;
  Result<std::optional<int64_t>> newest_id(Request request) const;
  bool complete_cluster(const Error& error);
  Status look_for_end();

  Request request_;
  Ask ask_;
  std::optional<int64_t> end_;  // the last row that was asked for
  bool ended_ = false;
};

}  // namespace leasehold::ctl
