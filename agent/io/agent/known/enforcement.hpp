// Enforcement: what the workload manager showed at the last good look, and the caps that it is
// given by the limits. view() has a cap as soon as it was set; whether the cap is in effect only a
// later look shows (Fences). It changes no limit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/core/demand/endings.hpp"
#include "agent/core/limits/book_use.hpp"
#include "agent/core/limits/divide.hpp"
#include "agent/core/limits/fences.hpp"
#include "agent/io/agent/known/contact.hpp"
#include "agent/io/agent/known/durable_limits.hpp"
#include "agent/io/agent/known/workload_failures.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

class Enforcement {
 public:
  /// All outlive it.
  Enforcement(Workload& workload, DurableLimits& limits, const Contact& contact,
              WorkloadFailures& failures, Divide divide)
      : workload_(workload),
        limits_(limits),
        contact_(contact),
        failures_(failures),
        divide_(divide) {}

  /// Takes a look. If it fails, the last good one stays.
  bool look(int64_t now_ms);
  /// Takes over a look that asked for no hosts of others.
  void restore(View view) { view_ = std::move(view); }
  bool seen() const { return seen_; }  // the last look was good
  std::optional<int64_t> looked_ms() const { return looked_ms_; }
  /// Returns the last good look, with caps enforced since.
  const View& view() const { return view_; }
  /// Returns the use of each group by that look, as it was counted last.
  const std::vector<GroupUse>& use() const { return use_; }
  void count_use() { use_ = use_of(limits_.book(), view_); }
  Endings& endings() { return endings_; }
  const std::optional<wire::Ending>& expected_ends() const { return expected_ends_; }

  /// Enforces the caps that differ from what the limits want, raises only where they are allowed.
  /// Returns false if that failed.
  bool enforce(int64_t now_ms);
  /// Enforces what is leased of shared resources, if that is unfenced.
  void fence_resources();
  void set_resources_unfenced(bool unfenced) { resources_unfenced_ = unfenced; }
  /// Has the workload manager end leases at this instant.
  Status lease_until(int64_t until_ms);

  /// Returns, by host position, the slots that the group's work uses, or may use at any moment
  /// because the fence found at the last look still lets it start there. If groups share a host,
  /// each of them counts all slots that the fence lets through beyond the cap that is wanted.
  std::vector<int32_t> fenced_use(size_t index, int64_t now_ms) const;
  /// True if every host that this order lowers is fenced, as the last look shows; as far as it can
  /// be now, where fences close slot by slot.
  bool fences_stand(const LeasedGroup& group, int64_t now_ms) const;
  const Fences& fences() const { return fences_; }
  /// Returns until when nothing may be sent. A start may find slots open by a state that is older
  /// than what is in force. They stay open until the fences of the first enforcement take effect;
  /// limits stated sooner would give those slots to others while work may start there. Only the
  /// first enforcement sets this deadline: an agent that can close nothing must still be able to
  /// say so.
  int64_t may_speak_ms() const {
    return contact_.confirmed() ? INT64_MIN : may_speak_ms_.value_or(INT64_MIN);
  }

 private:
  bool may_raise(int64_t now_ms) const;
  std::vector<HostCap> changes_to_make(int64_t now_ms) const;
  std::optional<int32_t> beyond(const std::string& place, const std::vector<HostCap>& wanted,
                                int64_t now_ms) const;

  Workload& workload_;
  DurableLimits& limits_;
  const Contact& contact_;
  WorkloadFailures& failures_;
  Divide divide_;
  View view_;
  std::vector<GroupUse> use_;
  Fences fences_;
  Endings endings_;
  std::optional<wire::Ending> expected_ends_;
  bool seen_ = false;
  std::optional<int64_t> looked_ms_;
  std::optional<int64_t> may_speak_ms_;
  bool resources_unfenced_ = false;
};

}  // namespace leasehold::agent
