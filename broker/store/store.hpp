// Store keeps state and history: in a file of SQLite (sqlite/store.hpp) or on a PostgreSQL server
// (postgres/store.hpp); tests have one that fails. It is no cache: what commit() has accepted is on
// disk.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "common/result.hpp"

namespace leasehold {

/// The leadership that a broker commits by, where several may lead; all 0 where it has its database
/// to itself.
struct Leads {
  int64_t epoch = 0;         // number of the leadership
  uint64_t incarnation = 0;  // random, another one at each take-over
  int64_t ttl_ms = 0;        // after this time without a renewal another may take over
};

class Store {
 public:
  virtual ~Store() = default;

  /// Returns the durable part of the state as last committed; a fresh one for a new database.
  /// Contract: called before the first append(), for commits keep what changed since the loaded
  /// state.
  virtual Result<State> load() = 0;

  /// Keeps an event and the records it made for the next commit. Copies what it needs.
  virtual void append(const Event& event, Instant now, std::span<const Record> records,
                      const State& state) = 0;

  /// Commits everything appended since the last commit, and every dirty row of `state`, in one
  /// transaction; clears the state's dirty marks on success only. If nothing was appended it does
  /// nothing, and the marks stay. After a failure the outcome may be unknown: the caller drops
  /// effects and memory, reopens and loads (schema/wire/PROTOCOL.md, "Nothing acknowledged is
  /// forgotten").
  virtual Status commit(State& state) = 0;

  /// Returns the bytes that append() has kept for the next commit, and those of the last commit's
  /// row.
  virtual int64_t coming_bytes() const { return 0; }
  virtual int64_t row_bytes() const { return 0; }

  /// Returns the number of the last event that is kept; 0: none.
  virtual int64_t last_event() const = 0;

  /// True if commits are known that the database lacks: it is an older copy
  /// (schema/wire/PROTOCOL.md, "Broker start"). BrokerStarted says so.
  virtual bool database_older() const { return false; }

  /// Returns why work after the last commit that is no part of it failed: old history that should
  /// go, the file that shows an older database. Empty: it did not.
  virtual const std::string& compaction_error() const {
    static const std::string none;
    return none;
  }

  /// True if this take-over lost nothing that was committed before, and no agent reported a
  /// leadership above it, as far as a server can say (postgres/README.md, rule 15).
  virtual bool loses_nothing() const { return false; }

  // These serve several brokers that may lead (postgres/README.md, the rules). With a file, the
  // lock guarantees a single leader.
  virtual Leads leads() const { return {}; }
  /// Returns the time (CLOCK_BOOTTIME) until which nobody else leads (rule 8); after it only the
  /// database knows.
  virtual int64_t leads_until_ms() const { return INT64_MAX; }
  /// Returns the time at which to call renew() if nothing is committed by then.
  virtual int64_t next_renewal_ms() const { return INT64_MAX; }
  /// Confirms that it still leads. Error: it may not, and no further commit is taken.
  virtual Status renew() { return {}; }
  /// Commits that nobody leads from now on; it is the last commit that this store makes.
  /// `successor`: the broker whose turn it is at once; "": anybody's.
  virtual Status step_down(const std::string& /*successor*/) { return {}; }
};

}  // namespace leasehold
