// EstimatedCluster: the agent and the workload of one cluster as a what-if knows them: it has no
// jobs, only the number of slots that the cluster wants in all. It keeps an agent's rules: only
// orders raise limits, and a used slot is given up only when its work or its grace ends.
//
// It assumes, and every estimate prints (broker/lab/what_if/README.md): work goes to the first free
// slots, those of own groups first; when less is wanted, the last slots are given up first, and
// before them those that are asked back; work on a slot that is asked back without a grace ends
// after run_time. Where the record has shapes, waiting work starts whole (queue.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "broker/lab/agent_side.hpp"
#include "broker/lab/what_if/moment.hpp"
#include "broker/lab/what_if/outcome.hpp"
#include "broker/lab/what_if/queue.hpp"
#include "common/index.hpp"
#include "common/time/instant.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

class EstimatedCluster {
 public:
  /// One host of a slot group.
  struct Row {
    int32_t limit = 0;
    int32_t used = 0;
    // Below `limit`: the rest is given up as it becomes free, at `deadline` at the latest.
    int32_t ordered = 0;
    int32_t exported = 0;  // of an own group: the other slots are the cluster's own
    Instant deadline = kNever;
    bool up = true;
    std::string type = {};  // HostFacts::type
    int32_t size = 0;       // slots of the host, where the group has all of it; else 0
  };
  /// One slot group as the agent knows it.
  struct Side : AgentSide {
    uint32_t group = kNoIndex;  // in State::slot_groups
    bool own = false;           // it is the provider
    bool news = false;          // there is something to report
    Instant deadline = kNever;  // the soonest of its rows
    std::vector<Row> rows;
  };

  /// Returns its position in sides(). Slots of own groups are used first, else those in the order
  /// of adding.
  uint32_t add(uint32_t group, uint64_t generation, bool own, size_t rows);
  const Side& side(uint32_t place) const { return sides_[place]; }
  size_t sides() const { return sides_.size(); }
  /// The group has more hosts than before.
  void widen(uint32_t place, size_t rows);
  /// For an own group: the broker's configuration exports `slots` of that host. Slots no longer
  /// exported are the cluster's own again; added ones become the group's with their order.
  void exports(uint32_t place, uint32_t row, int32_t slots);
  /// The group is closed: nothing of it counts any more.
  void drop(uint32_t place);
  void set_up(uint32_t place, uint32_t row, bool up);
  void set_kind(uint32_t place, uint32_t row, const std::string& type, int32_t size);

  /// Applies an order.
  void take(uint32_t place, std::span<const wire::OrderedHost> hosts, uint64_t seq,
            int64_t grace_ms, int64_t run_time_ms, Instant now);
  /// To be called after an order was answered: work with shapes starts only then, because an agent
  /// first reports its limit and then what starts below it.
  void start_what_fits();
  void answer_at(uint32_t place, Instant at) { sides_[place].answer_at = at; }
  /// Gives up the slots whose deadline has passed.
  void end_work(uint32_t place, Instant now);
  /// Sets a row as it is before a history is taken up (site.hpp).
  void put(uint32_t place, uint32_t row, int32_t limit, int32_t used, uint64_t seq);

  /// An operator said that it uses no slots of others.
  void forget_leased();
  /// Takes what the cluster wants over all groups.
  void want(const Want& want, Instant now);
  /// Lets work go on until then.
  void pass(Instant now);
  int64_t used() const { return used_; }
  int64_t pending() const;
  /// Return what an agent would report of its waiting work; nullopt where the record does not say.
  std::optional<wire::Demand> demand() const;
  std::optional<std::vector<int32_t>> elsewhere() const;

  /// Appends what an agent reports of the group, which is then no longer news.
  void state(uint32_t place, wire::StateBlock& block);

 private:
  void fill();
  void fill_up_to(int64_t slots);
  void stop_down_to(int64_t slots);
  void fill_by_shape();
  void start_by_shape(std::span<const uint32_t> places);
  int64_t free() const;
  int32_t largest_host() const;
  int64_t slots_to_run() const;
  int64_t singles() const;
  void start(Side& side, int64_t slots);
  void stop(Side& side, int64_t most, bool asked_back);

  std::vector<Side> sides_;
  std::vector<uint32_t> order_;  // the order in which slots are used
  int64_t wanted_ = 0;
  // Slot-time already done here compared with the record, in slots; below 0: behind.
  int64_t over_ = 0;
  int64_t running_ = 0;      // slots that ran as recorded
  int64_t needs_ = 0;        // Want::needs
  int64_t run_time_ms_ = 0;  // Want::run_time_ms
  SlotMs ahead_ = 0;  // slot-time already done here compared with the record; below 0: behind
  Instant passed_{INT64_MIN};
  int64_t used_ = 0;
  std::optional<EstimatedQueue> queue_;  // nullopt: no shapes are reported
  bool elsewhere_known_ = false;
};

}  // namespace leasehold
