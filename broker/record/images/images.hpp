// Images: every row of the state that a commit changed, as it is after the commit, with its
// members marked `reset at start`. They suffice to follow the state without deciding anything
// again, whatever core decided. They leave out what a start resets everywhere
// (broker/core/model/turn/restart.hpp), what derive() computes, and what only the next evaluation
// reads (Grid::changed, deadlines, leases that return), which a start makes again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/record/images/group_images.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Writes images. For rows that are marked as changed together (the hosts of a cluster, the
/// consumers of a plan, policies) it remembers what was written last and writes only those that
/// differ.
class ImageWriter {
 public:
  /// Sets the state that the next images build on: as loaded, or after a base.
  void begin(const State& state);
  /// Appends the images of everything marked as changed in `state` (State::dirty_groups and so on).
  void write(const State& state, std::string& out, GroupsAs as = GroupsAs::rows);

 private:
  std::string config_;  // the bytes of configuration and windows
  std::vector<PolicyState> policies_;
  std::vector<std::vector<Host>> hosts_;
  std::vector<std::vector<PlanConsumerLedger>> consumers_;
  GroupImages groups_;
};

/// Returns how a writer must write groups to get the same bytes as `images`.
GroupsAs groups_as(std::string_view images);

/// Stores the rows in their positions, marks them as changed, and runs derive(). Error (corrupt):
/// the bytes are no images, or none that build on this state, which must not be used any more then.
Status apply_images(std::string_view images, State& state);

/// Clears all marks: nothing in `state` waits to be written.
void clear_marks(State& state);

}  // namespace leasehold
