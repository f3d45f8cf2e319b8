#include "broker/core/host_sets.hpp"

#include <algorithm>

#include "broker/core/hosts.hpp"
#include "broker/core/plan_groups.hpp"
#include "broker/core/plan_snapshot.hpp"
#include "broker/rules/select.hpp"
#include "common/check.hpp"

namespace leasehold {

namespace {

bool reclaims(const Transfer& open, size_t member) {
  return open.from == member && open.lowering == wire::Lowering::reclaim &&
         open.step == TransferStep::releasing;
}

/// Slots of a row that nobody is due.
int32_t undue(const State& state, const Group& group, uint32_t row) {
  int32_t free = plan_slots(state, group, row);
  for (size_t m = 0; m < group.members.size(); ++m) free -= group.at(row, m).due;
  return std::max(0, free);
}

/// A leaf that is to get slots where they were nominated.
struct Claimant {
  uint32_t consumer = kNoIndex;
  int32_t slots = 0;
};

/// Looks at one plan and the cluster that gives slots up.
class Scene {
 public:
  Scene(const State& state, uint32_t plan) : state_(state), ledger_(state.plans[plan]) {
    const Plan* in_force = plan_in_force(state, ledger_);
    if (in_force == nullptr) return;
    plan_ = in_force;
    requirements_.resize(ledger_.consumers.size());
    const std::vector<uint32_t> positions = ledger_positions(ledger_, *plan_);
    for (size_t c = 0; c < positions.size(); ++c) {
      const std::string& select = plan_->consumers[c].select;
      if (select.empty() || positions[c] == kNoIndex) continue;
      auto parsed = Selection::parse(select);
      LEASEHOLD_CHECK(parsed.has_value(),
                      "a requirement that cannot be read is refused with its file");
      requirements_[positions[c]] = {true, *std::move(parsed)};
    }
  }

  bool chooses(const Group& group, size_t member) const {
    const Cluster& cluster = state_.clusters[group.members[member].cluster];
    const bool leaf = group.members[member].consumer != kNoIndex;
    return plan_ != nullptr && leaf && cluster.chooses && !group.quarantined &&
           group.phase == Phase::active;
  }

  bool whole_hosts() const { return plan_->placement == Placement::exclusive; }

  /// As many slots as are asked for can be had there, and as they are to be had.
  bool would_do(const Group& group, size_t member, uint32_t row, int32_t size) const {
    const Host& host = host_of(state_, group, row);
    const bool there = group.at(row, kProvider).up && host.present && host.facts.up;
    if (!there || !may_give(group, member, row)) return false;
    return !whole_hosts() || is_whole(group, member, row, size);
  }

  /// Its own alone, and either all of it is asked for or none.
  static bool is_whole(const Group& group, size_t member, uint32_t row, int32_t size) {
    const Holding& holding = group.at(row, member);
    if (holding.held != size) return false;
    if (nominated_from(group, member, row) == size) return holding.due == 0;
    int32_t others = 0;
    for (size_t m = 0; m < group.members.size(); ++m) {
      others += m == member ? 0 : group.at(row, m).due;
    }
    return holding.due == size && others == 0;
  }

  /// All that is asked of the row there is due to others or to nobody; it may stay where it is.
  bool may_give(const Group& group, size_t member, uint32_t row) const {
    const Holding& holding = group.at(row, member);
    const bool all_known = holding.due + wanted_from(group, member, row) >= holding.held;
    return holding.up && all_known && !row_drains(state_, group, member, row);
  }

  bool can_use(uint32_t consumer, const Group& group, uint32_t row) const {
    const size_t member = member_for(group, consumer);
    if (member == kNoIndex) return false;
    const auto& [narrow, select] = requirements_[consumer];
    if (narrow && !select.matches(host_of(state_, group, row).facts)) return false;
    return group.at(row, member).up && !row_drains(state_, group, member, row);
  }

