// BareFlips uses a ROUTER and one row of SQLite a batch, nothing else: it unpacks what agents
// state, until it has as many messages as a batch of ours, inserts the bytes that we kept of that
// batch, unchanged, into a log of the same schema, commits, and sends the orders that are next.
#pragma once

#include <sqlite3.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "common/bytes.hpp"
#include "tests/bench/bare_router.hpp"
#include "tests/bench/batches.hpp"

namespace leasehold::bench {

class BareFlips {
 public:
  /// Makes the database `path`.
  explicit BareFlips(const std::string& path);
  BareFlips(const BareFlips&) = delete;
  BareFlips& operator=(const BareFlips&) = delete;
  ~BareFlips();

  std::string endpoint() { return router_.endpoint(); }
  /// Reads the agents' greetings, and gives each group's provider its first order.
  void meet(int agents);
  /// Does what the broker did in a turn; waits for as many messages.
  void turn(const Batch& batch);
  /// Stops giving orders and takes the answers that are still due.
  void rest();

  sqlite3* database() { return db_; }

 private:
  struct Group {
    std::string route[2];  // of provider and consumer
    Bytes order[2];
  };

  void greet(const zmq::message_t& peer, const msgpack::object& report);
  void answered(const msgpack::object& state);
  void read_answers(int64_t messages);
  void insert(const std::string& body);
  void run(sqlite3_stmt* statement);
  sqlite3_stmt* prepare(const char* sql);
  void send(uint64_t generation, uint64_t side);

  BareRouter router_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* begin_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* commit_ = nullptr;
  int64_t commits_ = 0;
  int64_t owed_ = 0;  // messages of batches done that were more than orders under way
  int64_t outstanding_ = 0;
  std::unordered_map<uint64_t, Group> groups_;
  std::vector<std::pair<uint64_t, uint64_t>> to_send_;  // generation, side
};

}  // namespace leasehold::bench
