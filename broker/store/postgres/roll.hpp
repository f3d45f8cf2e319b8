// PostgresRoll keeps the rows of `brokers` on a server, with a thread and a connection of its own:
// a server that stands still holds up nobody, and no error of it ends a leadership. It writes this
// broker's row at most every two seconds, when that has changed, else each kBeatMs. ../roll.hpp
// says what it is for.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "broker/store/postgres/session.hpp"
#include "broker/store/roll.hpp"

namespace leasehold {

/// Writes this broker's row. Contract: the session is to write, and has the schema. Error: nothing
/// is known of the others.
Status write_roll(PostgresSession& session, const RollRow& mine);
struct ReadRoll {
  struct Entry {
    RollRow row;
    std::string version;  // changes with each write of its row
  };
  std::vector<Entry> all;  // by name and endpoint
  ClockDifference ahead_of_server;
};
Result<ReadRoll> read_roll(PostgresSession& session);

/// Returns the clock difference, where the server's clock showed `server_ms` between two looks at
/// this machine's wall clock.
ClockDifference ahead_of_server(int64_t before_ms, int64_t server_ms, int64_t after_ms);

class PostgresRoll : public Roll {
 public:
  explicit PostgresRoll(std::string url);
  PostgresRoll(const PostgresRoll&) = delete;
  PostgresRoll& operator=(const PostgresRoll&) = delete;
  ~PostgresRoll() override;

  void tell(RollRow mine) override;
  std::shared_ptr<const RollSeen> seen() const override;

 private:
  void run();
  bool wait();  // false: it is the end
  Status call();
  Status connect();
  void note(ReadRoll read, const RollRow& mine);
  void set_seen(std::shared_ptr<const RollSeen> seen);

  const std::string url_;
  std::unique_ptr<PostgresSession> session_;
  std::optional<RollRow> written_;
  int64_t written_ms_ = 0;
  std::map<std::pair<std::string, std::string>, std::pair<std::string, int64_t>> last_changes_;
  mutable std::mutex mutex_;  // of what follows
  std::optional<RollRow> mine_;
  std::shared_ptr<const RollSeen> seen_;
  bool ends_ = false;
  std::condition_variable end_;
  std::thread thread_;
};

}  // namespace leasehold
