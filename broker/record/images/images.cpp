#include "broker/record/images/images.hpp"

#include <algorithm>

#include "broker/core/model/queries/vacant_hosts.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "broker/core/model/turn/lease_dues.hpp"
#include "broker/record/images/group_images.hpp"
#include "broker/record/images/image_rows.hpp"
#include "broker/record/indices.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

using bytes::Packer;
using bytes::Unpacker;

/// The parts of an image, in order. A later version adds parts at the end.
enum Part : uint8_t {
  kOne,            // values that exist once, and a freeze ahead where there is one
  kConfiguration,  // nothing, or [configuration, windows]
  kGrids,          // all of them, since they are few
  kClusters,       // [[position, row]…], as the ones below
  kHosts,          // [[cluster, [[position, row]…]]…]
  kPolicies,
  kPlans,
  kConsumers,  // [[plan, [[position, row]…]]…]
  kGroups,
  kParts,
  kGroupRows = kParts,  // only where there are any: [[group, its changes]…]
  kPartsWithRows
};

std::string configuration_of(const State& state) {
  std::string packed;
  Packer packer(packed);
  packer.array(2);
  packer.put(state.config);
  packer.put(state.windows);
  return packed;
}

void write_own(const State& state, std::string& out) {
  if (!state.freeze_ahead) return Packer(out).put(own_fields(state));
  Packer(out).put(std::tuple_cat(own_fields(state), std::tie(state.freeze_ahead)));
}

void write_grids(const State& state, std::string& out) {
  Packer packer(out);
  packer.array(state.grids.size());
  for (const Grid& grid : state.grids) packer.put(own_fields(grid));
}

}  // namespace

void ImageWriter::begin(const State& state) {
  config_ = configuration_of(state);
  policies_ = state.policies;
  hosts_.clear();
  for (const Cluster& cluster : state.clusters) hosts_.push_back(cluster.hosts);
  consumers_.clear();
  for (const ResourceGroupLedger& plan : state.resource_groups) {
    consumers_.push_back(plan.consumers);
  }
  groups_.begin(state);
}

namespace {

/// Writes positions that are gone from the end of the list once, as vacant; the reader then drops
/// them (drop_vacant_end).
void add_vacant_end(size_t size, std::vector<Host>& written, Rows& rows) {
  for (size_t place = size; place < written.size(); ++place) rows.add(place, Host{});
  written.resize(std::min(size, written.size()));
}

}  // namespace

void ImageWriter::write(const State& state, std::string& out, GroupsAs as) {
  Rows clusters, hosts, policies, plans, consumers, groups, group_rows;
  groups_.follow_start(state);
  hosts_.resize(state.clusters.size());
  consumers_.resize(state.resource_groups.size());
  for (size_t c = 0; c < state.clusters.size() && state.dirty_clusters; ++c) {
    const Cluster& cluster = state.clusters[c];
    if (cluster.dirty) clusters.add(c, own_fields(cluster));
    if (cluster.dirty) groups_.follow_cluster(state, c);
    if (!cluster.hosts_dirty) continue;
    Rows changed;
    add_changed(cluster.hosts, hosts_[c], changed);
    add_vacant_end(cluster.hosts.size(), hosts_[c], changed);
    if (!changed.empty()) hosts.add_list(c, changed);
  }
  if (state.dirty_config) add_changed(state.policies, policies_, policies);
  for (size_t p = 0; p < state.resource_groups.size() && state.dirty_resource_groups; ++p) {
    const ResourceGroupLedger& plan = state.resource_groups[p];
    if (!plan.dirty) continue;
    plans.add(p, own_fields(plan));
    Rows changed;
    add_changed(plan.consumers, consumers_[p], changed);
    if (!changed.empty()) consumers.add_list(p, changed);
  }
  for (const uint32_t g : state.dirty_groups) {
    const bool last = g == state.dirty_groups.back();
    if (LEASEHOLD_CANARY(leaves_out_an_image) && last) continue;
    groups_.write(state, g, as, groups, group_rows);
  }
  Packer(out).array(group_rows.empty() ? kParts : kPartsWithRows);
  write_own(state, out);
  std::string config = state.dirty_config ? configuration_of(state) : config_;
  if (config == config_) {
    Packer(out).array(0);
  } else {
    out += config_ = std::move(config);
  }
  write_grids(state, out);
  for (const Rows* rows : {&clusters, &hosts, &policies, &plans, &consumers, &groups}) {
    rows->write(out);
  }
  if (!group_rows.empty()) group_rows.write(out);
}

namespace {

/// Reads the parts of one commit's images into a state.
class Reader {
 public:
  explicit Reader(State& state) : state_(state) {}

  bool read(const msgpack::object& from);
  Status check() const;
  void derive_changed();
  const Unpacker& unpacker() const { return unpacker_; }

