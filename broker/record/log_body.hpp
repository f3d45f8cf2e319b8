// The body of a row of the log: what one commit keeps, as bytes. In order: the texts that it names,
// its events (inputs and the records made of each), the images of what it changed (images.hpp).
// msgpack: [version, [text…], [event…], images]. A text is named by its place, so that a lease that
// comes five times is written once, and a body that does not name a lease is seen to be of no use
// without reading its events. What was written is read by every later version.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "broker/record/history_row.hpp"
#include "broker/record/log_row.hpp"

namespace leasehold {

inline constexpr int kBodyVersion = 1;

class BodyWriter {
 public:
  /// Events in the order in which they happened.
  void add(const Event& event, Instant now);
  /// A record of the input that was added last; `by` as by_whom() says of it.
  void add(const Record& record, Instant now, const State& state, std::string_view by);

  int64_t events() const { return events_; }
  bool empty() const { return events_ == 0; }
  /// Of the events and their texts.
  int64_t bytes() const { return static_cast<int64_t>(rows_.size() + text_bytes_); }
  Instant time() const { return time_; }
  /// The first event sets time back.
  bool clock_set() const { return clock_set_; }
  /// Appends the body, and begins the next.
  void finish(const std::string& images, std::string& out);
  void clear();

 private:
  uint32_t place(std::string_view text);
  void pack(const HistoryRow& row, const Record* record);

  HistoryRow row_;
  std::string rows_;
  std::vector<std::string> texts_;
  size_t text_bytes_ = 0;
  std::unordered_map<std::string, uint32_t> places_;
  int64_t events_ = 0;
  Instant time_;
  bool clock_set_ = false;
};

/// A body that was read. Refers to the bytes of the row, which must outlive it.
class LogBody {
 public:
  /// Error (corrupt): they are not a body's, or a later version's.
  static Result<LogBody> read(const LogRow& row);
  LogBody(LogBody&&) noexcept;
  LogBody& operator=(LogBody&&) noexcept;
  ~LogBody();

  int64_t events() const;
  /// Whether any event names it.
  bool names(std::string_view text) const;
  /// Of event `at` its kind, whose it is and by whom: most are passed over by these.
  Status texts_of(int64_t at, HistoryRow& row) const;
  /// Event `at`, from 0. Error (corrupt).
  Status event(int64_t at, HistoryRow& row) const;
  /// Error (corrupt).
  Result<Instant> time_of(int64_t at) const;
  std::string_view images() const;

 private:
  struct Parts;
  explicit LogBody(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace leasehold
