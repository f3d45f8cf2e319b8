// PostgresKept keeps bases and rows on a server, written and removed by the leader. Each
// transaction first renews the leadership, as every change does, and is short: what takes long to
// remove or to count is done in steps, some after each commit or renewal.
#pragma once

#include <optional>

#include "broker/store/bases.hpp"
#include "broker/store/postgres/leader.hpp"

namespace leasehold {

/// The amount of work in one step, adapted so that a step lasts about as long as it should.
class Pace {
 public:
  static constexpr int64_t kStepMs = 50;
  Pace(int64_t first, int64_t least) : much_(first), least_(least) {}
  int64_t much() const { return much_; }
  /// Adapts to a step's time. It grows twofold at the most: what comes next may be heavier.
  void took(int64_t ms);
  void failed();

 private:
  int64_t much_;
  int64_t least_;
};

class PostgresKept : public KeptLog {
 public:
  /// Session and leadership outlive this object.
  PostgresKept(PostgresSession& session, const Leadership& mine) : session_(session), mine_(mine) {}

  Status put(std::span<const BasePart> parts) override;
  Result<Since> since_base() override;
  /// Returns the bytes of the rows, since the space of deleted ones is used again. Rows are counted
  /// once, in steps; until all are counted these are the bytes of those counted so far.
  Result<int64_t> used_bytes() override;
  Status remove_before(int64_t base) override;
  bool waits() const override { return has_left() || spent_ms_ >= Pace::kStepMs; }

  /// Notes the row of each commit.
  void committed(const LogRow& row);
  /// Begins a turn, which has time for steps again.
  void begin_turn() { spent_ms_ = 0; }
  /// True: steps are left, of which go_on() takes one.
  bool has_left() const { return removing_ || counting_; }
  Status go_on();
  /// Forgets all that is known of the rows, after any failure: nothing of it is certain any more.
  void forget();

 private:
  Status put_one(const BasePart& part);
  Status remove_some();
  Status remove_bases();
  Status remove_rows();
  Result<int64_t> before_first();
  Status count_some();
  Status count_bases();
  int64_t spend_since(int64_t begun_ms);

  PostgresSession& session_;
  const Leadership& mine_;
  int64_t spent_ms_ = 0;  // on steps of this turn

  std::optional<int64_t> removing_;    // rows up to this event
  bool bases_gone_ = false;            // of these
  std::optional<int64_t> removed_to_;  // rows up to this event are gone
  Pace base_pace_{4, 1};               // in parts
  Pace row_pace_{256, 16};             // in events

  bool counting_ = false;
  bool counted_ = false;               // all that is there, in bytes_
  std::optional<int64_t> counted_to_;  // rows up to this event
  int64_t bytes_ = 0;
  Pace count_pace_{4'096, 256};  // in events
};

}  // namespace leasehold
