// LooksAside is a candidate that asks its database on a thread of its own, so that the loop of a
// broker answers requests while the database answers nothing. A look that is not over within a
// moment is left to the next call. A take-over, and the calls of the store that it returns, are
// waited for, and the function given to meanwhile() is called again and again.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/daemon/aside/store_aside.hpp"
#include "broker/store/candidate.hpp"

namespace leasehold {

class LooksAside : public Candidate {
 public:
  struct Options {
    std::string database;       // as errors name it
    int64_t at_once_ms = 250;   // how long a call waits for its look
    int64_t at_most_ms = 1000;  // after which the database is said to answer nothing
    /// Returns this broker's own file that is being written, which may be the slow one; "": none
    /// is.
    std::function<std::string()> writes = {};
  };
  LooksAside(std::unique_ptr<Candidate> asked, Options options)
      : asked_(std::move(asked)), options_(std::move(options)) {}

  /// Waits for the first look. While a later one is under way the result is that of the one before,
  /// but this broker may not lead; after Options::at_most_ms it is an Error.
  Result<Candidacy> look() override;
  /// Contract: the last look() said that it may lead, so that none is under way.
  Result<std::unique_ptr<Store>> take_over() override;
  void saw_epoch(int64_t epoch, uint64_t incarnation) override;
  void stepped_down() override;
  void meanwhile(std::function<void(const Error& silent)> call) override;

 private:
  void publish_asked();
  Error silence() const;
  Result<Candidacy> not_yet() const;

  const std::unique_ptr<Candidate> asked_;  // belongs to the thread while something is under way
  const Options options_;
  std::vector<std::pair<int64_t, uint64_t>> epochs_;  // not passed on to asked_ yet
  bool steps_down_ = false;                           // not passed on yet
  std::optional<Result<Candidacy>> last_;
  int64_t begun_ms_ = 0;
  std::optional<std::future<Result<Candidacy>>> look_;  // under way
  // It stands last: what is under way uses the others. The store shares it.
  const std::shared_ptr<WaitedAside> thread_ = std::make_shared<WaitedAside>();
};

}  // namespace leasehold
