// ComingRow holds the events that wait for the next commit, and makes the row of the log that they
// become. It is the same in every store, so that equal events give equal bytes and hashes wherever
// they are kept. For broker/store only.
#pragma once

#include <span>
#include <string>

#include "broker/record/images/images.hpp"
#include "broker/record/log_body.hpp"
#include "broker/store/log/ends.hpp"

namespace leasehold {

class ComingRow {
 public:
  /// Takes the loaded state. Each row's images, its changed rows of the state, count from there.
  void begin(const State& state) { images_.begin(state); }
  void add(const Event& event, Instant now, std::span<const Record> records, const State& state);
  bool is_empty() const { return body_.empty(); }
  /// bytes() counts what was added, without images; row_bytes() is the size of the row made last.
  int64_t bytes() const { return body_.bytes(); }
  int64_t row_bytes() const { return static_cast<int64_t>(row_.body.size()); }
  /// Makes one row of all that was added. It follows `end`, which moves to the end of the row.
  const LogRow& make(const State& state, int64_t epoch, LogEnd& end);

 private:
  BodyWriter body_;
  ImageWriter images_;
  LogRow row_;
  std::string image_bytes_;
};

}  // namespace leasehold
