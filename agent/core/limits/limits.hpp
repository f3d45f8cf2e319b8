// Limits: how many slots of each host of a slot group the agent lets its own cluster use, and how
// an order changes them (schema/wire/PROTOCOL.md, "Orders"). Pure values and functions.
// Nothing is enforced here: between the steps below the caller fences, waits and reads use again.
//
//   judge -> check_order -> begin_order -> (the fence is in effect; `used` is read again)
//         -> finish_order -> (persisted) -> opened and answered
//
// By itself an agent only lowers a limit: lower_to_use, and keep_configured for exports that ended.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/result.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

/// A lowering that waits for slots to come free: they are fenced to `target`, so none is refilled.
struct OpenLowering {
  wire::Lowering kind;
  int32_t target;
  bool whole = false;  // the host is given up when the last of its work has ended, not before
  bool operator==(const OpenLowering&) const = default;
};

struct HostLimit {
  int32_t limit = 0;  // durable
  /// Durable; provider: slots of the host that belong to the group and so are not own ones.
  /// 0 until the group's first order: a new group changes nothing by being configured.
  int32_t exported = 0;
  std::optional<OpenLowering> lowering;  // durable
  bool settling = false;  // not durable: an order is being applied, `lowering` is its fence
  bool frozen = false;    // not durable: no new work on leased slots until the broker's next order
  /// Not durable: slots that a set may have to give back here (reclaim/sets.hpp): none of so many
  /// that come free is refilled.
  int32_t withheld = 0;
  bool operator==(const HostLimit&) const = default;
};

/// Returns the limit that an open lowering leaves to the host.
int32_t kept_limit(const HostLimit& host);
/// Returns the slots that the workload manager shall let the cluster use; never above the limit.
int32_t enforced(const HostLimit& host);

struct GroupLimits {
  uint64_t generation = 0;
  wire::Role role = wire::Role::provider;
  uint64_t seq = 0;              // of the highest order applied; 0: none
  bool ever_used = false;        // sticky
  int64_t grace_ms = 0;          // of the order, for reclaims
  std::vector<HostLimit> hosts;  // by position in the group
  bool operator==(const GroupLimits&) const = default;
};

enum class Verdict : uint8_t {
  refused,   // a lower number than one applied: ignored
  repeated,  // the number applied last: answered with the present state, nothing is applied
  applies,
};
Verdict judge(const GroupLimits& group, uint64_t seq);

/// Refuses an order that names a host which the group does not have, or one host twice. Contract:
/// its numbers were checked before (agent/core/bounds.hpp).
Status check_order(const wire::ConfiguredGroup& configured, const wire::Order& order);

/// Step 1: exports that are new become the group's (own slots turn into limit, one for one), and
/// every named host whose limit is to fall is fenced. Raises nothing. Where this order lowers
/// nothing, a lowering that an earlier order began and did not finish stays until step 2. That is
/// safe: the lowering can only lower the limit, states sent meanwhile carry the older number, and
/// the broker names every unconfirmed host, so that step 2 sets its limit.
GroupLimits begin_order(GroupLimits group, const wire::ConfiguredGroup& configured,
                        const wire::Order& order);

/// True if every fence that the order needs was asked for already, to the same target.
bool fences_as_before(const GroupLimits& begun, const GroupLimits& before);

/// Step 2: each named host gets the order if that is more, else max(order, min(limit, used)).
/// `used` by host position, read after the fence stood. Hosts not named keep their limit and have
/// no open lowering any more; a release closes with this, its first answer.
GroupLimits finish_order(GroupLimits begun, const wire::Order& order,
                         std::span<const int32_t> used);

/// Lowers limits with an open lowering by every slot that has come free. True: a limit fell.
bool lower_to_use(GroupLimits& group, std::span<const int32_t> used);

/// Applies the ends of exports. The provider held those slots: limit and exports fall together, and
/// own slots rise.
void keep_configured(GroupLimits& group, const wire::ConfiguredGroup& configured);

/// Closes a group whose lease has ended by itself (agent/core/lease_clock.hpp): every host is
/// fenced to 0, and gives up each slot that comes free when its fence is in effect. Only an order
/// raises anything again. The workload manager ends work whose grace is over, and does so without
/// the agent too.
void close_all(GroupLimits& group);

/// Drops an order that was begun and will not be finished: fences are again what they were.
void drop_order(GroupLimits& group, const GroupLimits& before);

/// Lets nothing start on leased slots of this host until the broker has answered ("Agent start").
inline void freeze(HostLimit& host) {
  host.frozen = true;
}

}  // namespace leasehold::agent
