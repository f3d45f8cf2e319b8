#include "broker/rules/plan/moves/exchange.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace leasehold {

namespace {

class Exchanging {
 public:
  Exchanging(std::vector<ExchangeHost> hosts, const CanUse& can_use)
      : hosts_(std::move(hosts)), can_use_(can_use) {}

  /// Returns false if not all of it can be had.
  bool have(const LackedSlots& lacked) {
    int64_t left = lacked.slots;
    for (const HostHolding& other : hosts_[lacked.host].others) {
      if (left <= 0) break;
      left -= hosts_[lacked.host].whole ? have_whole(lacked.host, other)
                                        : have_slots(lacked.host, other, left);
    }
    return left <= 0;
  }

  std::vector<HostsExchanged> take() { return std::move(made_); }

 private:
  int64_t have_slots(uint32_t taken, const HostHolding& other, int64_t most) {
    const int64_t wanted = std::min(most, other.slots);
    int64_t left = wanted;
    // The consumer can never have a host behind this one: spare slots only become fewer.
    uint32_t& from =
        next_.emplace(other.consumer, static_cast<uint32_t>(hosts_.size())).first->second;
    while (left > 0 && from > 0) {
      ExchangeHost& host = hosts_[from - 1];
      if (host.whole || host.spare <= 0 || !can_use_(other.consumer, from - 1)) {
        --from;
        continue;
      }
      const int64_t slots = std::min(left, host.spare);
      host.spare -= slots;
      left -= slots;
      made_.push_back({other.consumer, taken, from - 1, slots});
    }
    return wanted - left;
  }

  int64_t have_whole(uint32_t taken, const HostHolding& other) {
    for (auto given = static_cast<uint32_t>(hosts_.size()); given-- > 0;) {
      ExchangeHost& host = hosts_[given];
      const bool alike = host.whole && host.size == hosts_[taken].size;
      if (!alike || host.spare != other.slots || !can_use_(other.consumer, given)) continue;
      host.spare = 0;
      made_.push_back({other.consumer, taken, given, other.slots});
      return other.slots;
    }
    return 0;
  }

  std::vector<ExchangeHost> hosts_;
  const CanUse& can_use_;
  std::map<uint32_t, uint32_t> next_;  // by consumer: beyond the host that it is given next
  std::vector<HostsExchanged> made_;
};

}  // namespace

std::vector<HostsExchanged> exchange_hosts(std::vector<ExchangeHost> hosts,
                                           std::span<const LackedSlots> lacking,
                                           const CanUse& can_use) {
  Exchanging exchanging(std::move(hosts), can_use);
  for (const LackedSlots& lacked : lacking) {
    if (!exchanging.have(lacked)) return {};
  }
  return exchanging.take();
}

}  // namespace leasehold
