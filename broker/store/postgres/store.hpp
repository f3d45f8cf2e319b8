// PostgresStore: state and history on a PostgreSQL server, for the broker that leads there. Opening
// it is to take over; from then on every commit says that it still leads, and one that finds it
// does not is its last. What keeps two from leading at once: broker/store/postgres/README.md.
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

class PostgresStore : public Store {
 public:
  struct Options {
    LeaderFacts facts;
    Retention retention;
    std::shared_ptr<BaseMaker> base_maker = {};  // empty: the store makes bases itself
    int64_t highest_epoch = 0;                   // that agents have shown this process
    int64_t own_incarnation = 0;                 // that this process had last; 0: none
  };
  /// Leads, once nobody else does: waits while the row of another does not change, at most its ttl
  /// and a margin. Refused: another broker leads, by name. The take-over is committed with the
  /// first commit(), and undone if the object goes before.
  static Result<std::unique_ptr<PostgresStore>> take_over(const std::string& url, Options options);
  ~PostgresStore() override;

  Result<State> load() override;
  void append(const Event& event, Instant now, std::span<const Record> records,
              const State& state) override;
  Status commit(State& state) override;
  int64_t last_event() const override;
  const std::string& compaction_error() const override;

  // After the first commit, which is the take-over:
  /// Says that it still leads, where no commit did. Error: no further commit is taken.
  Status renew();
  /// Commits that nobody leads from now on: the next one need not wait. The last that it does.
  Status step_down();
  const Leadership& leadership() const;
  Log& log();

 private:
  struct Parts;
  explicit PostgresStore(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace leasehold
