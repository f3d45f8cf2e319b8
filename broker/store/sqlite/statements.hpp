// One prepared statement that writes, with the store's fault hook in front of it. For
// broker/store and broker/follow.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

using Fault = std::function<int(std::string_view)>;

inline void meet_fault(const Fault& fault, std::string_view step) {
  if (!fault) return;
  if (const int code = fault(step); code != 0) {
    throw SQLite::Exception("fault asked for by a test", code);
  }
}

/// Returns an error that says why the database failed and what to do about it.
tl::unexpected<Error> database_error(const std::string& path, const SQLite::Exception& error);

/// Bytes for a BLOB column; empty: NULL.
struct Blob {
  const std::string& bytes;
};

/// For a TEXT column; empty: NULL.
struct TextOrNull {
  const std::string& text;
};

class Writing {
 public:
  Writing(SQLite::Database& db, const Fault& fault, std::string sql)
      : statement_(db, sql), fault_(fault), sql_(std::move(sql)) {}

  /// Binds the arguments from parameter 1 on and runs the statement. Texts must outlive the call.
  template <class... Args>
  void operator()(const Args&... args) {
    int index = 0;
    (bind(++index, args), ...);
    run();
  }
  void run() {
    meet_fault(fault_, sql_);
    statement_.exec();
    statement_.reset();
  }
  SQLite::Statement& statement() { return statement_; }

 private:
  void bind(int index, const std::string& text) { statement_.bindNoCopy(index, text); }
  void bind(int index, std::string_view text) { statement_.bind(index, std::string(text)); }
  void bind(int index, const char* text) { statement_.bindNoCopy(index, text); }
  void bind(int index, bool value) { statement_.bind(index, value ? 1 : 0); }
  void bind(int index, uint8_t value) { statement_.bind(index, int32_t{value}); }
  void bind(int index, int32_t value) { statement_.bind(index, value); }
  void bind(int index, uint32_t value) { statement_.bind(index, int64_t{value}); }
  void bind(int index, int64_t value) { statement_.bind(index, value); }
  void bind(int index, uint64_t value) { statement_.bind(index, static_cast<int64_t>(value)); }
  void bind(int index, const std::optional<int64_t>& value) {
    value ? statement_.bind(index, *value) : statement_.bind(index);
  }
  void bind(int index, const TextOrNull& of) {
    of.text.empty() ? statement_.bind(index) : statement_.bindNoCopy(index, of.text);
  }
  /// The two ends of time are NULL: "not yet" and "never".
  void bind(int index, Instant at) {
    at == kNever || at.ms == INT64_MIN ? statement_.bind(index) : statement_.bind(index, at.ms);
  }
  void bind(int index, const Blob& blob) {
    if (blob.bytes.empty()) {
      statement_.bind(index);
    } else {
      statement_.bindNoCopy(index, blob.bytes.data(), static_cast<int>(blob.bytes.size()));
    }
  }

  SQLite::Statement statement_;
  const Fault& fault_;
  std::string sql_;
};

}  // namespace leasehold
