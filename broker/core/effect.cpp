#include "broker/core/effect.hpp"

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
    {"quarantine-over", {"held_provider", "held_consumer", "in_transfer", "exported", "", ""}},
    {"database-older", {"seq_stated", "seq_ledger", "", "", "", ""}},
    {"alarm", kNoNumbers},
    {"operator-command", {"command", "", "", "", "", ""}},
    {"lease-expired", {"groups", "lease_bound_ms", "", "", "", ""}},
    {"consumer", {"demand", "allocated", "quota", "borrowed", "lent", "shared"}},
    {"plan-changed", {"variant", "consumers", "", "", "", ""}},
    {"clock-set", {"from_ms", "to_ms", "", "", "", ""}},
}};

}  // namespace

const NumberNames& number_names(RecordKind kind) {
  return kKinds[static_cast<size_t>(kind)].names;
}
const char* record_token(RecordKind kind) {
  return kKinds[static_cast<size_t>(kind)].token;
}

}  // namespace leasehold