  static size_t member_for(const Group& group, uint32_t consumer) {
    for (size_t m = 0; m < group.members.size(); ++m) {
      if (group.members[m].consumer == consumer) return m;
    }
    return kNoIndex;
  }

  /// By priority of their leaves, at most `slots`. Whether their agents are heard does not matter:
  /// work that was told to end must not change because a claimant was away for a moment.
  std::vector<Claimant> claimants(const Group& group, uint32_t row, int32_t slots) const {
    std::vector<Claimant> found;
    for (size_t m = kProvider; m < group.members.size(); ++m) {
      if (row_drains(state_, group, m, row)) continue;
      const int32_t missing = member_cap(state_, group, m, row) - group.at(row, m).held;
      if (missing > 0 && group.members[m].consumer != kNoIndex)
        found.push_back({group.members[m].consumer, missing});
    }
    std::stable_sort(found.begin(), found.end(), [&](const Claimant& a, const Claimant& b) {
      return ledger_.consumers[a.consumer].priority < ledger_.consumers[b.consumer].priority;
    });
    for (Claimant& claimant : found) {
      claimant.slots = std::min(claimant.slots, slots);
      slots -= claimant.slots;
    }
    std::erase_if(found, [](const Claimant& claimant) { return claimant.slots == 0; });
    return found;
  }

  /// The rows that would do as well for all of them. `size`: slots of a whole host.
  std::vector<SetRow> rows_for(const std::vector<Claimant>& claimants, uint32_t cluster,
                               int32_t size) const {
    std::vector<SetRow> rows;
    for (const uint32_t g : ledger_.groups) {
      const Group& group = state_.groups[g];
      const size_t member = member_of(group, cluster);
      if (member == kNoIndex || !chooses(group, member)) continue;
      for (uint32_t row = 0; row < group.hosts.size(); ++row) {
        if (!would_do(group, member, row, size)) continue;
        const bool all = std::all_of(
            claimants.begin(), claimants.end(),
            [&](const Claimant& claimant) { return can_use(claimant.consumer, group, row); });
        if (all) rows.push_back({g, row});
      }
    }
    return rows;
  }

  const PlanLedger& ledger() const { return ledger_; }

 private:
  struct Requirement {
    bool narrow = false;
    Selection select;
  };

  const State& state_;
  const PlanLedger& ledger_;
  const Plan* plan_ = nullptr;
  std::vector<Requirement> requirements_;  // by position in the ledger
};

/// Reclaims whose slots may come from the same rows.
struct Choice {
  std::vector<SetRow> rows;
  std::vector<SetRow> nominated;
  int64_t slots = 0;
  int64_t grace_ms = 0;
};

bool stands_in(const std::vector<SetRow>& rows, const SetRow& row) {
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

int64_t grace_of(const Group& group, size_t member, uint32_t row) {
  int64_t longest = 0;
  for (const Transfer& open : group.transfers) {
    if (!reclaims(open, member)) continue;
    for (const auto& [host, slots] : open.wanted) {
      if (host == row && slots > 0) longest = std::max(longest, open.grace_ms);
    }
  }
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

std::vector<Choice> choices_of(const State& state, const Scene& scene, uint32_t cluster) {
  std::vector<Choice> choices;
  for (const uint32_t g : scene.ledger().groups) {
    const Group& group = state.groups[g];
    const size_t member = member_of(group, cluster);
    if (member == kNoIndex || !scene.chooses(group, member)) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const int32_t slots = nominated_from(group, member, row);
      if (slots == 0) continue;
      const std::vector<Claimant> claimants = scene.claimants(group, row, slots);
      int32_t movable = undue(state, group, row);
      for (const Claimant& claimant : claimants) movable += claimant.slots;
      std::vector<SetRow> rows = scene.rows_for(claimants, cluster, slots);
      if (movable < slots || !stands_in(rows, {g, row})) continue;
      add_choice(choices, {std::move(rows), {{g, row}}, slots, grace_of(group, member, row)});
    }
  }
  return choices;
}

bool overlaps(const std::vector<HostSet>& sets, const std::vector<SetRow>& rows) {
  return std::any_of(sets.begin(), sets.end(), [&](const HostSet& set) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const SetRow& row) { return stands_in(set.rows, row); });
  });
}

}  // namespace

