#include "broker/rules/plan/keys.hpp"

#include <utility>

namespace leasehold {

namespace {

constexpr PolicySet kOwnership = policy_bit(PlanPolicy::ownership);
constexpr PolicySet kShareRatio = policy_bit(PlanPolicy::share_ratio);
constexpr PolicySet kHybrid = policy_bit(PlanPolicy::hybrid);

struct KnownKey {
  std::string_view key;
  PolicySet policies;
};
constexpr KnownKey kKeys[] = {
    {"owned", kOwnership | kHybrid},
    {"reserved", kHybrid},
    {"lend_limit", kOwnership},
    {"lend_to", kOwnership},
    {"borrow_limit", kOwnership},
    {"borrow_from", kOwnership},
    {"share_ratio", kOwnership | kShareRatio},
    {"share_limit", kOwnership | kShareRatio},
    {"reclaim_before_borrow", kOwnership},
    {"siblings_only", kOwnership},
    {"reclaim_shared", kOwnership | kShareRatio},
    {"share_enforcement", kShareRatio},
    {"evenly_distribute", kHybrid},
    {"disable_reclaim_hybrid_own", kHybrid},
};

}  // namespace

PolicySet policies_with(std::string_view key) {
  for (const KnownKey& one : kKeys) {
    if (one.key == key) return one.policies;
  }
  return kOwnership | kShareRatio | kHybrid;
}

std::string policy_words(PolicySet policies) {
  constexpr std::pair<PolicySet, std::string_view> kWords[] = {
      {kOwnership, "ownership"}, {kShareRatio, "share-ratio"}, {kHybrid, "hybrid"}};
  std::string words;
  for (const auto& [policy, word] : kWords) {
    if ((policies & policy) == 0) continue;
    words += (words.empty() ? "" : " or ") + std::string(word);
  }
  return words;
}

}  // namespace leasehold
