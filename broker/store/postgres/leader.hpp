// The leader's row says who may write. The leader compares, in each transaction that changes
// anything, all that it knows of the row, and raises `renewal`; a broker that would lead watches
// the row and takes over once nothing of it has changed for long enough.
// broker/store/postgres/README.md has the protocol, rule by rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/record/hash.hpp"
#include "broker/store/candidate.hpp"
#include "broker/store/last_commit.hpp"
#include "broker/store/log/ends.hpp"
#include "broker/store/postgres/session.hpp"

namespace leasehold {

/// Names the server that answers, by when it was started: seconds since 1970, whatever TimeZone and
/// DateStyle are.
inline const std::string kServerSql = "extract(epoch FROM pg_postmaster_start_time())::text";
/// Commits are on the server's disk when they are answered.
inline const std::string kDurableSql =
    "current_setting('synchronous_commit') IN ('on', 'remote_apply')";
/// Every UPDATE of the row sets it, so that a reader can tell who wrote (LeaderRow::as_written).
inline const std::string kWrittenSql = "written_by = pg_current_xact_id()";

/// The row as it was read, and the server that it was read from.
struct LeaderRow {
  int64_t epoch = 0;
  int64_t incarnation = 0;
  std::string holder;
  std::string endpoints;
  int64_t ttl_ms = 0;
  int64_t renewal = 0;
  int64_t log_end = 0;
  Hash log_hash{};
  std::string server;  // that the row names
  bool stepped_down = false;
  std::string successor;  // whose turn it is then; "": anybody's
  std::string present;    // the server that answered
  std::string site;       // of whoever led last; "": it named none
  /// True: the row stands as a broker wrote it, in the database in which it did, which was not
  /// altered since (renamed, granted on, given an owner), and no restore or hand put it there.
  bool as_written = false;
  /// True: its leader was seen to renew it, and nobody else has changed it since (LeaderWatch).
  bool seen_led = false;
  int64_t server_ms = 0;  // what the server's clock showed: since 1970
};
Result<LeaderRow> read_leader(PostgresSession& session);

/// Counts for how long nothing of the row has changed (rule 5).
class LeaderWatch {
 public:
  /// Takes an answer. `received_ms` is CLOCK_BOOTTIME when it was received, never when it was asked
  /// for.
  void saw(const LeaderRow& row, int64_t received_ms);
  /// The broker that asks whether its turn is.
  struct Self {
    std::string name;
    int64_t incarnation = 0;    // that this process had last; 0: none
    bool stepped_down = false;  // and gave up by an order: others go first
  };
  bool may_take_over(const Self& self, int64_t now_ms) const;
  /// Returns the evidence about the leader that the row names, for reports.
  LeaderEvidence evidence(const Self& self, int64_t now_ms) const;
  /// Returns how long it will take until it may take over, if nothing of the row changes; 0: it
  /// may.
  int64_t wait_ms(const Self& self, int64_t now_ms) const;
  /// True: another leads, for the row has changed since it was first seen.
  bool is_renewed() const { return changes_ > 0; }
  const LeaderRow& row() const { return row_; }

 private:
  LeaderRow row_;
  int64_t since_ms_ = 0;
  int64_t changes_ = 0;
  bool seen_ = false;
};

/// The highest leadership that agents have reported.
struct EpochReported {
  int64_t epoch = 0;
  int64_t incarnation = 0;  // 0: they reported several with that epoch
  void saw(int64_t other_epoch, int64_t other_incarnation);
};
/// Rule 15: whoever takes over from this row knows all that leaders before it committed: the server
/// that it names is the one that answers, the row stands as it was written there, and agents know
/// of no other leadership at or above it.
bool loses_nothing(const LeaderRow& watched, const EpochReported& reported);
/// Rule 15 likewise: whether this broker's own knowledge bears that out. The last commit that it
/// kept is of the leadership that the row names, which it led itself or has seen to lead in this
/// session, and the log holds that commit. `own`: nullptr where it keeps none.
Result<bool> is_borne_out(const LeaderRow& watched, const LastCommit* own, Log& log);

/// Returns max(1 %, 100 ms): clocks go at unlike speed.
int64_t leader_margin_ms(int64_t ttl_ms);

/// The leader's knowledge of its row.
struct Leadership {
  int64_t epoch = 0;
  int64_t incarnation = 0;
  std::string server;
  int64_t log_end = 0;
  Hash log_hash{};
};

struct LeaderFacts {
  std::string holder;
  std::string endpoints;
  int64_t ttl_ms = 5'000;
  std::string site = {};  // "": none
};

/// Within a transaction that has begun, and stays open: the row is locked until it ends, and what
/// was committed before is read after this (rule 6). Elsewhere: somebody else was first. Refused:
/// the server does not wait for its disk (synchronous_commit).
Result<Leadership> take_over(PostgresSession& session, const LeaderRow& watched,
                             int64_t highest_epoch, const LeaderFacts& facts);

/// It is called first of all within the transaction of a change. Refused: deposed.
Status renew(PostgresSession& session, const Leadership& mine);
/// Does the same, and nobody leads then.
Status step_down(PostgresSession& session, const Leadership& mine, const std::string& successor);

/// Refused: commits of this session may be lost.
Status require_durable(PostgresSession& session);
/// Returns the error where the log is not the one that the leader's row names.
tl::unexpected<Error> ends_elsewhere(const PostgresSession& session);
tl::unexpected<Error> deposed(const PostgresSession& session);

}  // namespace leasehold
