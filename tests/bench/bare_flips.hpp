// BareFlips: a ROUTER and one SQLite transaction a batch, nothing else: unpacks what agents state,
// writes as many rows of the same tables as our store does for a flip, sends the next order.
#pragma once

#include <sqlite3.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/bytes.hpp"
#include "tests/bench/bare_router.hpp"

namespace leasehold::bench {

class BareFlips {
 public:
  BareFlips() = default;
  BareFlips(const BareFlips&) = delete;
  BareFlips& operator=(const BareFlips&) = delete;
  ~BareFlips();

  std::string endpoint() { return router_.endpoint(); }
  /// `path`: a copy of our database, so that tables and rows are the same. `rows_a_flip`: by table.
  void open(const std::string& path, const std::map<std::string, double>& rows_a_flip);
  /// Reads the agents' greetings, and gives each group's provider its first order.
  void meet(int agents);
  void turn(long wait_ms);
  /// Stops giving orders and takes the answers that are still due.
  void rest();

  int64_t answers = 0;  // two a flip
  int64_t turns = 0;

 private:
  struct Group {
    std::string route[2];  // of provider and consumer
    Bytes order[2];
    std::string lease;
  };
  struct Write {
    sqlite3_stmt* statement = nullptr;
    double rows_an_answer = 0;
    double owed = 0;
    bool names_lease = false;
  };

  void greet(const zmq::message_t& peer, const msgpack::object& report);
  void answered(const msgpack::object& state);
  void write_rows(uint64_t generation, uint64_t side);
  void bind_lease(sqlite3_stmt* statement, uint64_t generation) const;
  void run(sqlite3_stmt* statement);
  sqlite3_stmt* prepare(const std::string& sql);
  std::string insert_event();
  void send(uint64_t generation, uint64_t side);

  BareRouter router_;
  sqlite3* db_ = nullptr;
  std::vector<Write> writes_;
  sqlite3_stmt* begin_ = nullptr;
  sqlite3_stmt* commit_ = nullptr;
  int64_t next_row_ = 0;
  int64_t outstanding_ = 0;
  std::unordered_map<uint64_t, Group> groups_;
  std::vector<std::pair<uint64_t, uint64_t>> to_send_;  // generation, side
};

}  // namespace leasehold::bench
