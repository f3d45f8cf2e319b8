// BaseMaker makes bases of the state beside the loop, from what is durable, so that none stops the
// loop. The store asks for a base when it needs one and writes it part by part, one part after a
// commit. It is optional: without one, or where its base does not come, the store makes the base
// itself, at once.
#pragma once

#include <optional>
#include <vector>

#include "broker/record/images/unimaged.hpp"
#include "broker/record/log_row.hpp"

namespace leasehold {

/// Names a base: the state after event `last_event`, the last that is durable, in the log whose row
/// with that event has this hash. After a commit that failed another row may end there.
struct WantedBase {
  int64_t last_event = 0;
  Hash log_hash{};
  Unimaged unimaged;  // what no row's image says of that state
};

struct MadeBase {
  int64_t last_event = 0;
  Instant time;
  std::vector<Chunk> chunks;
};

/// Neither call blocks.
class BaseMaker {
 public:
  virtual ~BaseMaker() = default;
  /// Asks for this base; one that was asked for before is no longer wanted.
  virtual void want(WantedBase wanted) = 0;
  /// Gives the wanted base once it is made, nullopt until then.
  virtual std::optional<MadeBase> take() = 0;
};

}  // namespace leasehold
