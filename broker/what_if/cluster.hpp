// EstimatedCluster: one cluster's agent and workload as a what-if knows them: no jobs, only how
// many slots it wants in all. It keeps the rules of an agent: limits rise by orders alone, a used
// slot is given up only when its work is over or its time is.
//
// Assumed, and printed with every estimate (broker/what_if/README.md): work goes to the first slots
// that are free, those of its own groups first; what is wanted less is given up last slots first,
// and before them those that are asked back; work on a slot that is asked back without a time ends
// after run_time. Where the record tells shapes, what waits starts whole (queue.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "broker/what_if/moment.hpp"
#include "broker/what_if/outcome.hpp"
#include "broker/what_if/queue.hpp"
#include "common/index.hpp"
#include "common/instant.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

class EstimatedCluster {
 public:
  /// One host of a slot group.
  struct Row {
    int32_t limit = 0;
    int32_t used = 0;
    int32_t ordered = 0;   // below `limit`: the rest is given up as it comes free, at `due` at last
    int32_t exported = 0;  // of an own group: what is not is the cluster's own
    Instant due = kNever;
    bool up = true;
    std::string type = {};  // HostFacts::type
    int32_t size = 0;       // slots of the host, where the group has all of it; else 0
  };
  /// What it knows of one slot group.
  struct Side {
    uint32_t group = kNoIndex;  // in State::slot_groups
    uint64_t generation = 0;
    uint64_t seq = 0;
    bool own = false;  // it is the provider
    bool ever_used = false;
    bool news = false;  // something to state
    Instant answer_at = kNever;
    Instant due = kNever;  // the soonest of its rows
    std::vector<Row> rows;
  };

  /// Its place in sides(). Those of own groups come first in use, else in the order of adding.
  uint32_t add(uint32_t group, uint64_t generation, bool own, size_t rows);
  const Side& side(uint32_t place) const { return sides_[place]; }
  size_t sides() const { return sides_.size(); }
  /// The group has more hosts than before.
  void widen(uint32_t place, size_t rows);
  /// Of an own group, as the broker's configuration says: fewer slots are so many that are its own
  /// again, more become the group's with their order.
  void exports(uint32_t place, uint32_t row, int32_t slots);
  /// The group is closed: nothing of it counts any more.
  void drop(uint32_t place);
  void set_up(uint32_t place, uint32_t row, bool up);
  void set_kind(uint32_t place, uint32_t row, const std::string& type, int32_t size);

  /// As an order says.
  void take(uint32_t place, std::span<const wire::OrderedHost> hosts, uint64_t seq,
            int64_t grace_ms, int64_t run_time_ms, Instant now);
  /// After an order was answered: of work told by shape nothing starts before, as an agent states
  /// its limit first and then what starts below it.
  void start_what_fits();
  void answer_at(uint32_t place, Instant at) { sides_[place].answer_at = at; }
  /// What is to be given up by now is.
  void end_work(uint32_t place, Instant now);
  /// As it stands before a history is taken up (site.hpp).
  void put(uint32_t place, uint32_t row, int32_t limit, int32_t used, uint64_t seq);

  /// An operator's word: it uses no slot of others.
  void forget_leased();
  /// Of all groups.
  void want(const Want& want, Instant now);
  /// Work goes on until then.
  void pass(Instant now);
  int64_t used() const { return used_; }
  int64_t pending() const;
  /// What an agent tells of its waiting work, as far as the record does: nullopt where it does not.
  std::optional<wire::Demand> demand() const;
  std::optional<std::vector<int32_t>> elsewhere() const;

  /// Appends what an agent states of the group; nothing of it is news then.
  void state(uint32_t place, wire::StateBlock& block);

 private:
  void fill();
  void fill_up_to(int64_t slots);
  void stop_down_to(int64_t slots);
  void fill_by_shape();
  void start_by_shape(std::span<const uint32_t> places);
  int64_t free() const;
  int32_t largest_host() const;
  int64_t due_to_run() const;
  int64_t singles() const;
  void start(Side& side, int64_t slots);
  void stop(Side& side, int64_t most, bool asked_back);

  std::vector<Side> sides_;
  std::vector<uint32_t> order_;  // in which slots are used
  int64_t wanted_ = 0;
  int64_t over_ = 0;         // slots' work that was done here already; below 0: that was not yet
  int64_t running_ = 0;      // of these, what ran
  int64_t needs_ = 0;        // Want::needs
  int64_t run_time_ms_ = 0;  // Want::run_time_ms
  SlotMs ahead_ = 0;         // work done here that was not done yet as recorded; below 0: behind
  Instant passed_{INT64_MIN};
  int64_t used_ = 0;
  std::optional<EstimatedQueue> queue_;  // nullopt: no shapes are told
  bool elsewhere_told_ = false;
};

}  // namespace leasehold
