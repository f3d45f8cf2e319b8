// Roll is the presence table of the brokers of a database: what each states of itself beside the
// leader's row, as how many agents reach it, or come to it though it does not lead, and what its
// clock shows. It is no part of the log, and the only thing that is written without a leadership:
// nobody's slots depend on it. postgres/roll.hpp has that of a server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/time/clock_difference.hpp"

namespace leasehold {

struct RollRow {
  std::string name;
  std::string endpoint;  // where its operators reach it
  bool leads = false;
  bool may_lead = true;  // nothing but its turn keeps it from it
  int64_t agents = 0;    // that are connected to it, or come to it though it does not lead
  std::vector<std::string> clusters = {};  // of these, where they said whose they are
  bool operator==(const RollRow&) const = default;
};

struct RollSeen {
  struct Other {
    RollRow row;
    int64_t changed_ms = 0;  // when its entry was last seen to change, by CLOCK_BOOTTIME
  };
  std::vector<Other> others;  // by name
  /// This broker's wall clock less the server's; nullopt: not known.
  std::optional<ClockDifference> ahead_of_server;
  std::string trouble;  // why nothing of it is known; "": none
};

class Roll {
 public:
  /// A broker writes its entry at least this often; an entry that is twice as old does not count.
  static constexpr int64_t kBeatMs = 10'000;
  static constexpr int64_t kCountsMs = 2 * kBeatMs;

  virtual ~Roll() = default;
  // tell() and seen() are called on one thread; neither blocks for long.
  virtual void tell(RollRow mine) = 0;
  virtual std::shared_ptr<const RollSeen> seen() const = 0;  // nullptr: nothing yet
};

}  // namespace leasehold
