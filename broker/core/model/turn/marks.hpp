// Marks: the groups of one step that are to converge (converge/converge.hpp), and why.
#pragma once

#include <cstdint>
#include <vector>

namespace leasehold {

/// The change that makes a group converge. Which steps each lets run: converge/converge.hpp.
enum class Cause : uint8_t {
  evaluation,    // an instant of the grid, a reaction to demand, an operator's rebalance
  slots_freed,   // no transfer names them: a lease expired, `forget`, the end of a quarantine
  caps_changed,  // members may have more or less: an operator, a configuration, a host, a plan
  member_lost,   // nobody answers for it
  stated,        // its first statement under an order, hosts up or down, slots given up
};
inline constexpr int kCauseCount = static_cast<int>(Cause::stated) + 1;

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
