// SlotTable: the slots of a resource group's hosts, and from whom they could be had. Waiting work
// of leaves is put on it, one after another, so that no slot is counted twice. Pure. Not how much a
// leaf may have: leaf_demand.cpp says that.
//
// Contract: where `whole_hosts`, a host has one holder, to whom all of it counts.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "broker/rules/demand_aware/shapes.hpp"
#include "broker/rules/plan/demand/leaf_work.hpp"
#include "broker/rules/plan/hosts/held_hosts.hpp"

namespace leasehold {

/// The slots that work may be put on besides those which its leaf has idle.
enum class Reach : uint8_t {
  free,      // of nobody
  unused,    // and of leaves above their quotas, where nothing runs
  used,      // and where their work runs, which is ended then
  returned,  // of nobody, and all that others have of the leaf's own hosts
};

/// Jobs of one shape, and the slots that they were put on.
struct PutJobs {
  int64_t jobs = 0;
  std::vector<demand_aware::RowSlots> own;     // the leaf has these
  std::vector<demand_aware::RowSlots> coming;  // these are to come
};

/// A leaf whose work is put, and by host whether it can use that.
struct TableLeaf {
  uint32_t consumer = kNoIndex;
  std::vector<bool> usable;
};

class SlotTable {
 public:
  using Rows = std::vector<demand_aware::IdleRow>;

  /// By consumer; they outlive the table, as the hosts do.
  struct Leaves {
    const std::vector<uint32_t>& place;  // the last ones lose before others
    const std::vector<bool>& stays;      // nothing moves from it
  };
  SlotTable(std::span<const PlanHost> hosts, bool whole_hosts, const Leaves& leaves);

  /// By consumer: the most that it may lose, in slots; where `whole_hosts`, in hosts.
  void set_excess(std::vector<int64_t> excess) { excess_ = std::move(excess); }
  int64_t excess(uint32_t consumer) const { return excess_[consumer]; }
  /// A leaf whose work has what it starts on may lose what it still has idle, too, but no more than
  /// `most`.
  void spare_idle(uint32_t consumer, int64_t most);
  /// From now on all that may move from others is nobody's.
  void clear_others(uint32_t consumer);

  Rows rows(const TableLeaf& leaf, Reach reach) const;
  /// The same, but no leaf loses more on all of them together than it may; each has enough for a
  /// job of that shape.
  Rows rows_together(const TableLeaf& leaf, Reach reach, const demand_aware::Shape& shape) const;
  static PutJobs put(const demand_aware::Waiting& waiting, int64_t jobs, const Rows& rows);
  /// True if no leaf would lose more than it may.
  bool others_may_lose(uint32_t consumer, const PutJobs& put) const;
  /// From now on those slots are the consumer's, and in use. Returns those that are to come.
  std::vector<WantedSlots> take(uint32_t consumer, const PutJobs& put);
  /// The same for so many of others' slots, wherever they are, or all that there are. Returns them.
  /// Contract: not where `whole_hosts`.
  std::vector<WantedSlots> take_slots(const TableLeaf& leaf, Reach reach, int64_t slots);
  /// Returns what the consumer has idle, in slots; where `whole_hosts`, in hosts.
  int64_t idle_of(uint32_t consumer) const;
  /// Returns the slots that the consumer could give of what it has idle.
  int64_t idle_slots_of(uint32_t consumer) const;
  /// From now on so much of what it has idle is in use: where it has least, so that other work
  /// finds the rest together, and of as much on the last hosts.
  void keep_idle(uint32_t consumer, int64_t idle);
  /// From now on what it has idle is nobody's.
  void free_idle(uint32_t consumer);
  /// True if work of the consumer runs on that host, or was put there.
  bool in_use(uint32_t consumer, uint32_t host) const;
  /// True if the consumer is the leaf of the host's provider.
  bool is_own(uint32_t consumer, uint32_t host) const { return of_[host].owner == consumer; }

 private:
  /// The slots that one leaf has of a host.
  struct Part {
    uint32_t consumer = kNoIndex;
    int64_t idle = 0;
    int64_t used = 0;
  };
  struct Host {
    int64_t free = 0;
    std::vector<Part> parts;  // who loses first stands first
  };
  /// Slots that the others lose, in all and host by host.
  struct Losses {
    std::map<uint32_t, int64_t> of;  // by consumer
    std::vector<WantedSlots> taken;
  };

  int64_t given(uint32_t consumer, uint32_t host, Reach reach) const;
  int64_t may_lose(uint32_t consumer, uint32_t host, const Part& part, Reach reach) const;
  bool lose(uint32_t consumer, const demand_aware::RowSlots& coming, Host& host,
            Losses& losses) const;
  bool lose_whole(uint32_t consumer, const demand_aware::RowSlots& coming, Host& host,
                  Losses& losses) const;
  static Part* part_of(Host& host, uint32_t consumer);
  static const Part* part_of(const Host& host, uint32_t consumer);

  std::span<const PlanHost> of_;
  bool whole_hosts_;
  const std::vector<bool>* stays_;
  std::vector<Host> hosts_;
  std::vector<int64_t> excess_;
};

}  // namespace leasehold
