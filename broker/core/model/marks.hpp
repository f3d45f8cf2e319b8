// Marks: the groups of one step that are to converge (exports/converge.hpp), and why.
#pragma once

#include <cstdint>
#include <vector>

namespace leasehold {

/// The change that makes a group converge.
enum class Cause : uint8_t {
  evaluation,       // an instant of the grid, a reaction to demand, an operator's rebalance
  may_have_more,    // thawed, resumed, a host opened or closed by an operator, a plan evaluated
  may_have_less,    // drained, reserved or free again, up again, divided, reloaded, owner waits
  slots_came_home,  // a lease ended by itself, a cluster was forgotten, a quarantine is over
  member_lost,      // nobody answers for it
  hosts_stated,     // the first statement under an order, or one of hosts that went up or down
  slots_stated,     // a statement by which slots were given up
};
inline constexpr int kCauseCount = static_cast<int>(Cause::slots_stated) + 1;

struct Mark {
  uint32_t group = 0;
  uint8_t causes = 0;  // a bit each

  bool has(Cause cause) const { return (causes >> static_cast<int>(cause) & 1) != 0; }
};

class Marks {
 public:
  void add(uint32_t group, Cause cause) {
    marks_.push_back({group, static_cast<uint8_t>(1U << static_cast<uint32_t>(cause))});
  }
  /// Returns each marked group once, in the order of groups. None is left.
  std::vector<Mark> take();

 private:
  std::vector<Mark> marks_;  // as they were made
};

}  // namespace leasehold
