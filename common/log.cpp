#include "common/log.hpp"

#include <poll.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <memory>
#include <mutex>

#include "common/text/printable.hpp"
#include "common/time/clock.hpp"

namespace leasehold {

namespace {

constexpr char kHex[] = "0123456789abcdef";

/// Writes to stderr, which may be a pipe that nobody reads: a writer waits a moment at most, and
/// then not again until lines are read. The buffer is bounded; the next line reports how many were
/// dropped.
class StderrSink : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    flush_unless_stuck();
    if (waiting_.size() > kWaitingMost) {
      ++lost_;
      return;
    }
    if (lost_ > 0) {
      const LogField lines("lines", std::exchange(lost_, 0));
      waiting_ += log_line(wall_time(), LogLevel::warn, "", "log-lines-lost", {&lines, 1}) + "\n";
    }
    waiting_.append(message.payload.data(), message.payload.size());
    waiting_ += '\n';
    flush_unless_stuck();
  }
  void flush_() override {}

 private:
  static constexpr size_t kWaitingMost = size_t{256} << 10U;
  static constexpr int kPatienceMs = 200;

  void flush_unless_stuck() {
    while (!waiting_.empty()) {
      pollfd there{STDERR_FILENO, POLLOUT, 0};
      stuck_ = ::poll(&there, 1, stuck_ ? 0 : kPatienceMs) <= 0;
      if (stuck_) return;
      // A pipe that accepts any bytes accepts this many.
      const ssize_t written =
          ::write(STDERR_FILENO, waiting_.data(), std::min<size_t>(waiting_.size(), PIPE_BUF));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EAGAIN) return;
      if (written <= 0) {  // nobody can read it any more, or its disk is full
        lost_ += std::count(waiting_.begin(), waiting_.end(), '\n');
        return waiting_.clear();
      }
      waiting_.erase(0, static_cast<size_t>(written));
    }
  }

  std::string waiting_;
  int64_t lost_ = 0;
  bool stuck_ = false;
};

struct Log {
  std::string program;
  std::atomic<LogLevel> level{LogLevel::info};
  std::shared_ptr<spdlog::logger> outlet = make_outlet();

  static std::shared_ptr<spdlog::logger> make_outlet() {
    auto logger = std::make_shared<spdlog::logger>("log", std::make_shared<StderrSink>());
    logger->set_level(spdlog::level::trace);
    logger->flush_on(spdlog::level::trace);
    return logger;
  }
};

Log& the_log() {
  static Log log;
  return log;
}

spdlog::level::level_enum outlet_level(LogLevel level) {
  switch (level) {
    case LogLevel::trace:
      return spdlog::level::trace;
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warn:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

bool is_bare(char c) {
  return c != ' ' && c != '"' && c != '=' && c != '\\';
}

bool needs_quotes(std::string_view value) {
  if (value.empty()) return true;
  for (size_t i = 0; i < value.size();) {
    const Character found = character_at(value, i);
    if (!found.printable || !is_bare(value[i])) return true;
    i += found.bytes;
  }
  return false;
}

void append_hex(std::string& line, char c) {
  const auto byte = static_cast<unsigned char>(c);
  line += "\\x";
  line += kHex[byte >> 4];
  line += kHex[byte & 15];
}

void append_escaped(std::string& line, char c) {
  if (c == '\n') {
    line += "\\n";
  } else if (c == '\t') {
    line += "\\t";
  } else if (c == '\r') {
    line += "\\r";
  } else if (c == '"' || c == '\\') {
    line += '\\';
    line += c;
  } else {
    append_hex(line, c);
  }
}

void append_value(std::string& line, std::string_view value) {
  if (!needs_quotes(value)) {
    line += value;
    return;
  }
  line += '"';
  for (size_t i = 0; i < value.size();) {
    const Character found = character_at(value, i);
    const std::string_view bytes = value.substr(i, found.bytes);
    i += found.bytes;
    if (found.printable && bytes != "\"" && bytes != "\\") {
      line += bytes;
    } else {
      for (const char c : bytes) append_escaped(line, c);
    }
  }
  line += '"';
}

}  // namespace

void LogField::append_to(std::string& line) const {
  line += ' ';
  line += key_;
  line += '=';
  switch (kind_) {
    case Kind::text:
      append_value(line, text_);
      return;
    case Kind::number:
      line += std::to_string(number_);
      return;
    case Kind::count:
      line += std::to_string(count_);
      return;
  }
}

Result<LogLevel> parse_log_level(const std::string& text) {
  if (const std::optional<LogLevel> level = from_token<LogLevel>(text)) return *level;
  return fail(ErrorCode::usage,
              "\"" + text + "\" is no log level; " + any_token<LogLevel>() + " is right");
}

void start_log(std::string_view program, LogLevel level) {
  the_log().program = program;
  the_log().level = level;
}

bool logs(LogLevel level) {
  return level >= the_log().level.load(std::memory_order_relaxed);
}

void log(LogLevel level, std::string_view event, LogFields fields) {
  log_list(level, event, LogFieldList(fields.begin(), fields.size()));
}

void log_list(LogLevel level, std::string_view event, LogFieldList fields) {
  if (!logs(level)) return;
  Log& log = the_log();
  const std::string line = log_line(wall_time(), level, log.program, event, fields);
  log.outlet->log(outlet_level(level), spdlog::string_view_t(line.data(), line.size()));
}

std::string log_line(Instant time, LogLevel level, std::string_view program, std::string_view event,
                     LogFieldList fields) {
  std::string line = "time=" + format_utc(time) + " level=" + token(level);
  if (!program.empty()) LogField("program", program).append_to(line);
  LogField("event", event).append_to(line);
  for (const LogField& field : fields) field.append_to(line);
  return line;
}

}  // namespace leasehold
