// EstimatedSite: a virtual site under other settings, with an EstimatedCluster for each agent. It
// takes what a history recorded, commit by commit: configurations (changed), agents that came and
// went, hosts, operators' orders, and what each cluster wanted. What agents stated of their slots
// is made here, because the slots differ.
//
// It is not virtual time over jobs (broker/lab/simulate/), and no proof (broker/replay/verify.hpp).
#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "broker/lab/virtual_site.hpp"
#include "broker/lab/what_if/clusters.hpp"
#include "broker/lab/what_if/meter.hpp"
#include "broker/lab/what_if/moment.hpp"
#include "common/result.hpp"

namespace leasehold {

class EstimatedSite : public VirtualSite {
 public:
  /// Returns the changed form of a recorded configuration.
  using Change = std::function<Result<BrokerConfig>(const BrokerConfig&)>;

  /// `nobody_lends`: what clusters hold of others goes home, and they are given nothing.
  EstimatedSite(Change change, int64_t run_time_ms, Instant from, Instant to, size_t stretches,
                bool nobody_lends = false)
      : change_(std::move(change)),
        run_time_ms_(run_time_ms),
        nobody_lends_(nobody_lends),
        meter_(from, to, stretches) {}

  /// Takes up a history in its middle: as if the broker had been started then with the changed
  /// configuration. `recorded` is the state then; an empty one means that there is nothing to take
  /// up.
  Status begin(const State& recorded, const Moment& wants);
  /// Does all that comes before, then takes what happened. Error: an input that cannot belong to
  /// this history, or a configuration that cannot be changed so.
  Status take(Moment moment);
  /// Goes on until `to`.
  SiteOutcome finish(Instant to);

  /// Returns the number of operators' orders that could not be given here, as for a lease that does
  /// not exist.
  int64_t orders_left_out() const { return orders_left_out_; }
  const EstimatedClusters& clusters() const { return clusters_; }

 private:
  /// Something that a cluster does by itself.
  struct Timer {
    Instant at;
    uint32_t cluster = 0;
    uint32_t place = 0;
    bool operator>(const Timer& other) const {
      return std::tie(at, cluster, place) > std::tie(other.at, other.cluster, other.place);
    }
  };

  void advance(Instant until, bool broker_runs);
  void run_timer();
  void stepped() override;
  bool follow(Instant now) override;
  bool take_order(const CoreOrder& order, Instant now) override;
  /// Time never goes back, also where that of a history does.
  Instant reached(Instant now) const { return std::max(now, state().now); }
  void count_row(const Record& row, std::vector<uint32_t>& flipped);
  void set_timer(uint32_t cluster, uint32_t place);
  Status take_input(Moment::Input& input);
  Status take_configuration(ConfigLoaded loaded, Instant now);
  void take_hello(AgentHello hello, Instant now);
  void take_command(OperatorCommand command, Instant now);
  void drain_imports(Instant now);
  void take_want(const Want& want, Instant now);
  void take_hosts(uint32_t cluster, Instant now);
  void answer(uint32_t cluster, Instant now);
  void report(uint32_t cluster, Instant now);

  Change change_;
  int64_t run_time_ms_;
  bool nobody_lends_;
  SiteMeter meter_;
  Event report_ = StateReported{};  // reused
  EstimatedClusters clusters_{state()};
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  int64_t answer_ms_ = 0;
  int64_t orders_left_out_ = 0;
  bool started_ = false;
};

}  // namespace leasehold
