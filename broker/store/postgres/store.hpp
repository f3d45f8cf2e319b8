// PostgresStore keeps state and history on a PostgreSQL server, for the broker that leads there. To
// open it is to take over (candidate.hpp says when); from then on every commit checks that it still
// leads, and one that finds it does not is its last. broker/store/postgres/README.md says what
// keeps two from leading at once.
//
// No exception leaves this class. After a failure of any kind the object takes no further commits:
// whether one is on the server is unknown until somebody has taken over again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "broker/store/postgres/leader.hpp"
#include "broker/store/retention.hpp"
#include "broker/store/store.hpp"

namespace leasehold {

class BaseMaker;
class Log;

/// The highest epoch and event that this process has seen, whoever led.
struct SeenLog {
  int64_t epoch = 0;       // of rows and of agents' reports
  int64_t last_event = 0;  // that was committed for certain
  EpochReported reported;
};

class PostgresStore : public Store {
 public:
  struct Options {
    LeaderFacts facts;
    Retention retention;
    std::shared_ptr<BaseMaker> base_maker = {};  // empty: the store makes bases itself
    /// This process's other knowledge of the log; the store keeps it up to date.
    std::shared_ptr<SeenLog> seen = std::make_shared<SeenLog>();
    /// The broker's own record of the last commit; nullptr: it keeps none, and no take-over is
    /// warm.
    std::shared_ptr<LastCommit> last_commit = {};
    /// The pause after retention failed: a statement that waits in vain must not follow each
    /// commit.
    int64_t retention_pause_ms = 60'000;
  };
  /// Takes over from `watched`, whose leader need not be waited for. The take-over is committed
  /// with the first commit(), and undone if the object goes before. Error (elsewhere): another was
  /// first.
  static Result<std::unique_ptr<PostgresStore>> lead(std::unique_ptr<PostgresSession> session,
                                                     const LeaderRow& watched, Options options);
  ~PostgresStore() override;

  Result<State> load() override;
  void append(const Event& event, Instant now, std::span<const Record> records,
              const State& state) override;
  Status commit(State& state) override;
  int64_t coming_bytes() const override;
  int64_t row_bytes() const override;
  int64_t last_event() const override;
  const std::string& compaction_error() const override;

  /// True: the log once ended later, so that a server took over that had not all of it.
  bool database_older() const override;
  bool loses_nothing() const override;

  Leads leads() const override;
  int64_t leads_until_ms() const override;
  int64_t next_renewal_ms() const override;
  // These may be called after the first commit, which is the take-over.
  Status renew() override;
  Status step_down(const std::string& successor) override;
  const Leadership& leadership() const;
  Log& log();

 private:
  struct Parts;
  explicit PostgresStore(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace leasehold
