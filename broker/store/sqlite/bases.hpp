// Bases: when the log gets its next base, who makes it and how it is written: by the store itself,
// at once, or part by part what a BaseMaker made. One of which a part is missing yet counts as
// none: its first part is written last. Inner header of the store; throws SQLite's exceptions.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>
#include <optional>

#include "broker/store/base_maker.hpp"
#include "broker/store/sqlite/compaction.hpp"
#include "broker/store/sqlite/log_table.hpp"

namespace leasehold {

class Bases {
 public:
  Bases(SQLite::Database& db, const Fault& fault, std::shared_ptr<BaseMaker> maker);

  /// That row is to be committed, with `state` after it.
  void before_commit(const LogRow& row, int64_t last_event, const State& state);
  /// It was. True: a base was finished. `end`: of the log.
  bool after_commit(const Retention& retention, const LogEnd& end, const State& state);

 private:
  struct Since {  // the last base
    int64_t bytes = 0;
    std::optional<Instant> time;  // of it, or of the first event
    int64_t base_bytes = 0;
  };

  void read_since();
  bool is_due(const Retention& retention, Instant now) const;
  bool is_late(const Retention& retention) const;
  void write_all(const LogEnd& end, const State& state);
  bool write_some();
  void write_part();

  SQLite::Database& db_;
  const Fault& fault_;
  const std::shared_ptr<BaseMaker> maker_;  // may be empty
  LogWriting write_;
  Since since_;
  bool due_ = false;
  int64_t wanted_ = 0;  // of the maker, after which event; 0: nothing
  int64_t bytes_at_want_ = 0;
  std::optional<MadeBase> made_;
  size_t parts_left_ = 0;  // of it, to be written
};

}  // namespace leasehold
