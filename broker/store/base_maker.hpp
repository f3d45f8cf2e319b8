// BaseMaker: whoever makes bases of the state beside the loop, from what is durable, so that none
// stops it. The store asks for one when it is due and writes it part by part, one after a commit.
// Not a must: without one, or where it does not come, the store makes it itself, at once.
#pragma once

#include <optional>
#include <vector>

#include "broker/record/log_row.hpp"
#include "broker/record/unimaged.hpp"

namespace leasehold {

/// Which base: of the state after event `last_event`, the last that is durable, in the log whose
/// row with that event has this hash. After a commit that failed another row may end there.
struct WantedBase {
  int64_t last_event = 0;
  Hash log_hash{};
  Unimaged unimaged;
};

struct MadeBase {
  int64_t last_event = 0;
  Instant time;
  std::vector<Chunk> chunks;
};

/// Both calls wait for nothing.
class BaseMaker {
 public:
  virtual ~BaseMaker() = default;
  /// What was wanted before is not wanted any more.
  virtual void want(WantedBase wanted) = 0;
  /// The one that is wanted, once it is made.
  virtual std::optional<MadeBase> take() = 0;
};

}  // namespace leasehold