 private:
  static constexpr auto kWhole = [](auto& row) -> auto& { return row; };
  static constexpr auto kOwn = [](auto& row) { return own_fields(row); };

  bool read_own(const msgpack::object& from);
  bool read_configuration(const msgpack::object& from);
  bool read_group_rows(const msgpack::object& from);
  void group_changed(uint32_t place);
  bool read_clusters(const msgpack::object& from);
  bool read_grids(const msgpack::object& from);
  template <class Rows, class Target, class Mark>
  bool read_rows(const msgpack::object& from, Rows& rows, Target target, Mark mark);
  /// Reads the list that `list` gives for each named owner.
  template <class Owner, class List, class Mark>
  bool read_lists(const msgpack::object& from, std::vector<Owner>& owners, List list, Mark mark);

  State& state_;
  Unpacker unpacker_;
  std::vector<uint32_t> groups_;
  bool structure_ = false;  // other parts than rows of groups changed, or a group is new or closed
};

template <class Rows, class Target, class Mark>
bool Reader::read_rows(const msgpack::object& from, Rows& rows, Target target, Mark mark) {
  if (from.type != msgpack::type::ARRAY) return unpacker_.wrong("rows");
  for (uint32_t i = 0; i < from.via.array.size; ++i) {
    const msgpack::object& pair = from.via.array.ptr[i];
    uint32_t place = 0;
    if (!unpacker_.is_array(pair, 2) || !unpacker_.get(pair.via.array.ptr[0], place)) return false;
    if (place > rows.size()) return unpacker_.wrong("a row that is there, or the next");
    if (place == rows.size()) {
      rows.emplace_back();
      structure_ = true;
    }
    auto&& into = target(rows[place]);
    if (!unpacker_.get(pair.via.array.ptr[1], into)) return false;
    mark(place);
  }
  return true;
}

template <class Owner, class List, class Mark>
bool Reader::read_lists(const msgpack::object& from, std::vector<Owner>& owners, List list,
                        Mark mark) {
  if (from.type != msgpack::type::ARRAY) return unpacker_.wrong("lists of rows");
  for (uint32_t i = 0; i < from.via.array.size; ++i) {
    const msgpack::object& pair = from.via.array.ptr[i];
    uint32_t place = 0;
    if (!unpacker_.is_array(pair, 2) || !unpacker_.get(pair.via.array.ptr[0], place)) return false;
    if (place >= owners.size()) return unpacker_.wrong("an owner that is there");
    if (!read_rows(pair.via.array.ptr[1], owners[place].*list, kWhole, [](uint32_t) {})) {
      return false;
    }
    mark(place);
  }
  return true;
}

bool Reader::read_own(const msgpack::object& from) {
  state_.freeze_ahead.reset();
  const auto own = own_fields(state_);
  const auto all = std::tuple_cat(own, std::tie(state_.freeze_ahead));
  const bool ahead =
      from.type == msgpack::type::ARRAY && from.via.array.size == std::tuple_size_v<decltype(all)>;
  return ahead ? unpacker_.get(from, all) : unpacker_.get(from, own);
}

bool Reader::read_configuration(const msgpack::object& from) {
  if (from.type == msgpack::type::ARRAY && from.via.array.size == 0) return true;
  structure_ = true;
  state_.dirty_config = true;
  if (!unpacker_.is_array(from, 2) || !unpacker_.get(from.via.array.ptr[0], state_.config)) {
    return false;
  }
  share_equal_lists(state_.config);
  return unpacker_.get(from.via.array.ptr[1], state_.windows);
}

/// No report of a lost cluster is expected any more; the images do not say so for each group.
bool Reader::read_clusters(const msgpack::object& from) {
  const auto changed = [this](uint32_t place) {
    Cluster& cluster = state_.clusters[place];
    cluster.dirty = state_.dirty_clusters = true;
    if (cluster.contact == Contact::ok) return;
    for (const uint32_t index : cluster.slot_groups) {
      SlotGroup& group = state_.slot_groups[index];
      const uint32_t member = member_of(group, place);
      if (member != kNoIndex) group.members[member].reported = false;
    }
  };
  return read_rows(from, state_.clusters, kOwn, changed);
}

bool Reader::read_grids(const msgpack::object& from) {
  if (from.type != msgpack::type::ARRAY || from.via.array.size < state_.grids.size()) {
    return unpacker_.wrong("all grids");
  }
  structure_ = structure_ || from.via.array.size > state_.grids.size();
  state_.grids.resize(from.via.array.size);
  for (uint32_t i = 0; i < from.via.array.size; ++i) {
    if (!unpacker_.get(from.via.array.ptr[i], own_fields(state_.grids[i]))) return false;
  }
  return true;
}

void Reader::group_changed(uint32_t place) {
  SlotGroup& changed = state_.slot_groups[place];
  changed.holding_index.reset();
  structure_ = structure_ || changed.phase == Phase::closed;
  groups_.push_back(place);
  if (std::exchange(changed.dirty, true)) return;
  state_.dirty_groups.push_back(place);
}

bool Reader::read_group_rows(const msgpack::object& from) {
  if (from.type != msgpack::type::ARRAY) return unpacker_.wrong("rows of groups");
  for (uint32_t i = 0; i < from.via.array.size; ++i) {
    const msgpack::object& pair = from.via.array.ptr[i];
    uint32_t place = 0;
    if (!unpacker_.is_array(pair, 2) || !unpacker_.get(pair.via.array.ptr[0], place)) return false;
    if (place >= state_.slot_groups.size()) return unpacker_.wrong("a group that is there");
    if (!read_rows_of(unpacker_, pair.via.array.ptr[1], state_.slot_groups[place])) return false;
    group_changed(place);
  }
  return true;
}

bool Reader::read(const msgpack::object& from) {
  const bool rows = from.type == msgpack::type::ARRAY && from.via.array.size == kPartsWithRows;
  if (!unpacker_.is_array(from, rows ? kPartsWithRows : kParts)) return false;
  const msgpack::object* part = from.via.array.ptr;
  const auto structural = [this](uint32_t) { structure_ = true; };
  const auto group = [this](uint32_t place) { group_changed(place); };
  return read_own(part[kOne]) && read_configuration(part[kConfiguration]) &&
         read_grids(part[kGrids]) && read_clusters(part[kClusters]) &&
         read_lists(part[kHosts], state_.clusters, &Cluster::hosts,
                    [this](uint32_t place) {
                      drop_vacant_end(state_.clusters[place].hosts);
                      state_.clusters[place].hosts_dirty = state_.dirty_clusters = true;
                      structure_ = true;
                    }) &&
         read_rows(part[kPolicies], state_.policies, kWhole,
                   [&](uint32_t place) {
                     structural(place);
                     state_.dirty_config = true;
                   }) &&
         read_rows(part[kPlans], state_.resource_groups, kOwn,
                   [this](uint32_t place) {
                     state_.resource_groups[place].dirty = state_.dirty_resource_groups = true;
                   }) &&
         read_lists(part[kConsumers], state_.resource_groups, &ResourceGroupLedger::consumers,
                    [](uint32_t) {}) &&
         read_rows(part[kGroups], state_.slot_groups, kWhole, group) &&
         (!rows || read_group_rows(part[kGroupRows]));
}

/// Rows are never removed, so a row that existed before still refers to rows that exist. Without
/// changes of other parts only the changed groups and plans are therefore checked.
Status Reader::check() const {
  if (structure_) return check_indices(state_);
  for (const uint32_t group : groups_) {
    if (Status sound = check_indices(state_, state_.slot_groups[group]); !sound) return sound;
  }
  for (const ResourceGroupLedger& plan : state_.resource_groups) {
    if (!plan.dirty) continue;
    if (Status sound = check_indices(state_, plan); !sound) return sound;
  }
  return {};
}

void Reader::derive_changed() {
  if (structure_) return derive(state_);
  // Images of an older core keep no dues of leases.
  for (const uint32_t group : groups_) bound_dues(state_.slot_groups[group]);
  forget_summaries(state_);
}

}  // namespace

