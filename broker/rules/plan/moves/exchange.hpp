// Exchange: other hosts for a leaf whose waiting job its slots lie wrongly for, slot for slot. It
// is due as many as before, and so is whoever is due others for it: no number of a plan changes.
// Its caller says which hosts it lacks, and why (broker/core/plan/owner_hosts.hpp). Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "broker/rules/plan/hosts/held_hosts.hpp"

namespace leasehold {

struct ExchangeHost {
  int64_t spare = 0;  // slots that the leaf is due there, has, and leaves idle
  /// Other leaves that could give some of it, who loses first before others: `slots` at most.
  std::vector<HostHolding> others;
  /// It has one holder and goes as a whole: for one of the same size of which as much is due.
  bool whole = false;
  int64_t size = 0;  // where whole
};

struct LackedSlots {
  uint32_t host = 0;
  int64_t slots = 0;
};

/// The leaf is due slots of `taken` instead of as many of `given`, the consumer the reverse.
struct HostsExchanged {
  uint32_t consumer = kNoIndex;
  uint32_t taken = 0;
  uint32_t given = 0;
  int64_t slots = 0;
  bool operator==(const HostsExchanged&) const = default;
};

using CanUse = std::function<bool(uint32_t consumer, uint32_t host)>;

/// All that is lacking, or nothing: empty. The last hosts are given first, so that the first ones
/// stay full. Contract: of a host that is lacking nothing is spare.
std::vector<HostsExchanged> exchange_hosts(std::vector<ExchangeHost> hosts,
                                           std::span<const LackedSlots> lacking,
                                           const CanUse& can_use);

}  // namespace leasehold
