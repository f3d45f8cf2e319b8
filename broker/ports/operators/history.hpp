// HistoryWorker: one thread that answers questions about the past, so that the loop never waits for
// a long query. Questions and answers are JSON; an eventfd tells the loop that answers are ready.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/views/json.hpp"
#include "broker/views/request.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Answers `history`, `usage`, `leases` and others with "at", and the decisions of `lease` from a
/// database. Called on the worker's thread only; opens what it needs read-only.
using HistoryLookup = std::function<Result<Json>(const Request& request)>;

class HistoryWorker {
 public:
  static constexpr size_t kWaitingMax = 64;

  struct Answer {
    uint64_t ticket = 0;
    std::string text;  // the whole answer, ready to be sent
  };

  explicit HistoryWorker(HistoryLookup lookup);
  HistoryWorker(const HistoryWorker&) = delete;
  HistoryWorker& operator=(const HistoryWorker&) = delete;
  ~HistoryWorker();  // waits for the question under way, drops the others

  /// Readable while answers wait.
  int fd() const;
  /// `base` is merged around the answer: {"ok":true,"result":base} with the answer at base[key];
  /// an empty key puts the answer itself there. False: too many questions wait already.
  bool ask(uint64_t ticket, Request request, Json base, std::string key);
  std::vector<Answer> collect();

 private:
  struct Desk;
  std::unique_ptr<Desk> desk_;
};

}  // namespace leasehold
