// PostgresCandidate is a broker's session on a PostgreSQL server while it does not lead: it reads
// the leader's row, counts for how long nothing of it has changed, and hands its session to the
// store when it takes over. README.md has rules 5 to 7 and 13.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "broker/record/hash.hpp"
#include "broker/store/candidate.hpp"
#include "broker/store/postgres/leader.hpp"
#include "broker/store/postgres/store.hpp"

namespace leasehold {

class PostgresCandidate : public Candidate {
 public:
  struct Options {
    LeaderFacts facts;
    Retention retention;
    std::shared_ptr<BaseMaker> base_maker = {};
    std::shared_ptr<LastCommit> last_commit = {};  // nullptr: no take-over is warm
    bool adopt = false;  // its first take-over may be of another site's database
  };
  /// Makes the schema where there is none. Error: the server cannot be reached, or is not ours.
  static Result<std::unique_ptr<PostgresCandidate>> open(std::string url, Options options);

  Result<Candidacy> look() override;
  Result<std::unique_ptr<Store>> take_over() override;
  void saw_epoch(int64_t epoch, uint64_t incarnation) override;
  void stepped_down() override { stepped_down_ = true; }

 private:
  PostgresCandidate(std::string url, Options options)
      : url_(std::move(url)), options_(std::move(options)), adopts_(options_.adopt) {}
  Status connect();
  Status ask();
  Status keep_followed();
  Status check_site() const;
  void look_ahead(bool led, int64_t now_ms);
  LeaderWatch::Self self() const;

  const std::string url_;
  const Options options_;
  std::unique_ptr<PostgresSession> session_;  // nullptr: none, or a store has it
  LeaderWatch watch_;
  std::optional<ClockDifference> ahead_;  // Candidacy::ahead_of_server
  int64_t own_ = 0;                       // the incarnation that this process had last; 0: none
  bool stepped_down_ = false;
  bool adopts_;
  int64_t looks_ahead_ms_ = 0;  // not before
  std::string cannot_lead_;     // as was seen then
  const std::shared_ptr<SeenLog> seen_ = std::make_shared<SeenLog>();
};

}  // namespace leasehold
