// QueueFences: the slots of the queue's hosts as this adapter sets and restores them. What a fence
// was made from is in its journal, the administrator's numbers are in the adapter's notes; both are
// written before the queue is changed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/core/limits/view.hpp"
#include "agent/workload/gridengine/cell.hpp"
#include "agent/workload/gridengine/ending.hpp"
#include "agent/workload/gridengine/reservations.hpp"
#include "agent/workload/support/cap_journal.hpp"
#include "agent/workload/support/host_owners.hpp"

namespace leasehold::agent {

class QueueFences {
 public:
  /// All but the journal must outlive it; `owners` learns from each look before it is asked here.
  QueueFences(const GridEngineCell& cell, GridEngineNotes& notes, const EndingJobs& ending,
              const ReservedSlots& reserved, const HostOwners& owners, CapJournal journal)
      : cell_(cell),
        notes_(notes),
        ending_(ending),
        reserved_(reserved),
        owners_(owners),
        journal_(std::move(journal)) {}

  const CapJournal& journal() const { return journal_; }
  /// Returns the slots of an own host without a fence.
  int32_t capacity(const GridEngineInstance& instance) const;
  /// Returns the hosts that are leased, or all if none is.
  std::vector<std::string> leased(const QueueHosts& hosts) const;
  /// Returns the capacity of the largest of these hosts; of the largest host of all while they have
  /// none.
  int32_t largest_of(const QueueHosts& hosts, std::span<const std::string> names) const;
  void add_caps(const QueueHosts& hosts, View& view) const;
  /// Returns a sentence for each host of others that stays closed.
  std::vector<std::string> left_closed(const QueueHosts& hosts) const;

  // No host is set to fewer slots than are reserved of it: those count as used.

  /// Sets imported hosts to no slots until they are granted.
  Status close_ungranted(const QueueHosts& hosts);
  /// While the processes of these jobs may still run, their slots on fenced hosts are closed to
  /// all. enforce() opens them again. It fails where all that is used there is reserved.
  Status close_for(std::span<const EndingJob> ending, const QueueHosts& hosts);
  /// Does what Workload::enforce() says.
  Status enforce(std::span<const HostCap> caps, const QueueHosts& hosts);

 private:
  bool fenced(const std::string& host) const { return journal_.find(host) != nullptr; }
  int32_t slots_under(const HostCap& cap, const GridEngineInstance& instance) const;
  Status set(std::span<const HostCap> caps, const QueueHosts& hosts);
  Status note_originals(std::span<const std::string> names, const QueueHosts& hosts);
  Status restore_host(const HostCap& cap) const;
  Status forget(std::span<const HostCap> caps);
  Status set_and_read_back(std::span<const GridEngineCell::Slots> slots) const;

  const GridEngineCell& cell_;
  GridEngineNotes& notes_;
  const EndingJobs& ending_;
  const ReservedSlots& reserved_;
  const HostOwners& owners_;
  CapJournal journal_;
};

}  // namespace leasehold::agent
