// HostPower: whether a host of a simulated cluster is switched on. A workload manager that saves
// power switches idle hosts off and, when work of its own waits or an agent asks for it, on again
// (host_power.cpp).
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace leasehold::simulation {

struct HostPower {
  enum class Is : uint8_t { on, goes_off, asleep, boots } is = Is::on;
  int64_t idle_since_ms = 0;
  int64_t until_ms = std::numeric_limits<int64_t>::max();  // while it goes off or boots
  /// Slots of it are lent: it is not switched off, though its manager sees no work there. A fence
  /// that the manager loses does not end that.
  bool kept_on = false;

  bool off() const { return is != Is::on; }
};

/// An agent's call to switch a host on, whatever came of it.
struct WakeCall {
  std::string host;
  int64_t at_ms = 0;
};

}  // namespace leasehold::simulation
