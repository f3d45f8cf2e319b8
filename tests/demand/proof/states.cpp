#include "tests/demand/proof/states.hpp"

namespace leasehold::demand_aware::proof {

namespace {

/// Slots that the rule cannot tell apart are at work at home, unless the provider may take them.
std::vector<HostSlots> of_one(Kind kind, int32_t slots) {
  std::vector<HostSlots> states;
  for (int32_t east = 0; east <= slots; ++east) {
    for (int32_t west = 0; east + west <= slots; ++west) {
      const int32_t busy = slots - east - west;
      if (kind == Kind::whole_hosts && east > 0 && west > 0) continue;
      for (int32_t lent = 0; lent <= busy; ++lent) {
        const bool one_side = lent == 0 || lent == busy;
        if (kind == Kind::plain && lent != 0) continue;
        if (kind == Kind::two_leases && lent != 0) continue;
        if (kind == Kind::whole_hosts && !one_side) continue;
        if (kind == Kind::whole_hosts && (lent > 0 ? east : west) > 0 && busy > 0) continue;
        states.push_back({{east, west}, {busy - lent, lent}});
      }
    }
  }
  return states;
}

Waiting jobs(int32_t slots_per_host, int32_t hosts, int64_t slots, int64_t count, int64_t age_ms) {
  return {{slots_per_host, hosts, slots}, count, age_ms, {}};
}

void pick(const std::vector<HostState>& states, size_t from, size_t hosts,
          std::vector<size_t>& some, const std::function<void(const std::vector<size_t>&)>& visit) {
  if (some.size() == hosts) return visit(some);
  for (size_t at = from; at < states.size(); ++at) {
    some.push_back(at);
    pick(states, at, hosts, some, visit);
    some.pop_back();
  }
}

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, kKinds.size()> kNames{"plain", "whole hosts",
                                                               "provider_first", "two leases"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<HostState> host_states(Kind kind, int32_t slots_least, int32_t slots_most) {
  std::vector<HostSlots> ones;
  for (int32_t slots = slots_least; slots <= slots_most; ++slots) {
    for (const HostSlots& one : of_one(kind, slots)) ones.push_back(one);
  }
  std::vector<HostState> states;
  for (const HostSlots& one : ones) {
    if (kind != Kind::two_leases) states.push_back({one});
    if (kind != Kind::two_leases) continue;
    for (const HostSlots& two : ones) states.push_back({one, two});
  }
  return states;
}

void each_site(Kind kind, const std::vector<HostState>& states, size_t hosts,
               const std::function<void(int64_t, const Site&)>& visit) {
  int64_t number = 0;
  std::vector<size_t> some;
  pick(states, 0, hosts, some, [&](const std::vector<size_t>& picked) {
    Site site;
    site.settings.delay_ms = 300'000;
    site.whole_hosts = kind == Kind::whole_hosts;
    site.settings.provider_first = kind == Kind::provider_first;
    site.leases.resize(states.front().size());
    for (const size_t at : picked) {
      for (size_t i = 0; i < site.leases.size(); ++i) {
        site.leases[i].hosts.push_back(states[at][i]);
      }
    }
    visit(number++, site);
  });
}

const std::vector<Queue>& queues() {
  constexpr int64_t kOld = 400'000;  // older than what gathers at once
  static const std::vector<Queue> kQueues{{},
                                          {jobs(1, 1, 1, 3, 0)},
                                          {jobs(1, 1, 3, 1, 0)},
                                          {jobs(2, 1, 2, 2, 0)},
                                          {jobs(4, 1, 4, 1, 0)},
                                          {jobs(2, 2, 4, 1, 0)},
                                          {jobs(1, 3, 3, 1, 0)},
                                          {jobs(1, 1, 9, 1, kOld)},
                                          {jobs(1, 1, 6, 1, 0)},
                                          {jobs(1, 1, 3, 1, 0), jobs(1, 1, 1, 1, 0)},
                                          {jobs(4, 1, 4, 1, kOld), jobs(1, 1, 1, 2, 0)},
                                          {jobs(2, 2, 4, 1, 0), jobs(2, 1, 2, 1, 0)},
                                          {jobs(1, 1, 9, 1, kOld), jobs(1, 1, 1, 2, 0)}};
  return kQueues;
}

const std::vector<Queue>& few_queues() {
  const std::vector<Queue>& all = queues();
  static const std::vector<Queue> kQueues{all[0], all[1], all[4], all[5], all[9]};
  return kQueues;
}

}  // namespace leasehold::demand_aware::proof
