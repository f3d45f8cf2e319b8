// Store: where state and history are kept. In a file of SQLite (sqlite/store.hpp) or on
// a PostgreSQL server (postgres/store.hpp); tests have one that fails. Not a cache: what commit()
// has accepted is on disk.
#pragma once

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

class Store {
 public:
  virtual ~Store() = default;

  /// The durable part of the state as last committed; a fresh one for a new database.
  virtual Result<State> load() = 0;

  /// Keeps an event and the records it made for the next commit. Copies what it needs.
  virtual void append(const Event& event, Instant now, std::span<const Record> records,
                      const State& state) = 0;

  /// Everything appended since the last commit, and every dirty row of `state`, in one transaction.
  /// Clears the state's dirty marks on success only. After a failure the outcome may be unknown:
  /// the caller drops effects and memory, reopens and loads (schema/wire/PROTOCOL.md, "Nothing
  /// acknowledged is forgotten").
  virtual Status commit(State& state) = 0;

  /// Number of the last event that is kept; 0: none.
  virtual int64_t last_event() const = 0;

  /// Somebody else knows of later commits: this is an older copy (schema/wire/PROTOCOL.md, "Broker
  /// start"). To be said in BrokerStarted.
  virtual bool database_older() const { return false; }

  /// What went wrong after the last commit with what is no part of it: old history that should go,
  /// the file that tells an older database. Empty: nothing.
  virtual const std::string& compaction_error() const {
    static const std::string none;
    return none;
  }
};

}  // namespace leasehold
