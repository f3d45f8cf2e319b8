#include "tests/unit/rules/plan/fixture.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <sstream>

namespace leasehold {

namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, at);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

const std::map<std::string, std::optional<int64_t> PlanConsumer::*> kNumbers{
    {"rank", &PlanConsumer::rank},
    {"owned", &PlanConsumer::owned},
    {"reserved", &PlanConsumer::reserved},
    {"limit", &PlanConsumer::limit},
    {"lend_limit", &PlanConsumer::lend_limit},
    {"borrow_limit", &PlanConsumer::borrow_limit},
    {"share_ratio", &PlanConsumer::share_ratio},
    {"share_limit", &PlanConsumer::share_limit}};
const std::map<std::string, bool Plan::*> kSwitches{
    {"reclaim_before_borrow", &Plan::reclaim_before_borrow},
    {"reclaim_shared", &Plan::reclaim_shared},
    {"evenly_distribute", &Plan::evenly_distribute},
    {"disable_reclaim_hybrid_own", &Plan::disable_reclaim_hybrid_own},
    {"use_ancestor_grace_period", &Plan::use_ancestor_grace_period},
    {"siblings_only", &Plan::siblings_only},
    {"net_policy_switch", &Plan::net_policy_switch}};
const std::map<std::string, PlanPolicy> kPolicies{{"ownership", PlanPolicy::ownership},
                                                  {"share-ratio", PlanPolicy::share_ratio},
                                                  {"hybrid", PlanPolicy::hybrid}};

}  // namespace

PlanFixture::PlanFixture(std::string_view group, const std::vector<std::string>& consumers,
                         int64_t now) {
  for (const std::string& word : split(group, ' ')) set_group(word);
  if (now >= 0) state.slots = now;
  for (const std::string& line : consumers) mention(split(line, ' ').front());
  state.leaves.resize(plan.consumers.size());
  for (const std::string& line : consumers) {
    const std::vector<std::string> words = split(line, ' ');
    for (size_t i = 1; i < words.size(); ++i) set_consumer(find(words[0]), words[i]);
  }
}

/// Parents first, where they are first mentioned.
uint32_t PlanFixture::mention(const std::string& path) {
  for (uint32_t c = 0; c < plan.consumers.size(); ++c) {
    if (plan.consumers[c].path == path) return c;
  }
  const size_t slash = path.rfind('/');
  PlanConsumer consumer;
  consumer.path = path;
  if (slash > 0) consumer.parent = mention(path.substr(0, slash));
  plan.consumers.push_back(consumer);
  return static_cast<uint32_t>(plan.consumers.size() - 1);
}

void PlanFixture::set_group(std::string_view word) {
  const std::string text(word);
  const size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  if (const auto policy = kPolicies.find(text); policy != kPolicies.end()) {
    plan.policy = policy->second;
  } else if (text == "share_enforcement=parent") {
    plan.share_enforcement = ShareEnforcement::parent;
  } else if (key == "slots") {
    plan.slots = std::stoll(text.substr(equals + 1));
  } else if (key == "default_rank") {
    plan.default_rank = std::stoll(text.substr(equals + 1));
  } else if (text.starts_with("no-")) {
    plan.*kSwitches.at(text.substr(3)) = false;
  } else {
    plan.*kSwitches.at(text) = true;
  }
}

void PlanFixture::set_consumer(uint32_t consumer, const std::string& word) {
  PlanConsumer& one = plan.consumers[consumer];
  LeafState& leaf = state.leaves[consumer];
  const size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (const auto number = kNumbers.find(key); number != kNumbers.end()) {
    one.*number->second = std::stoll(value);
  } else if (key == "lend_to" || key == "borrow_from") {
    ConsumerList list;
    list.everyone = value == "*";
    for (const std::string& path : split(value, ',')) {
      if (path != "*") list.consumers.push_back(find(path));
    }
    (key == "lend_to" ? one.lend_to : one.borrow_from) = list;
  } else if (key == "loan") {
    const std::vector<std::string> parts = split(value, ':');
    if (!leaf.borrowed) leaf.borrowed.emplace();
    leaf.borrowed->push_back({find(parts[0]), std::stoll(parts[1])});
  } else if (key == "policy") {
    one.policy = kPolicies.at(value);
  } else if (key == "grace") {
    one.reclaim_grace_ms = std::stoll(value) * 1000;
  } else if (key == "cluster") {
    one.cluster = value;
  } else if (key == "lost") {
    leaf.connected = false;
  } else if (key == "no-rebalance") {
    one.rebalance = false;
  } else if (key == "shared") {
    leaf.shared = std::stoll(value);
  } else if (key == "demand") {
    leaf.demand = std::stoll(value);
  } else {
    REQUIRE(key == "allocated");
    leaf.allocated = std::stoll(value);
  }
}

uint32_t PlanFixture::find(std::string_view path) const {
  for (uint32_t c = 0; c < plan.consumers.size(); ++c) {
    if (plan.consumers[c].path == path) return c;
  }
  FAIL("no consumer " << path);
  return kNoIndex;
}

PlanRow PlanFixture::row(std::string_view path) const {
  const uint32_t consumer = find(path);
  for (const PlanRow& row : answer().rows) {
    if (row.consumer == consumer) return row;
  }
  FAIL("no row of " << path);
  return {};
}

std::string PlanFixture::quotas() const {
  std::string text;
  for (const PlanRow& row : answer().rows) {
    const std::string& path = plan.consumers[row.consumer].path;
    bool leaf = true;
    for (const PlanConsumer& other : plan.consumers) leaf &= other.parent != row.consumer;
    if (leaf) text += (text.empty() ? "" : ", ") + path + " " + std::to_string(row.quota);
  }
  return text;
}

std::string PlanFixture::name(uint32_t consumer, const char* nobody) const {
  return consumer == kNoIndex ? nobody : plan.consumers[consumer].path;
}

std::string PlanFixture::moves(const PlanAnswer& answer) const {
  std::string text;
  for (const PlanMove& move : answer.moves) {
    text += (text.empty() ? "" : ", ") + name(move.from, "idle") + ">" + name(move.to, "nobody") +
            " " + std::to_string(move.slots);
  }
  return text;
}

void PlanFixture::apply() {
  for (const PlanMove& move : answer().moves) {
    if (move.from != kNoIndex) state.leaves[move.from].allocated -= move.slots;
    if (move.to != kNoIndex) state.leaves[move.to].allocated += move.slots;
  }
}

}  // namespace leasehold
