// WaitingJobs: what the pending jobs of the queue wait for, and where they fit. It asks the cell
// for the queue's terms about once in 120 looks, and for environments and resources as jobs ask for
// them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/workload/gridengine/cell.hpp"
#include "agent/workload/gridengine/demand.hpp"
#include "agent/workload/support/unknown_words.hpp"

namespace leasehold::agent {

class WaitingJobs {
 public:
  /// Jobs count that may use one of `queues`. What is not understood goes to `unknown`; it and the
  /// cell must outlive this object.
  WaitingJobs(const GridEngineCell& cell, std::vector<std::string> queues, UnknownWords& unknown)
      : cell_(cell), queues_(std::move(queues)), unknown_(unknown) {}

  /// Reads the terms again once a term. To be called before each learn().
  Status refresh(std::span<const GridEngineHost> machines);
  /// Returns the waiting work that `leased` hosts could serve, and what runs, by shape.
  Result<WorkShapes> learn(const QueueHosts& hosts, std::vector<std::string> leased,
                           std::vector<std::string> imported, Instant now);

  const GridEngineTerms& terms() const { return terms_; }
  /// Returns where each job fitted in the last learn(); nullopt: there was none.
  const std::optional<GridEngineFits>& fits() const { return fits_; }
  /// Says which environments have a rule that is not known.
  void tell_unknown_rules() const;

 private:
  Status learn_environments(std::span<const GridEnginePending> pending);
  void learn_requests(std::span<const GridEnginePending> pending);
  Result<GridEngineKept> kept(std::span<const GridEnginePending> pending) const;

  const GridEngineCell& cell_;
  std::vector<std::string> queues_;
  UnknownWords& unknown_;
  GridEngineTerms terms_;
  // The queue's environments that were not read yet; one is read when jobs ask for it.
  std::vector<std::string> environments_there_;
  int looks_to_terms_ = 0;
  // GridEngineTerms::reported is to be read when a job asks for something.
  bool reads_reported_ = true;
  std::optional<GridEngineFits> fits_;
};

}  // namespace leasehold::agent
