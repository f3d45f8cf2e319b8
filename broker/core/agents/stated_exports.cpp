#include "broker/core/agents/stated_exports.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "broker/core/agents/configuration.hpp"
#include "broker/core/agents/quarantine.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/lease_dues.hpp"

namespace leasehold {

namespace {

class StatedExports {
 public:
  StatedExports(Turn& turn, uint32_t provider, const wire::StateBlock& block)
      : turn_(turn), provider_(provider) {
    for (const wire::GroupState& said : block.groups) {
      // Unknown ones are never looked up, and a peer may choose numbers that share one bucket.
      if (find_slot_group(turn.state, said.generation) == kNoIndex) continue;
      stated_.emplace(said.generation, &said);
    }
    for (const uint32_t g : turn.state.clusters[provider].slot_groups) add_rows(g, block);
  }

  void keep() {
    const bool any = std::any_of(rows_.begin(), rows_.end(), [this](const Row& row) {
      return row.free && row.stated > ledger(row).exported;
    });
    if (!any) return;
    for (size_t i = 0; i < rows_.size(); ++i) count(i);
    for (const Row& row : rows_) {
      const int32_t more = row.stated - ledger(row).exported;
      if (!row.free || more <= 0) continue;
      make_room(row.host, more);
      export_more(row, static_cast<int32_t>(std::min<int64_t>(more, room(row.host))));
    }
    for (const uint32_t group : lowered_) bound_dues(turn_.group(group));
  }

 private:
  struct Row {
    uint32_t group = 0;
    uint32_t row = 0;
    uint32_t host = 0;
    int32_t stated = 0;
    bool free = false;  // in quarantine: it may be set
  };

  HostLedger& ledger(const Row& row) { return turn_.group(row.group).hosts[row.row]; }

  /// A provider counts what it does not name as its own; an older agent does not state what it
  /// counts.
  void add_rows(uint32_t g, const wire::StateBlock& block) {
    const SlotGroup& group = turn_.group(g);
    if (group.members[kProvider].cluster != provider_) return;
    const size_t first = rows_.size();
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      rows_.push_back({g, row, group.hosts[row].host, 0, group.quarantined});
    }
    const auto found = stated_.find(group.generation);
    if (found == stated_.end()) return;
    for (const wire::HostState& host : block.hosts_of(*found->second)) {
      if (host.host >= group.hosts.size()) continue;
      Row& row = rows_[first + host.host];
      row.stated = host.exported < 0 ? group.hosts[host.host].exported : host.exported;
    }
  }

  /// Sums over the rows of one host, so that no row has to look at all the others of its host.
  struct HostSums {
    int64_t stated = 0;
    int64_t exported = 0;
    std::vector<size_t> lenders;  // places in rows_ that may export less, the last one at the back
  };

  void count(size_t place) {
    const Row& row = rows_[place];
    HostSums& host = hosts_[row.host];
    host.stated += row.stated;
    host.exported += ledger(row).exported;
    if (uncounted(row) > 0) host.lenders.push_back(place);
  }

  /// Exports of the row that its provider does not count. They never become more here: a row that
  /// is exported more is exported up to what is stated of it at the most.
  int32_t uncounted(const Row& row) {
    return row.free ? std::max(0, ledger(row).exported - row.stated) : 0;
  }

  /// Its inventory may be older than what it states.
  int64_t room(uint32_t host) {
    const HostSums& sums = hosts_.at(host);
    const int64_t slots = turn_.state.clusters[provider_].hosts[host].facts.slots;
    return std::max<int64_t>(0, std::max(slots, sums.stated) - sums.exported);
  }

  /// Takes the last ones first.
  void make_room(uint32_t host, int32_t wanted) {
    std::vector<size_t>& lenders = hosts_.at(host).lenders;
    for (size_t left = lenders.size(); left > 0; --left) {
      const auto missing = static_cast<int32_t>(std::max<int64_t>(0, wanted - room(host)));
      if (missing == 0) return;
      const Row& row = rows_[lenders[left - 1]];
      export_less(row, std::min(missing, uncounted(row)));
      if (left == lenders.size() && uncounted(row) == 0) lenders.pop_back();
    }
  }

  void export_more(const Row& row, int32_t slots) {
    if (slots == 0) return;
    SlotGroup& group = turn_.group(row.group);
    group.hosts[row.row].exported += slots;
    hosts_.at(row.host).exported += slots;
    held_by_nobody(group, row.row) += slots;
    tell_export(row, slots);
  }

  /// A holder by the ledger, which may be of an older copy, loses them: the provider has in force
  /// that they are not exported.
  void export_less(const Row& row, int32_t slots) {
    if (slots == 0) return;
    SlotGroup& group = turn_.group(row.group);
    HostLedger& from = group.hosts[row.row];
    int32_t left = slots;
    const auto take = [&left](int32_t& some) {
      const int32_t taken = std::min(left, some);
      some -= taken;
      left -= taken;
    };
    take(from.unallocated);
    take(from.in_transfer);
    for (size_t m = 0; m < group.members.size() && left > 0; ++m) take(group.at(row.row, m).held);
    from.exported -= slots;
    lowered_.insert(row.group);
    hosts_.at(row.host).exported -= slots;
    from.just_exported = std::min(from.just_exported, group.at(row.row, kProvider).held);
    turn_.state.groups_waiting = std::max(turn_.state.groups_waiting, 1U);
    tell_export(row, -slots);
  }

  void tell_export(const Row& row, int32_t more) {
    SlotGroup& group = turn_.group(row.group);
    ++group.epoch;
    Record& line = record(turn_, RecordKind::exported, row.group, Reason::quarantine);
    line.slots = more;
    line.numbers = {ledger(row).exported, ledger(row).target, 0, 0, 0, 0};
    group_changed(turn_, row.group);
    renew_configuration_of(turn_, group);
  }

  Turn& turn_;
  const uint32_t provider_;
  std::unordered_map<uint64_t, const wire::GroupState*> stated_;
  std::vector<Row> rows_;
  std::unordered_map<uint32_t, HostSums> hosts_;
  std::set<uint32_t> lowered_;  // groups of which less is exported
};

}  // namespace

void keep_stated_exports(Turn& turn, uint32_t provider, const wire::StateBlock& block) {
  StatedExports(turn, provider, block).keep();
}

}  // namespace leasehold
