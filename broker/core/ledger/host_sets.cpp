#include "broker/core/ledger/host_sets.hpp"

#include <algorithm>

#include "broker/core/ledger/host_scene.hpp"

namespace leasehold {

namespace {

/// Reclaims whose slots may come from the same rows.
struct Choice {
  std::vector<RowRef> rows;
  std::vector<RowRef> nominated;
  int64_t slots = 0;
  int64_t grace_ms = 0;
};

bool stands_in(const std::vector<RowRef>& rows, const RowRef& row) {
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

int64_t grace_of(const SlotGroup& group, size_t member, uint32_t row) {
  int64_t longest = 0;
  group.transfers.each_from(member, [&](const Transfer& open) {
    for (const auto& [host, slots] : open.wanted) {
      if (host == row) longest = std::max(longest, open.grace_ms);
    }
  });
  return longest;
}

void add_choice(std::vector<Choice>& choices, Choice choice) {
  for (Choice& known : choices) {
    if (known.rows != choice.rows) continue;
    known.nominated.push_back(choice.nominated.front());
    known.slots += choice.slots;
    known.grace_ms = std::max(known.grace_ms, choice.grace_ms);
    return;
  }
  choices.push_back(std::move(choice));
}

std::vector<Choice> choices_of(const State& state, const HostScene& scene) {
  std::vector<Choice> choices;
  for (const uint32_t g : scene.ledger().slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    const size_t member = scene.chooser(group);
    if (member == kNoIndex) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const int32_t slots = nominated_from(group, member, row);
      if (slots == 0) continue;
      const std::vector<Claimant> claimants = scene.claimants(group, row, slots);
      int32_t movable = undue(state, group, row);
      for (const Claimant& claimant : claimants) movable += claimant.slots;
      std::vector<RowRef> rows = scene.rows_for(claimants, slots);
      if (movable < slots || !stands_in(rows, {g, row})) continue;
      add_choice(choices, {std::move(rows), {{g, row}}, slots, grace_of(group, member, row)});
    }
  }
  return choices;
}

bool overlaps(const std::vector<HostSet>& sets, const std::vector<RowRef>& rows) {
  return std::any_of(sets.begin(), sets.end(), [&](const HostSet& set) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const RowRef& row) { return stands_in(set.rows, row); });
  });
}

}  // namespace

bool left_to_agent(const SlotGroup& group, const Transfer& transfer) {
  if (!group.members[transfer.from].chooses || !reclaims(transfer)) return false;
  return std::any_of(transfer.wanted.begin(), transfer.wanted.end(), [&](const auto& entry) {
    const Holding& holding = group.at(entry.first, transfer.from);
    const int32_t wanted = wanted_from(group, transfer.from, entry.first);
    return entry.second > 0 && holding.ordered > holding.held - wanted;
  });
}

HostSets host_sets(const State& state, uint32_t plan, uint32_t cluster) {
  HostSets found;
  if (state.frozen) return found;
  const HostScene scene(state, plan, cluster);
  for (Choice& choice : choices_of(state, scene)) {
    if (overlaps(found.sets, choice.rows)) continue;  // those hosts are named
    HostSet set{choice.nominated, choice.slots, choice.grace_ms, scene.whole_hosts()};
    for (const RowRef& row : choice.rows) {
      if (!stands_in(choice.nominated, row)) set.rows.push_back(row);
    }
    found.sets.push_back(std::move(set));
    found.nominated.insert(found.nominated.end(), choice.nominated.begin(), choice.nominated.end());
  }
  return found;
}

}  // namespace leasehold