int32_t nominated_from(const Group& group, size_t member, uint32_t row) {
  int32_t slots = 0;
  for (const Transfer& open : group.transfers) {
    if (!reclaims(open, member)) continue;
    for (const auto& [host, wanted] : open.wanted) slots += host == row ? wanted : 0;
  }
  return slots;
}

bool left_to_agent(const Group& group, const Transfer& transfer) {
  if (!group.members[transfer.from].chooses || !reclaims(transfer, transfer.from)) return false;
  return std::any_of(transfer.wanted.begin(), transfer.wanted.end(), [&](const auto& entry) {
    const Holding& holding = group.at(entry.first, transfer.from);
    const int32_t wanted = wanted_from(group, transfer.from, entry.first);
    return entry.second > 0 && holding.ordered > holding.held - wanted;
  });
}

HostSets host_sets(const State& state, uint32_t plan, uint32_t cluster) {
  HostSets found;
  if (state.frozen) return found;
  const Scene scene(state, plan);
  for (Choice& choice : choices_of(state, scene, cluster)) {
    if (overlaps(found.sets, choice.rows)) continue;  // those hosts are named
    HostSet set{choice.nominated, choice.slots, choice.grace_ms, scene.whole_hosts()};
    for (const SetRow& row : choice.rows) {
      if (!stands_in(choice.nominated, row)) set.rows.push_back(row);
    }
    found.sets.push_back(std::move(set));
    found.nominated.insert(found.nominated.end(), choice.nominated.begin(), choice.nominated.end());
  }
  return found;
}

namespace {

/// Moves nominations of one member from other rows to one where it gave up more than was asked.
class NominatingAnew {
 public:
  NominatingAnew(Turn& turn, uint32_t index, size_t member, const Wanted& released)
      : turn_(turn),
        index_(index),
        member_(member),
        released_(released),
        cluster_(turn.group(index).members[member].cluster),
        scene_(turn.state, turn.group(index).plan) {}

  void row(uint32_t row, int32_t released) {
    int32_t left = released - wanted_from(turn_.group(index_), member_, row);
    for (const uint32_t g : scene_.ledger().groups) {
      const size_t from = member_of(turn_.group(g), cluster_);
      if (from == kNoIndex || !scene_.chooses(turn_.group(g), from)) continue;
      for (uint32_t n = 0; n < turn_.group(g).hosts.size() && left > 0; ++n) {
        if (g == index_ && n == row) continue;
        const int32_t slots = std::min(left, unnamed({g, n}, from));
        if (slots > 0) left -= move({g, n}, from, row, slots);
      }
    }
  }

  std::vector<uint32_t> others() { return std::move(others_); }

 private:
  Holding& at(const SetRow& row, size_t member) {
    return turn_.group(row.group).at(row.row, member);
  }

  /// Slots nominated there that the last order did not ask of the row itself.
  int32_t unnamed(const SetRow& nominated, size_t from) {
    const Group& group = turn_.group(nominated.group);
    const Holding& holding = group.at(nominated.row, from);
    int32_t came = 0;
    for (const auto& [row, slots] : released_) {
      if (nominated.group == index_ && nominated.row == row) came = slots;
    }
    const int32_t wanted = wanted_from(group, from, nominated.row) - came;
    const int32_t left = nominated_from(group, from, nominated.row) - came;
    return std::max(0, std::min(left, holding.ordered - holding.held + wanted));
  }

