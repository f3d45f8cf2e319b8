// Bases: when a log gets its next base, who makes it and how it is written: by the store itself, at
// once, or part by part what a BaseMaker made. One of which a part is missing yet counts as none:
// its first part is written last. And what goes then: retention. Inner header of the stores.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "broker/store/base_maker.hpp"
#include "broker/store/log/ends.hpp"
#include "broker/store/retention.hpp"

namespace leasehold {

/// A part of a base, as it goes to where it is kept.
struct BasePart {
  int64_t last_event = 0;
  int64_t part = 0;
  Instant time;
  const Chunk& chunk;
};

/// Where a store keeps bases and rows. Each call is one transaction, or some.
class KeptLog {
 public:
  virtual ~KeptLog() = default;
  /// Anew where a commit that was reported as failed had kept it after all.
  virtual Status put(std::span<const BasePart> parts) = 0;
  /// Of the newest base, and of the rows after it: the bytes of each, and the time of the first
  /// row; nullopt: there is none.
  struct Since {
    int64_t base_bytes = 0;
    int64_t bytes = 0;
    std::optional<Instant> time;
  };
  virtual Result<Since> since_base() = 0;
  /// Bytes on disk that are in use.
  virtual Result<int64_t> used_bytes() = 0;
  /// Lets history begin after event `base`, which a base is of: at once, or by and by.
  virtual Status remove_before(int64_t base) = 0;
  /// Nothing more is to be removed for now: it goes on after the next commit.
  virtual bool waits() const { return false; }
};

class Bases {
 public:
  /// Log and kept outlive it; `maker` may be empty.
  Bases(Log& log, KeptLog& kept, std::shared_ptr<BaseMaker> maker)
      : log_(log), kept_(kept), maker_(std::move(maker)) {}
  /// Once, before the first commit.
  Status begin();

  /// That row is to be committed, with `state` after it.
  void before_commit(const LogRow& row, int64_t last_event, const State& state);
  /// It was. True: a base was finished. `end`: of the log.
  Result<bool> after_commit(const Retention& retention, const LogEnd& end, const State& state);
  /// Removes what is too old or too much.
  Status compact(const Retention& retention, Instant now);

 private:
  bool is_due(const Retention& retention, Instant now) const;
  bool is_late(const Retention& retention) const;
  Status write_all(const LogEnd& end, const State& state);
  Result<bool> write_some();
  Status write_part();
  Status remove_too_old(const Retention& retention, Instant now);
  Status remove_too_much(const Retention& retention);

  Log& log_;
  KeptLog& kept_;
  const std::shared_ptr<BaseMaker> maker_;
  KeptLog::Since since_;  // the last base; its time, or that of the first event
  bool due_ = false;
  int64_t wanted_ = 0;  // of the maker, after which event; 0: nothing
  int64_t bytes_at_want_ = 0;
  std::optional<MadeBase> made_;
  size_t parts_left_ = 0;  // of it, to be written
};

}  // namespace leasehold
