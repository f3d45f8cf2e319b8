#include "broker/core/model/effect.hpp"

#include "broker/core/model/shadow.hpp"

namespace leasehold {

namespace {

struct KindWords {
  const char* token;
  NumberNames names;
};

constexpr NumberNames kNoNumbers{"", "", "", "", "", ""};
constexpr NumberNames kEvaluation{"provider_available", "provider_used",    "consumer_available",
                                  "consumer_used",      "provider_pending", "consumer_pending"};
constexpr NumberNames kTransfer{"transfer", "wanted", "released", "", "", ""};

constexpr std::array<KindWords, kRecordKindCount> kKinds{{
    {"broker-started", {"groups", "database_older", "", "", "", ""}},
    {"config-loaded", {"clusters", "policies", "", "", "", ""}},
    {"windows-resolved", kNoNumbers},
    {"agent-up", {"boot", "has_state", "groups", "", "", ""}},
    {"agent-lost", kNoNumbers},
    {"inventory", {"hosts", "hosts_up", "slots", "", "", ""}},
    {"group-created", {"generation", "hosts", "", "", "", ""}},
    {"group-draining", {"generation", "", "", "", "", ""}},
    {"group-closed", {"generation", "", "", "", "", ""}},
    {"lease-offered", {"transfer", "", "", "", "", ""}},
    {"lease-made", kNoNumbers},
    {"evaluation", kEvaluation},
    {"flip", kEvaluation},
    {"observed", kEvaluation},
    {"transfer-started", kTransfer},
    {"transfer-released", kTransfer},
    {"transfer-granted", kTransfer},
    {"transfer-done", kTransfer},
    {"transfer-failed", kTransfer},
    {"exported", {"exported", "target", "", "", "", ""}},
    {"breach", {"slots_used_above", "slots_stated_above", "", "", "", ""}},
    {"breach-over", kNoNumbers},
    {"quarantine-over",
     {"held_provider", "held_consumer", "in_transfer", "exported", "unallocated", ""}},
    {"database-older", {"seq_stated", "seq_ledger", "", "", "", ""}},
    {"alarm", kNoNumbers},
    {"operator-command", {"command", "", "", "", "", ""}},
    {"lease-expired", {"groups", "lease_bound_ms", "", "", "", ""}},
    {"consumer", {"demand", "allocated", "quota", "borrowed", "lent", "shared"}},
    {"plan-changed", {"variant", "consumers", "", "", "", ""}},
    {"clock-set", {"from_ms", "to_ms", "", "", "", ""}},
    {"operator-refused", {"times", "", "", "", "", ""}},
    {"shadow",
     {"provider_available", "provider_used", "consumer_available", "consumer_used",
      "rule_to_consumer", "rule_to_provider"}},
    {"work-ended", {"number", "told_ms", "ended_ms", "", "", ""}},
    {"slots-used", {"number", "since_ms", "until_ms", "slot_s", "others_slot_s", "named"}},
}};

}  // namespace

const NumberNames& number_names(RecordKind kind) {
  return kKinds[static_cast<size_t>(kind)].names;
}
std::array<int64_t, 6> shadow_numbers(const Shadow& shadow) {
  const RuleAnswer& rule = shadow.in_force;
  return {shadow.totals.provider_available,  shadow.totals.provider_used,
          shadow.totals.consumer_available,  shadow.totals.consumer_used,
          rule.to_consumer ? rule.slots : 0, rule.to_consumer ? 0 : rule.slots};
}
const char* record_token(RecordKind kind) {
  return kKinds[static_cast<size_t>(kind)].token;
}

void Effects::write(const SendOrder& from, uint64_t configuration, wire::Order& to) const {
  to.session = from.session;
  to.generation = from.generation;
  to.seq = from.seq;
  to.grace_ms = from.grace_ms;
  to.reason.reset();
  if (from.reason != Reason::none) to.reason = from.reason;
  to.configuration = configuration;
  const auto hosts = hosts_of(from);
  to.hosts.assign(hosts.begin(), hosts.end());
  to.parts.clear();
  for (const SendPart& part : parts_of(from)) {
    if (part.generation == 0) continue;
    const auto rows = hosts_of(part);
    to.parts.push_back({part.generation, {rows.begin(), rows.end()}});
  }
  const auto of_it = sets_of(from);
  to.sets.assign(of_it.begin(), of_it.end());
}

}  // namespace leasehold
