// The log: key=value lines on stderr, written by spdlog. The history is elsewhere (in the
// database), and pure code does not log. A call writes one line, whatever the values contain:
// nobody can forge a line.
//   time=2026-11-21T17:01:00.000Z level=info program=lease-broker event=agent-up cluster=east
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "common/result.hpp"
#include "common/time/instant.hpp"
#include "common/tokens.hpp"

namespace leasehold {

enum class LogLevel : uint8_t { trace = 0, debug, info, warn, error };
constexpr auto tokens_of(LogLevel) {
  using enum LogLevel;
  return tokens<LogLevel>(
      {{trace, "trace"}, {debug, "debug"}, {info, "info"}, {warn, "warn"}, {error, "error"}});
}

/// Parses "trace" … "error". The error lists them.
Result<LogLevel> parse_log_level(const std::string& text);

/// A key (a word of a-z 0-9 _) and its value. It is a view of its arguments and lives as long as
/// the call.
class LogField {
 public:
  LogField(std::string_view key, std::string_view value) : key_(key), text_(value) {}
  LogField(std::string_view key, const char* value) : key_(key), text_(value) {}
  LogField(std::string_view key, const std::string& value) : key_(key), text_(value) {}
  LogField(std::string_view key, bool value) : key_(key), text_(value ? "true" : "false") {}
  template <std::signed_integral T>
  LogField(std::string_view key, T value) : key_(key), number_(value), kind_(Kind::number) {}
  template <std::unsigned_integral T>
  LogField(std::string_view key, T value) : key_(key), count_(value), kind_(Kind::count) {}

  void append_to(std::string& line) const;  // " key=value"

 private:
  enum class Kind : uint8_t { text, number, count };
  std::string_view key_;
  std::string_view text_;
  int64_t number_ = 0;
  uint64_t count_ = 0;
  Kind kind_ = Kind::text;
};
using LogFields = std::initializer_list<LogField>;
using LogFieldList = std::span<const LogField>;

/// Call it one time, at the start of main. Until then lines of info and above are written without a
/// program.
void start_log(std::string_view program, LogLevel level);
bool logs(LogLevel level);

void log(LogLevel level, std::string_view event, LogFields fields = {});
/// Does the same for fields whose number is known only at run time.
void log_list(LogLevel level, std::string_view event, LogFieldList fields);
inline void log_trace(std::string_view event, LogFields fields = {}) {
  log(LogLevel::trace, event, fields);
}
inline void log_debug(std::string_view event, LogFields fields = {}) {
  log(LogLevel::debug, event, fields);
}
inline void log_info(std::string_view event, LogFields fields = {}) {
  log(LogLevel::info, event, fields);
}
inline void log_warn(std::string_view event, LogFields fields = {}) {
  log(LogLevel::warn, event, fields);
}
inline void log_error(std::string_view event, LogFields fields = {}) {
  log(LogLevel::error, event, fields);
}

/// Returns the line that log_list() writes, without its end.
std::string log_line(Instant time, LogLevel level, std::string_view program, std::string_view event,
                     LogFieldList fields);

}  // namespace leasehold
