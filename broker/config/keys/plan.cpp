#include "broker/config/keys/plan.hpp"

namespace leasehold {

namespace {

template <class Keys>
void find_policies(const Keys& keys, std::string_view name, PolicySet& policies) {
  for_each_key(keys, [&](const KeyRow& row) {
    if (row.name == name) policies = row.notes.variants;
  });
}

}  // namespace

PolicySet policies_with(std::string_view key) {
  PolicySet policies = kEveryVariant;
  find_policies(kResourceGroupKeys, key, policies);
  find_policies(kConsumerKeys, key, policies);
  return policies;
}

std::string policy_words(PolicySet policies) {
  std::string words;
  for (const auto& [policy, word] : kTokensOf<PlanPolicy>) {
    if ((policies & policy_bit(policy)) == 0) continue;
    words += (words.empty() ? "" : " or ") + std::string(word);
  }
  return words;
}

}  // namespace leasehold
