// The body of a row of the log: what one commit keeps, as bytes. It contains, in order, the texts
// that its events name, the events (inputs and the records made of each), and the images of what
// changed (images.hpp). msgpack: [version, [text…], [event…], images]. Events refer to texts by
// position, so that a lease that occurs five times is written once, and a reader can skip a body
// that does not name a lease without reading its events. Every later version reads what was
// written.
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
  /// Adds an event; the calls are in the order in which events happened.
  void add(const Event& event, Instant now);
  /// Adds a record of the input that was added last; `by` is the result of by_whom() for it.
  void add(const Record& record, Instant now, const State& state, std::string_view by);

  int64_t events() const { return events_; }
  bool empty() const { return events_ == 0; }
  /// Returns the bytes of the events and their texts.
  int64_t bytes() const { return static_cast<int64_t>(rows_.size() + text_bytes_); }
  Instant time() const { return time_; }
  /// True if the first event set time back.
  bool clock_set() const { return clock_set_; }
  /// Appends the body to `out`, and begins the next.
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

/// A body that was read. It refers to the bytes of the row, which must outlive it.
class LogBody {
 public:
  /// Error (corrupt): the bytes are not a body, or of a later version.
  static Result<LogBody> read(const LogRow& row);
  LogBody(LogBody&&) noexcept;
  LogBody& operator=(LogBody&&) noexcept;
  ~LogBody();

  int64_t events() const;
  /// True if any event names that text.
  bool names(std::string_view text) const;
  /// Reads only the kind, the subject and the origin of event `at`, by which most events are
  /// skipped.
  Status texts_of(int64_t at, HistoryRow& row) const;
  /// Reads event `at`, from 0. Error (corrupt).
  Status event(int64_t at, HistoryRow& row) const;
  /// Returns the time of event `at`. Error (corrupt).
  Result<Instant> time_of(int64_t at) const;
  std::string_view images() const;

 private:
  struct Parts;
  explicit LogBody(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace leasehold