GroupsAs groups_as(std::string_view images) {
  std::string with_rows;
  Packer(with_rows).array(kPartsWithRows);
  return images.starts_with(with_rows) ? GroupsAs::rows : GroupsAs::whole;
}

Status apply_images(std::string_view images, State& state) {
  const Result<msgpack::object_handle> handle = bytes::parse("what a commit changed", images);
  if (!handle) return tl::unexpected(handle.error());
  Reader reader(state);
  if (!reader.read(handle->get())) {
    return bytes::corrupt("what a commit changed", reader.unpacker().problem());
  }
  if (Status sound = reader.check(); !sound) return sound;
  reader.derive_changed();
  return {};
}

/// More room than this is given back: a start or a reload marks all groups.
constexpr size_t kMarksKept = 65'536;

void clear_marks(State& state) {
  for (const uint32_t index : state.dirty_groups) state.slot_groups[index].dirty = false;
  state.dirty_groups.clear();
  if (state.dirty_groups.capacity() > kMarksKept) state.dirty_groups.shrink_to_fit();
  if (state.dirty_clusters) {
    for (Cluster& cluster : state.clusters) cluster.dirty = cluster.hosts_dirty = false;
  }
  if (state.dirty_resource_groups) {
    for (ResourceGroupLedger& plan : state.resource_groups) plan.dirty = false;
  }
  state.dirty_clusters = state.dirty_config = state.dirty_resource_groups = false;
}

}  // namespace leasehold
