// Division is whether two clusters may use a host at the same time, each with a part of its slots,
// as an agent reports it for a host that its workload manager knows. The broker decides what
// follows from it (broker/core/model/queries/hosts.hpp, moves_whole).
#pragma once

#include <cstdint>

#include "common/tokens.hpp"

namespace leasehold::wire {

/// Values are added at the end. A reader takes one that it does not know for `other_reason`, so
/// that it splits no host that a newer program calls indivisible.
enum class Division : uint8_t {
  unsaid = 0,                 // an older agent, or a host that it cannot judge
  divisible = 1,              // two workload managers can use parts of it side by side
  divisible_by_operator = 2,  // the agent's operator says so, whatever the workload manager prints
  other_reason = 3,           // indivisible, as all below
  whole_nodes = 4,            // the workload manager gives out whole hosts only
  pinned_cores = 5,           // it binds work to cores: both managers would choose the same ones
  memory = 6,                 // it gives out memory: both would give out the same memory
  devices = 7,                // the host has devices, which both would give out
  by_operator = 8,            // the agent's operator says that it may not be split
};
constexpr auto tokens_of(Division) {
  using enum Division;
  return tokens<Division>({{unsaid, "unsaid"},
                           {divisible, "divisible"},
                           {divisible_by_operator, "divisible-by-operator"},
                           {other_reason, "other-reason"},
                           {whole_nodes, "whole-nodes"},
                           {pinned_cores, "pinned-cores"},
                           {memory, "memory"},
                           {devices, "devices"},
                           {by_operator, "by-operator"}});
}

constexpr bool is_indivisible(Division division) {
  return division >= Division::other_reason;
}

}  // namespace leasehold::wire
