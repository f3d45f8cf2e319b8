// This text shows what must be the same in two cores after a step: the ledger, limits, phases,
// reasons, transfers, deadlines, records. Numbers of orders and transfers are left out, and so is
// the order of what one step says: a core may give another order first.
#pragma once

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/state.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/record/hash.hpp"
#include "broker/record/history_row.hpp"
#include "broker/record/state_bytes.hpp"

namespace leasehold::two_cores {

inline std::string text_of(const Transfer& transfer) {
  std::ostringstream out;
  out << "  transfer " << transfer.from << ">" << transfer.to << " "
      << static_cast<int>(transfer.lowering) << " " << token(transfer.step) << " "
      << token(transfer.reason) << " inactive=" << transfer.inactive
      << " wanted=" << transfer.slots_wanted << " released=" << transfer.slots_released
      << " grace=" << transfer.grace_ms << " since=" << transfer.since.ms
      << " until=" << transfer.deadline.ms;
  for (const auto& [row, slots] : transfer.wanted) out << " " << row << ":" << slots;
  return out.str() + "\n";
}

inline void put_sorted(std::ostream& out, std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  for (const std::string& line : lines) out << line;
}

inline void put_group(std::ostream& out, const State& state, const SlotGroup& group) {
  out << group_id(state, group) << " " << token(group.phase) << " " << token(group.reason)
      << " epoch=" << group.epoch << " since=" << group.since.ms
      << " evaluated=" << group.evaluated_at.ms << " flip=" << group.last_flip.ms
      << " flips=" << group.flips << " quarantined=" << group.quarantined
      << " breach=" << group.breach << "\n";
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const HostLedger& host = group.hosts[row];
    out << "  row " << row << " host " << host.host << " exported=" << host.exported
        << " target=" << host.target << " in_transfer=" << host.in_transfer
        << " unallocated=" << host.unallocated << " just=" << host.just_exported;
    for (size_t m = 0; m < group.members.size(); ++m) {
      const Holding& holding = group.at(row, m);
      const bool plan = group.resource_group != kNoIndex;  // cores below 16 keep no due of a lease
      out << " | " << holding.held << " due=" << (plan ? holding.due : 0)
          << " limit=" << holding.ordered << " withheld=" << holding.withheld
          << " confirmed=" << holding.confirmed;
    }
    out << "\n";
  }
  std::vector<std::string> open;
  for (const Transfer& transfer : group.transfers) open.push_back(text_of(transfer));
  put_sorted(out, std::move(open));
}

inline void put_hosts(std::ostream& out, const std::vector<wire::OrderedHost>& hosts) {
  for (const wire::OrderedHost& host : hosts) {
    out << " " << host.host << "=" << host.limit << "/" << static_cast<int>(host.lowering);
  }
}

inline std::string text_of(const State& state, const Effects& effects, const SendOrder& send) {
  std::ostringstream out;
  wire::Order order;
  effects.write(send, state.clusters[send.cluster].configuration, order);
  out << "order " << state.clusters[send.cluster].name << " " << order.generation
      << " grace=" << order.grace_ms << " " << (order.reason ? token(*order.reason) : "");
  put_hosts(out, order.hosts);
  for (const wire::OrderPart& part : order.parts) {
    out << " + " << part.generation;
    put_hosts(out, part.hosts);
  }
  for (const wire::ReclaimSet& set : order.sets) {
    out << " set " << set.sum << " grace=" << set.grace_ms << " whole=" << set.whole_hosts;
    for (const wire::SetHost& host : set.hosts) out << " " << host.generation << ":" << host.host;
  }
  return out.str() + "\n";
}

inline std::string text_of(const State& state, const Record& record) {
  std::ostringstream out;
  out << "record " << record_token(record.kind) << " " << token(record.reason) << " "
      << (record.group == kNoIndex ? "" : group_id(state, state.slot_groups[record.group])) << " "
      << (record.group == kNoIndex
              ? ""
              : lease_id(state, state.slot_groups[record.group], record.member));
  for (const uint32_t at : {record.plan, record.consumer, record.cluster, record.from, record.to}) {
    out << " " << static_cast<int64_t>(at == kNoIndex ? -1 : int64_t{at});
  }
  out << " slots=" << record.slots << " epoch=" << record.epoch << " " << token(record.rule_reason);
  for (const int64_t number : record.numbers) out << " " << number;
  return out.str() + "\n";
}

inline void put_deadlines(std::ostream& out, const State& state) {
  out << "next=" << next_deadline(state).ms << " expiry=" << state.expiry_next.ms
      << " window=" << state.window_next.ms << " order=" << state.operator_order_next.ms
      << " horizon=" << state.horizon_next.ms << " returning=" << state.returning_next.ms;
  for (const Grid& grid : state.grids) {
    out << " grid " << grid.next.ms << "(";
    for (const uint32_t group : grid.changed.all()) out << " " << group;
    out << " )";
  }
  for (const ResourceGroupLedger& plan : state.resource_groups) {
    out << " plan " << plan.name << " " << plan.evaluated_at.ms << " " << plan.evaluate_flag << " "
        << plan.react_at.ms;
  }
  out << "\n";
}

/// Shows what the next commit writes: the log must not grow longer either.
inline void put_written(std::ostream& out, const State& state) {
  std::vector<uint32_t> groups = state.dirty_groups;
  std::sort(groups.begin(), groups.end());
  out << "written";
  for (const uint32_t group : groups) out << " " << group;
  for (const Cluster& cluster : state.clusters) {
    if (cluster.dirty) out << " " << cluster.name << (cluster.hosts_dirty ? "+hosts" : "");
  }
  out << (state.dirty_config ? " config" : "") << (state.dirty_resource_groups ? " plans" : "")
      << "\n";
}

/// `changed`: what the step gave.
inline std::string judgement(const State& state, const Effects& effects, bool changed) {
  std::ostringstream out;
  out << "recorded=" << changed << "\n";
  put_deadlines(out, state);
  put_written(out, state);
  for (const SlotGroup& group : state.slot_groups) put_group(out, state, group);
  std::vector<std::string> said;
  for (const Record& record : effects.records) said.push_back(text_of(state, record));
  for (const SendOrder& send : effects.orders) {
    if (send.generation != 0) said.push_back(text_of(state, effects, send));
  }
  for (const SendConfiguration& send : effects.configurations) {
    said.push_back("configure " + state.clusters[send.cluster].name + "\n");
  }
  put_sorted(out, std::move(said));
  return out.str();
}

/// Numbers and order count too, and every byte of the state: where a change is to be none at all.
inline std::string exact_judgement(const State& state, const Effects& effects, bool changed) {
  std::ostringstream out;
  out << judgement(state, effects, changed);
  for (const Record& record : effects.records) out << "then " << text_of(state, record);
  for (const SendOrder& send : effects.orders) out << "number " << send.seq << "\n";
  std::string bytes;
  encode_state(state, bytes);
  out << "state " << hex(hash_of(bytes)) << "\n";
  return out.str();
}

}  // namespace leasehold::two_cores
