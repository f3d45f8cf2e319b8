// Group images: a slot group as a commit changed it. A small group is written whole; of a large one
// of a plan, which may have a million rows, only the rows that differ from what was written last.
// For images.cpp only.
#pragma once

#include <msgpack.hpp>
#include <unordered_map>
#include <vector>

#include "broker/core/model/state.hpp"

namespace leasehold {

class Rows;
namespace bytes {
class Unpacker;
}

/// `whole`: every group is written whole, as older programs did that had no images of rows.
enum class GroupsAs : uint8_t { whole, rows };

/// Remembers the rows of large groups as they were written last, which the reader of the images
/// has, too.
class GroupImages {
 public:
  void begin(const State& state);
  /// Follows a start: it resets members everywhere, which no image shows, so groups are written
  /// whole after it.
  void follow_start(const State& state);
  /// Follows a lost cluster: no report of it is expected any more (images.cpp, read_clusters).
  void follow_cluster(const State& state, size_t cluster);
  /// Adds the group to `whole` or to `rows`.
  void write(const State& state, uint32_t group, GroupsAs as, Rows& whole, Rows& rows);

 private:
  struct Written {
    Members members;
    HostLedgers hosts;
    Holdings holdings;
    Transfers transfers;
  };

  void note(const SlotGroup& group, uint32_t index);
  static void add_rows(const SlotGroup& group, Written& written, uint32_t index, Rows& rows);

  std::unordered_map<uint32_t, Written> written_;  // by group
  uint64_t incarnation_ = 0;
};

/// Applies the changed rows to the group.
bool read_rows_of(bytes::Unpacker& unpacker, const msgpack::object& from, SlotGroup& group);

}  // namespace leasehold
