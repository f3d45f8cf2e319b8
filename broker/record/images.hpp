// Images: every row of the state that a commit changed, as it is after it, volatile members too.
// They are enough to follow the state without deciding anything again, whatever core decided.
// Not imaged: what a start forgets everywhere (broker/core/model/restart.hpp), what derive() makes,
// and what only the next evaluation reads (Grid::changed, deadlines, leases that return), which a
// start makes anew.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/record/group_images.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Writes images. Of rows that are marked as changed together (the hosts of a cluster, the
/// consumers of a plan, policies) it knows how they were written last and writes those that differ.
class ImageWriter {
 public:
  /// The state that the images to come follow upon: as loaded, or after a base.
  void begin(const State& state);
  /// Appends the images of what is marked as changed in `state` (State::dirty_groups and so on).
  void write(const State& state, std::string& out, GroupsAs as = GroupsAs::rows);

 private:
  std::string config_;  // bytes of configuration and windows
  std::vector<PolicyState> policies_;
  std::vector<std::vector<Host>> hosts_;
  std::vector<std::vector<PlanConsumerLedger>> consumers_;
  GroupImages groups_;
};

/// How a writer that comes to the same bytes is to write them.
GroupsAs groups_as(std::string_view images);

/// Puts the rows in their places and marks them as changed; what derive() makes is made anew. Error
/// (corrupt): the bytes are no images, or none that follow upon this state; it is of no further
/// use then.
Status apply_images(std::string_view images, State& state);

/// Nothing in `state` waits to be written any more.
void clear_marks(State& state);

}  // namespace leasehold
