// A broker's session on a DatabaseServer: the Candidate and the Store that the real Broker uses,
// and the line between them, on which requests and answers take time or are lost. They keep the
// same rules as broker/store/postgres/{candidate,store}; a session there is one start of the server
// and an unbroken line here.
#pragma once

#include <functional>
#include <memory>

#include "broker/store/candidate.hpp"
#include "broker/store/postgres/store.hpp"
#include "common/time/clock.hpp"
#include "tests/simulation/server/server.hpp"
#include "tests/simulation/timeline.hpp"

namespace leasehold::simulation {

/// One broker's connection to the server.
struct ServerLine {
  const Timeline& time;
  DatabaseServer* server;
  std::function<void()> on_the_way;  // called before each request and each answer: time may pass
  int64_t cut_until_ms = 0;
  bool loses_answer = false;  // of the next request that changes anything
  int64_t breaks = 0;         // sessions that ended with the line

  bool reaches() const { return cut_until_ms <= time.now_ms() && server->runs(); }
};

/// The facts about a broker's leadership that others may ask for.
struct Reign {
  int64_t epoch = 0;
  int64_t incarnation = 0;  // 0: it does not lead
  const DatabaseServer* server = nullptr;
};

/// A broker's own file, which none of these faults removes.
class KeptCommit : public LastCommit {
 public:
  const std::optional<KnownCommit>& known() const override { return known_; }
  Status keep(const KnownCommit& commit) override {
    known_ = commit;
    return {};
  }
  Status usable() override { return {}; }

 private:
  std::optional<KnownCommit> known_;
};

class ServerCandidate : public Candidate {
 public:
  /// All arguments must outlive it and its stores.
  ServerCandidate(ServerLine& line, const TimeSource& time, LeaderFacts facts, Reign& reign,
                  LastCommit& last_commit);

  Result<Candidacy> look() override;
  Result<std::unique_ptr<Store>> take_over() override;
  void saw_epoch(int64_t epoch, uint64_t incarnation) override;
  void stepped_down() override { stepped_down_ = true; }

 private:
  LeaderWatch::Self self() const;

  ServerLine& line_;
  const TimeSource& time_;
  const LeaderFacts facts_;
  Reign& reign_;
  LastCommit& last_commit_;
  std::string session_;  // the server's name when the session began; "": none
  int64_t breaks_ = 0;
  LeaderWatch watch_;
  int64_t own_ = 0;
  bool stepped_down_ = false;
  std::shared_ptr<SeenLog> seen_ = std::make_shared<SeenLog>();
};

}  // namespace leasehold::simulation
