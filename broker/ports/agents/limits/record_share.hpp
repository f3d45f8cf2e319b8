// RecordShare: how much of the record (database and history) each cluster may still fill. A cluster
// that has used up its budget is recorded later: the port keeps its newest inventory and the last
// state of each group, and nothing is lost but what was between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "broker/ports/agents/limits/budget.hpp"
#include "broker/ports/agents/turn.hpp"

namespace leasehold {

class RecordShare {
 public:
  explicit RecordShare(PortTurn& turn) : turn_(turn) {}

  /// Bytes an hour that each cluster may add to the record; 0: unlimited, as before the first call.
  void limit(int64_t bytes_per_hour);
  bool has_left(const std::string& cluster) { return budget_.has_left(cluster, turn_.start().ms); }

  /// Steps the event and charges it to the cluster, whatever the cluster has left.
  void step(const std::string& cluster, const Event& event, const EventSink& sink);
  /// Steps the event if the cluster has something left; else puts the cluster off, and returns
  /// false.
  bool step_or_put_off(const std::string& cluster, const Event& event, const EventSink& sink);
  /// Lists the cluster for take_late(). The log and the history tell of it, once until the cluster
  /// has saved up enough again.
  void put_off(const std::string& cluster, const EventSink& sink);

  /// Returns the clusters that were put off since the last call.
  std::vector<std::string> take_late();
  size_t late() const { return late_.size(); }
  /// Returns when a cluster that was put off has something left again; kNever: none was put off.
  Instant next(Instant now);

  /// Charges a batch that was committed: it has so many bytes of events, `row` in all. Rows that
  /// the events changed are charged to the clusters in proportion to their events.
  void committed(int64_t events, int64_t row);
  /// Forgets who was put off. Budgets stay.
  void clear() { late_.clear(); }

 private:
  PortTurn& turn_;
  Budget budget_;                                      // by cluster
  std::unordered_map<std::string, int64_t> in_batch_;  // bytes of its events in this batch
  std::vector<std::string> late_;                      // clusters, in order of arrival
};

}  // namespace leasehold
