#include "tests/unit/follow/followed.hpp"

#include "broker/store/log/history.hpp"

namespace leasehold::test {

namespace {

/// True for members that have a lease, as the view counts them.
bool has_lease(const SlotGroup& group, uint32_t member) {
  if (group.resource_group == kNoIndex) return member == kConsumer;
  return group.members[member].plan_consumer != kNoIndex;
}

int32_t held_by(const SlotGroup& group, uint32_t member) {
  int32_t held = 0;
  for (size_t host = 0; host < group.hosts.size(); ++host) held += group.at(host, member).held;
  return held;
}

std::string number(const std::optional<int64_t>& value) {
  return value ? std::to_string(*value) : "";
}

Lines history_lines(const std::string& log) {
  auto store = reader(log);
  HistoryFilter all;
  all.inputs = true;
  Lines lines;
  const std::vector<HistoryRow> rows = history(*store, all).value();
  for (const HistoryRow& row : rows) {
    lines.push_back(line(row.id, row.batch, row.time.ms, row.kind, row.lease,
                         number(row.generation), number(row.epoch), row.cluster, row.reason,
                         number(row.slots), row.from, row.to, row.numbers, row.by,
                         row.rule_reason));
  }
  return lines;
}

Lines consumers_of(const State& state) {
  Lines lines;
  for (const ResourceGroupLedger& plan : state.resource_groups) {
    for (const PlanConsumerLedger& of : plan.consumers) {
      if (!of.configured) continue;
      const auto& n = of.numbers;
      lines.push_back(line(plan.name, of.path, n[0], n[1], n[2], n[3], n[4], n[5],
                           std::string(token(of.reason))));
    }
  }
  return lines;
}

Lines transfers_of(const State& state) {
  Lines lines;
  for (const SlotGroup& group : state.slot_groups) {
    for (const Transfer& open : group.transfers) {
      lines.push_back(line(group.generation, open.id, open.from, open.to,
                           std::string(token(open.step)), open.slots_wanted, open.slots_released,
                           open.since.ms));
    }
  }
  return lines;
}

}  // namespace

Lines ledger_of(const State& state) {
  Lines lines;
  for (const SlotGroup& group : state.slot_groups) {
    const PolicyState& policy = state.policies[group.policy];
    const Cluster& provider = state.clusters[group.members[kProvider].cluster];
    for (size_t host = 0; host < group.hosts.size(); ++host) {
      const HostLedger& row = group.hosts[host];
      for (uint32_t member = 0; member < group.members.size(); ++member) {
        const Holding& of = group.at(host, member);
        const bool of_plan = group.resource_group != kNoIndex;
        const std::string lease = of_plan ? lease_id(state, group, member) : lease_id(state, group);
        lines.push_back(line(lease, group.generation,
                             provider.hosts[row.host].facts.name + "@" + policy.config.provider,
                             state.clusters[group.members[member].cluster].name, of.held, of.due,
                             of.ordered, of.stated, of.used, int{of.up}, row.exported,
                             row.in_transfer, row.unallocated));
      }
    }
  }
  return lines;
}

Lines leases_of(const State& state) {
  Lines lines;
  for (const SlotGroup& group : state.slot_groups) {
    for (uint32_t member = 0; member < group.members.size(); ++member) {
      if (!has_lease(group, member)) continue;
      lines.push_back(line(lease_id(state, group, member), group.generation,
                           state.clusters[group.members[member].cluster].name,
                           std::string(token(group.phase)), std::string(token(group.reason)),
                           group.epoch, group.flips, exported(group), held_by(group, kProvider),
                           held_by(group, member), in_transfer(group)));
    }
  }
  return lines;
}

void require_same(const std::string& file, const std::string& log, const State& state) {
  REQUIRE(rows_of(file, "SELECT * FROM ledger") == ledger_of(state));
  REQUIRE(rows_of(file,
                  "SELECT lease, generation, consumer, phase, reason, epoch, flips, exported, "
                  "provider_held, consumer_held, in_transfer FROM lease") == leases_of(state));
  REQUIRE(rows_of(file,
                  "SELECT resource_group, path, demand, allocated, quota, borrowed, lent, shared, "
                  "reason FROM consumer") == consumers_of(state));
  REQUIRE(rows_of(file,
                  "SELECT generation, id, from_member, to_member, step, slots_wanted, "
                  "slots_released, since_ms FROM transfer") == transfers_of(state));
  const Lines events = history_lines(log);
  REQUIRE(rows_of(file, "SELECT * FROM event ORDER BY id") == events);
  REQUIRE(number_of(file, "SELECT count(*) FROM history") > 0);
  REQUIRE(number_of(file, "SELECT last_event FROM follows") ==
          number_of(log, "SELECT max(first_event) FROM log") +
              number_of(file,
                        "SELECT count(*) - 1 FROM event WHERE batch = (SELECT max(batch) FROM "
                        "event)"));
}

}  // namespace leasehold::test
