// Obstacle: what keeps one waiting job from starting on the hosts of a lease, or of a resource
// group for a leaf of its plan. It is found with the packing that the decisions use. Pure. Not what
// limits or remembers the group besides: waiting.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "broker/rules/demand_aware/shapes.hpp"
#include "common/tokens.hpp"
#include "common/wire/demand.hpp"

namespace leasehold::explanation {

/// The obstacle that is nearest to a start stands first.
enum class Obstacle : uint8_t {
  not_started = 0,    // its idle slots start it: only its workload manager can say more
  on_way = 1,         // they do with those on their way
  idle_of_other = 2,  // they do with idle slots of others
  offer = 3,          // the same, but the lease is not made by what is offered first
  unused_before = 4,  // such work left slots unused and gets none for a while
  quota = 5,          // of the leaf, at present
  in_use = 6,         // the slots that it lacks are in use
  limit = 7,          // of the leaf, or of a parent of it
  host_down = 8,      // no host that would do can be used
  slots_few = 9,      // in all
  hosts_few = 10,     // with slots enough on each
  width = 11,         // no host has the slots
  whole = 12,         // it takes hosts whole, and only a part of each is there
  host_type = 13,     // no host is of a type that it wants
  no_leaf = 14,       // the cluster has no leaf in the plan of its slots
};
constexpr auto tokens_of(Obstacle) {
  using enum Obstacle;
  return tokens<Obstacle>({{not_started, "not-started"},
                           {on_way, "on-way"},
                           {idle_of_other, "idle-of-other"},
                           {offer, "offer-too-small"},
                           {unused_before, "unused-before"},
                           {quota, "quota"},
                           {in_use, "in-use"},
                           {limit, "limit"},
                           {host_down, "host-down"},
                           {slots_few, "slots-few"},
                           {hosts_few, "hosts-few"},
                           {width, "width"},
                           {whole, "whole"},
                           {host_type, "host-type"},
                           {no_leaf, "no-leaf"}});
}

/// The slots of a group, as one of its members sees them; the vectors have a value for each host.
struct SlotsSeen {
  uint8_t member = demand_aware::kConsumer;  // others' idle slots stand with the other one
  std::vector<std::string> types;
  std::vector<demand_aware::IdleRow> now;
  std::vector<demand_aware::IdleRow> coming;  // with what is on its way to the member
  std::vector<int32_t> most;       // slots that it could have if all were idle; 0: not to be used
  std::vector<int32_t> if_usable;  // the same, if it could use each host
  std::vector<int32_t> sizes;      // IdleRow::size, of each host, usable or not
  std::vector<int32_t> elsewhere;  // idle slots of it on other hosts
};

struct Found {
  Obstacle what = Obstacle::not_started;
  int64_t lacking = 0;    // slots of others that it needs: idle ones; of in_use: any that it lacks
  int32_t idle_most = 0;  // the most that are idle for it on one host
  int64_t of_width = 0;   // hosts that have enough slots, idle or not
  int64_t there = 0;      // the most slots that one host has, in use or not
  int64_t slots = 0;      // all that could be had on hosts of its types
};

/// Says what one job of the bucket lacks: never what a plan or a memory would keep from it.
Found find_obstacle(const SlotsSeen& seen, const wire::DemandBucket& bucket);

}  // namespace leasehold::explanation
