// LooksAside: a candidate that asks its database on a thread of its own, so that the loop of a
// broker answers whoever asks while the database answers nothing. A look that is not over within a
// moment is the next call's. A take-over, and what the store does that comes of it, are waited for,
// but whoever waits is called meanwhile.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/daemon/store_aside.hpp"
#include "broker/store/candidate.hpp"

namespace leasehold {

class LooksAside : public Candidate {
 public:
  struct Options {
    std::string database;       // as errors name it
    int64_t at_once_ms = 250;   // that a call waits for its look
    int64_t at_most_ms = 1000;  // after which the database is said to answer nothing
    /// This broker's own file that is being written, which may be what is waited for; "": none.
    std::function<std::string()> writes = {};
  };
  LooksAside(std::unique_ptr<Candidate> asked, Options options)
      : asked_(std::move(asked)), options_(std::move(options)) {}

  /// The first is waited for. While a later one is under way: what the one before said, but that
  /// nobody may lead; after a while an error.
  Result<Candidacy> look() override;
  /// Contract: the last look() said that it may lead: none is under way.
  Result<std::unique_ptr<Store>> take_over() override;
  void saw_epoch(int64_t epoch, uint64_t incarnation) override;
  void stepped_down() override;
  void meanwhile(std::function<void(const Error& silent)> call) override;

 private:
  void tell_asked();
  Error silence() const;
  Result<Candidacy> not_yet() const;

  const std::unique_ptr<Candidate> asked_;  // of the thread, while something is under way
  const Options options_;
  std::vector<std::pair<int64_t, uint64_t>> epochs_;  // that asked_ has not been told of yet
  bool steps_down_ = false;                           // likewise
  std::optional<Result<Candidacy>> last_;
  int64_t begun_ms_ = 0;
  std::optional<std::future<Result<Candidacy>>> look_;  // that is under way
  // Last of these: what is under way uses them. The store has it, too.
  const std::shared_ptr<WaitedAside> thread_ = std::make_shared<WaitedAside>();
};

}  // namespace leasehold
