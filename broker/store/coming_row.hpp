// ComingRow: what waits for the next commit, and the row of the log that it becomes. The same in
// every store, so that equal events give equal bytes and hashes wherever they are kept. Inner
// header of the stores.
#pragma once

#include <span>
#include <string>

#include "broker/record/images.hpp"
#include "broker/record/log_body.hpp"
#include "broker/store/log/ends.hpp"

namespace leasehold {

class ComingRow {
 public:
  /// Images say what changed since that state.
  void begin(const State& state) { images_.begin(state); }
  void add(const Event& event, Instant now, std::span<const Record> records, const State& state);
  bool is_empty() const { return body_.empty(); }
  /// Of what was added, without images; of the row that was made last.
  int64_t bytes() const { return body_.bytes(); }
  int64_t row_bytes() const { return static_cast<int64_t>(row_.body.size()); }
  /// Of all that was added, as the row after `end`, which moves behind it.
  const LogRow& make(const State& state, int64_t epoch, LogEnd& end);

 private:
  BodyWriter body_;
  ImageWriter images_;
  LogRow row_;
  std::string image_bytes_;
};

}  // namespace leasehold
