#include "broker/record/images/group_images.hpp"

#include <algorithm>
#include <numeric>

#include "broker/record/images/image_rows.hpp"

namespace leasehold {

namespace {

using bytes::Packer;
using bytes::Unpacker;

/// A group is large if its members have at least this many rows.
constexpr size_t kLarge = 1024;

bool is_large(const SlotGroup& group) {
  return group.resource_group != kNoIndex && group.holdings.size() >= kLarge;
}

/// Returns the positions of holdings that may differ from what was written last.
std::vector<uint32_t> may_differ(const SlotGroup& group) {
  const bool kept = group.holding_index && group.holding_index->fits(group);
  if (kept && !holding_index(group).all_unwritten) {
    std::vector<uint32_t> places = holding_index(group).unwritten;
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
  }
  std::vector<uint32_t> places(group.holdings.size());
  std::iota(places.begin(), places.end(), uint32_t{0});
  return places;
}

void all_written(const SlotGroup& group) {
  if (!group.holding_index || !group.holding_index->fits(group)) return;
  HoldingIndex& index = holding_index(group);
  index.unwritten.clear();
  index.all_unwritten = false;
}

/// Transfers that are no longer open, and those that are new or changed.
struct ChangedTransfers {
  std::vector<uint64_t> gone;
  std::vector<const Transfer*> changed;
};

ChangedTransfers changed_transfers(const Transfers& now, const Transfers& before) {
  ChangedTransfers found;
  auto old = before.begin();
  for (const Transfer& transfer : now) {
    for (; old != before.end() && old->id < transfer.id; ++old) found.gone.push_back(old->id);
    const bool known = old != before.end() && old->id == transfer.id;
    if (!known || !same(*old, transfer)) found.changed.push_back(&transfer);
    if (known) ++old;
  }
  for (; old != before.end(); ++old) found.gone.push_back(old->id);
  return found;
}

/// Adds a transfer that is already open, or is the newest. Returns false if it is neither.
bool put_transfer(Transfers& open, Transfer transfer) {
  if (Transfer* known = open.find(transfer.id)) {
    if (known->from != transfer.from) return false;
    *known = std::move(transfer);
    return true;
  }
  if (!open.empty() && open.back().id >= transfer.id) return false;
  open.push_back(std::move(transfer));
  return true;
}

/// Writes both lists, and makes `written` the group's transfers.
void pack_transfers(const SlotGroup& group, Transfers& written, std::string& out) {
  const ChangedTransfers found = changed_transfers(group.transfers, written);
  Packer packer(out);
  packer.put(found.gone);
  packer.array(found.changed.size());
  for (const Transfer* transfer : found.changed) packer.put(*transfer);
  for (const uint64_t id : found.gone) written.erase(id);
  for (const Transfer* transfer : found.changed) put_transfer(written, *transfer);
}

}  // namespace

void GroupImages::begin(const State& state) {
  written_.clear();
  incarnation_ = state.incarnation;
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    if (is_large(state.slot_groups[g])) note(state.slot_groups[g], g);
  }
}

void GroupImages::follow_start(const State& state) {
  if (state.incarnation != incarnation_) written_.clear();
  incarnation_ = state.incarnation;
}

void GroupImages::follow_cluster(const State& state, size_t cluster) {
  if (written_.empty() || state.clusters[cluster].contact == Contact::ok) return;
  for (const uint32_t g : state.clusters[cluster].slot_groups) {
    const auto known = written_.find(g);
    const uint32_t member = member_of(state.slot_groups[g], static_cast<uint32_t>(cluster));
    if (known == written_.end() || member >= known->second.members.size()) continue;
    known->second.members[member].reported = false;
  }
}

void GroupImages::note(const SlotGroup& group, uint32_t index) {
  written_[index] = {group.members, group.hosts, group.holdings, group.transfers};
  all_written(group);
}

void GroupImages::write(const State& state, uint32_t index, GroupsAs as, Rows& whole, Rows& rows) {
  const SlotGroup& group = state.slot_groups[index];
  if (!is_large(group)) return whole.add(index, group);
  const auto known = written_.find(index);
  const bool same_shape = known != written_.end() &&
                          known->second.members.size() == group.members.size() &&
                          known->second.hosts.size() == group.hosts.size();
  if (same_shape && as == GroupsAs::rows) return add_rows(group, known->second, index, rows);
  whole.add(index, group);
  note(group, index);
}

void GroupImages::add_rows(const SlotGroup& group, Written& written, uint32_t index, Rows& rows) {
  Rows members, hosts, holdings;
  add_changed(group.members, written.members, members);
  add_changed(group.hosts, written.hosts, hosts);
  for (const uint32_t place : may_differ(group)) {
    if (same(group.holdings[place], written.holdings[place])) continue;
    holdings.add(place, group.holdings[place]);
    written.holdings[place] = group.holdings[place];
  }
  all_written(group);
  std::string packed;
  Packer packer(packed);
  packer.array(6);
  packer.put(own_fields(group));
  for (const Rows* part : {&members, &hosts, &holdings}) part->write(packed);
  pack_transfers(group, written.transfers, packed);
  rows.add_packed(index, packed);
}

namespace {

/// Reads changes of rows that exist already.
template <class Listed>
bool read_changed(Unpacker& unpacker, const msgpack::object& from, Listed& rows) {
  if (from.type != msgpack::type::ARRAY) return unpacker.wrong("rows");
  for (uint32_t i = 0; i < from.via.array.size; ++i) {
    const msgpack::object& pair = from.via.array.ptr[i];
    uint32_t place = 0;
    if (!unpacker.is_array(pair, 2) || !unpacker.get(pair.via.array.ptr[0], place)) return false;
    if (place >= rows.size()) return unpacker.wrong("a row that is there");
    if (!unpacker.get(pair.via.array.ptr[1], rows[place])) return false;
  }
  return true;
}

bool read_transfers(Unpacker& unpacker, const msgpack::object& gone, const msgpack::object& changed,
                    Transfers& open) {
  std::vector<uint64_t> ids;
  std::vector<Transfer> transfers;
  if (!unpacker.get(gone, ids) || !unpacker.get(changed, transfers)) return false;
  for (const uint64_t id : ids) open.erase(id);
  for (Transfer& transfer : transfers) {
    if (!put_transfer(open, std::move(transfer))) return unpacker.wrong("an open transfer");
  }
  return true;
}

}  // namespace

bool read_rows_of(Unpacker& unpacker, const msgpack::object& from, SlotGroup& group) {
  if (!unpacker.is_array(from, 6)) return false;
  const msgpack::object* part = from.via.array.ptr;
  return unpacker.get(part[0], own_fields(group)) &&
         read_changed(unpacker, part[1], group.members) &&
         read_changed(unpacker, part[2], group.hosts) &&
         read_changed(unpacker, part[3], group.holdings) &&
         read_transfers(unpacker, part[4], part[5], group.transfers);
}

}  // namespace leasehold
