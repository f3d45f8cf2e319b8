// Group images: a slot group as a commit changed it. A small one is imaged whole; of a plan's,
// which may have a million rows, those that differ from what was written last. Inner header of
// images.
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

/// `whole`: all groups, as programs wrote them that knew no rows of groups.
enum class GroupsAs : uint8_t { whole, rows };

/// What a reader of the images knows of large groups, as it is known on both sides.
class GroupImages {
 public:
  void begin(const State& state);
  /// A start forgets members everywhere, which no image says: groups are written whole after it.
  void follow_start(const State& state);
  /// Of a cluster that is lost nobody waits for a report any more (images.cpp, read_clusters).
  void follow_cluster(const State& state, size_t cluster);
  /// Adds to `whole` or to `rows`.
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

/// Puts what changed into the group.
bool read_rows_of(bytes::Unpacker& unpacker, const msgpack::object& from, SlotGroup& group);

}  // namespace leasehold
