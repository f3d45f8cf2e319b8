// LooksAside: a candidate that asks its database on a thread of its own, so that the loop of a
// broker which does not lead answers whoever asks while the database answers nothing. A look that
// is not over within a moment is the next call's; a take-over waits for its answers, as a leader's
// commit does.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "broker/store/candidate.hpp"

namespace leasehold {

class LooksAside : public Candidate {
 public:
  struct Options {
    std::string database;       // as errors name it
    int64_t at_once_ms = 250;   // that a call waits for its look
    int64_t at_most_ms = 1000;  // after which the database is said to answer nothing
  };
  LooksAside(std::unique_ptr<Candidate> asked, Options options);
  LooksAside(const LooksAside&) = delete;
  LooksAside& operator=(const LooksAside&) = delete;
  ~LooksAside() override;  // waits for the look that is under way

  /// The first is waited for. While a later one is under way: what the one before said, but that
  /// nobody may lead; after a while an error.
  Result<Candidacy> look() override;
  /// Contract: the last look() said that it may lead: none is under way.
  Result<std::unique_ptr<Store>> take_over() override;
  void saw_epoch(int64_t epoch, uint64_t incarnation) override;
  void stepped_down() override;

 private:
  void work();
  void tell_asked();
  Result<Candidacy> not_yet() const;

  const std::unique_ptr<Candidate> asked_;  // of the thread, while looks_
  const Options options_;
  // Of who calls:
  std::vector<std::pair<int64_t, uint64_t>> epochs_;  // that asked_ has not been told of yet
  bool steps_down_ = false;                           // likewise
  std::optional<Result<Candidacy>> last_;
  int64_t begun_ms_ = 0;

  std::mutex mutex_;  // of what follows
  std::condition_variable turn_;
  bool looks_ = false;
  bool ends_ = false;
  std::optional<Result<Candidacy>> seen_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace leasehold
