// Bases decides when a log gets its next base and who makes it, and writes it: the store writes its
// own at once; what a BaseMaker made is written part by part. A base that lacks a part counts as
// none: its first part is written last. It also applies retention. For broker/store only.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "broker/store/base_maker.hpp"
#include "broker/store/log/ends.hpp"
#include "broker/store/retention.hpp"

namespace leasehold {

/// A part of a base, as KeptLog keeps it.
struct BasePart {
  int64_t last_event = 0;
  int64_t part = 0;
  Instant time;
  const Chunk& chunk;
};

/// Keeps a store's bases and rows. Each call is one transaction or several.
class KeptLog {
 public:
  virtual ~KeptLog() = default;
  /// Writes the parts. In SQLite a commit that was reported as failed may have kept them, so they
  /// replace what is there. On a server an unknown outcome ends the session, and with it the
  /// leadership (postgres/README.md, rule 4): no part is written twice.
  virtual Status put(std::span<const BasePart> parts) = 0;
  /// The bytes of the newest base and of the rows after it, and the time from which the age of the
  /// next base counts: that of the newest base, or of a row after it if that is earlier, as where
  /// time was set back; without a base, that of the first row. nullopt: there is neither.
  struct Since {
    int64_t base_bytes = 0;
    int64_t bytes = 0;
    std::optional<Instant> time;
  };
  virtual Result<Since> since_base() = 0;
  /// Returns the bytes on disk that are in use.
  virtual Result<int64_t> used_bytes() = 0;
  /// Lets history begin after event `base`, for which there must be a base: at once, or step by
  /// step.
  virtual Status remove_before(int64_t base) = 0;
  /// True: nothing more is to be removed for now; removal goes on after the next commit.
  virtual bool waits() const { return false; }
};

class Bases {
 public:
  /// `log` and `kept` outlive this object; `maker` may be empty.
  Bases(Log& log, KeptLog& kept, std::shared_ptr<BaseMaker> maker)
      : log_(log), kept_(kept), maker_(std::move(maker)) {}
  /// Reads what is kept. Contract: called once, before the first commit.
  Status begin();

  /// Notes that the row is about to be committed, with `state` after it.
  void before_commit(const LogRow& row, int64_t last_event, const State& state);
  /// Notes that it was committed, and writes a base if one is needed. True: a base was finished.
  /// `end`: the log's end.
  Result<bool> after_commit(const Retention& retention, const LogEnd& end, const State& state);
  /// Removes what is too old or too much.
  Status compact(const Retention& retention, Instant now);

 private:
  bool needs_base(const Retention& retention, Instant now) const;
  bool is_late(const Retention& retention) const;
  Status write_all(const LogEnd& end, const State& state);
  Result<bool> write_some();
  Status write_part();
  Status remove_too_old(const Retention& retention, Instant now);
  Status remove_too_much(const Retention& retention);

  Log& log_;
  KeptLog& kept_;
  const std::shared_ptr<BaseMaker> maker_;
  KeptLog::Since since_;
  bool asks_maker_ = false;
  int64_t wanted_ = 0;  // the event of the base asked of the maker; 0: none is asked for
  int64_t bytes_at_want_ = 0;
  std::optional<MadeBase> made_;
  size_t parts_left_ = 0;  // parts of made_ that are still to be written
};

}  // namespace leasehold