  /// Returns how many slots of the nomination are the row's now.
  int32_t move(const SetRow& nominated, size_t from, uint32_t row, int32_t slots) {
    const SetRow to{index_, row};
    slots = std::min(slots, at(to, member_).due);
    int32_t moved = 0;
    for (const Claimant& claimant :
         scene_.claimants(turn_.group(nominated.group), nominated.row, slots)) {
      if (!scene_.can_use(claimant.consumer, turn_.group(index_), row)) continue;
      at(nominated, Scene::member_for(turn_.group(nominated.group), claimant.consumer)).due -=
          claimant.slots;
      at(to, Scene::member_for(turn_.group(index_), claimant.consumer)).due += claimant.slots;
      moved += claimant.slots;
    }
    moved +=
        std::min(slots - moved, undue(turn_.state, turn_.group(nominated.group), nominated.row));
    at(nominated, from).due += moved;
    at(to, member_).due -= moved;
    if (moved > 0) move_wanted(nominated, from, row, moved);
    return moved;
  }

  void move_wanted(const SetRow& nominated, size_t from, uint32_t row, int32_t slots) {
    std::vector<Transfer>& open = turn_.group(nominated.group).transfers;
    for (size_t t = 0; t < open.size() && slots > 0; ++t) {
      if (!reclaims(open[t], from)) continue;
      int32_t part = 0;
      for (auto& [host, wanted] : open[t].wanted) {
        if (host != nominated.row) continue;
        part = std::min(slots, wanted);
        wanted -= part;
      }
      if (part == 0) continue;
      slots -= part;
      std::erase_if(open[t].wanted, [](const auto& entry) { return entry.second == 0; });
      if (nominated.group == index_) {
        want(open[t], row, part);
      } else {
        open[t].slots_wanted -= part;
        want_here(nominated.group, open[t], row, part);
      }
    }
    rows_changed(turn_, nominated.group);
    rows_changed(turn_, index_);
    if (nominated.group != index_) others_.push_back(nominated.group);
  }

  static void want(Transfer& transfer, uint32_t row, int32_t slots) {
    for (auto& [host, wanted] : transfer.wanted) {
      if (host != row) continue;
      wanted += slots;
      return;
    }
    transfer.wanted.emplace_back(row, slots);
  }

  /// In this group: the same leaf; who is none is the same in all groups of a plan.
  size_t same_taker(const Group& other, size_t taker) {
    const bool leaf = taker < other.members.size() && other.members[taker].consumer != kNoIndex;
    return leaf ? Scene::member_for(turn_.group(index_), other.members[taker].consumer) : taker;
  }

  /// In this group, between the same two.
  void want_here(uint32_t g, const Transfer& other, uint32_t row, int32_t slots) {
    Group& group = turn_.group(index_);
    const size_t to = same_taker(turn_.group(g), other.to);
    for (Transfer& open : group.transfers) {
      if (!reclaims(open, member_) || open.to != to || open.grace_ms != other.grace_ms) continue;
      open.slots_wanted += slots;
      return want(open, row, slots);
    }
    TransferOrder order;
    order.from = static_cast<uint16_t>(member_);
    order.to = static_cast<uint16_t>(to);
    order.lowering = wire::Lowering::reclaim;
    order.reason = other.reason;
    order.inactive = false;
    order.grace_ms = other.grace_ms;
    order.wanted = {{row, slots}};
    start_transfer(turn_, index_, std::move(order));
  }

  Turn& turn_;
  const uint32_t index_;
  const size_t member_;
  const Wanted& released_;
  const uint32_t cluster_;
  Scene scene_;
  std::vector<uint32_t> others_;
};

}  // namespace

std::vector<uint32_t> nominate_anew(Turn& turn, uint32_t index, size_t member,
                                    const Wanted& released) {
  const Group& group = turn.group(index);
  if (group.plan == kNoIndex || !group.members[member].chooses) return {};
  NominatingAnew anew(turn, index, member, released);
  for (const auto& [row, slots] : released) anew.row(row, slots);
  return anew.others();
}

}  // namespace leasehold
