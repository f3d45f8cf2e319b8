#include "broker/views/request/branch.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"

namespace leasehold {

namespace {

/// The values of these keys are words of this program, even where a cluster has such a name.
constexpr std::string_view kFixedWords[] = {
    "agent",    "basis", "condition", "fate",   "flow", "key",  "kind", "left",
    "lowering", "mode",  "phase",     "reason", "role", "rule", "says", "shadow",
    "side",     "state", "status",    "step",   "type", "unit", "verb"};

bool is_fixed_word(std::string_view key, std::string_view value) {
  return value.find(' ') == std::string_view::npos &&
         std::find(std::begin(kFixedWords), std::end(kFixedWords), key) != std::end(kFixedWords);
}

bool is_of_word(char c) {
  return static_cast<unsigned char>(c) >= 0x80 ||
         std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("._-/@:").find(c) != std::string_view::npos;
}

/// Returns "west" of "west.3".
std::string_view without_number(std::string_view text) {
  const size_t dot = text.find_last_not_of("0123456789");
  return dot != std::string_view::npos && text[dot] == '.' ? text.substr(0, dot) : text;
}

/// True if one name stands under the key.
bool is_member(std::string_view key) {
  return key == "cluster" || key == "provider" || key == "consumer";
}

}  // namespace

bool is_below(std::string_view path, std::string_view of) {
  return path.starts_with(of) && (path.size() == of.size() || path[of.size()] == '/');
}

Branch::Branch(const State& state, std::string path) : path_(std::move(path)) {
  for (const ResourceGroup& group : state.config.resource_groups) {
    bool part = false;
    if (group.variants.empty()) continue;
    // All variants have the same consumers.
    for (const PlanConsumer& each : group.variants[0].consumers) {
      if (!has_consumer(each.path)) continue;
      part = true;
      if (!each.cluster.empty()) clusters_.insert(each.cluster);
    }
    if (!part) continue;
    groups_.insert(group.name);
    policies_.insert(group.policies.begin(), group.policies.end());
  }
  for (const PolicyState& policy : state.policies) {
    if (!has_cluster(policy.config.provider)) continue;
    policies_.insert(policy.config.name);
    policies_provided_.insert(policy.config.name);
  }
  note_partners(state);
  note_others(state);
}

/// Notes the providers for a plan of the branch, and the other side of each lease without a plan.
void Branch::note_partners(const State& state) {
  for (const PolicyState& policy : state.policies) {
    const ExportPolicy& config = policy.config;
    bool consumes = false;
    for (const Share& share : config.distribution) {
      if (has_cluster(config.provider)) partners_.insert(share.cluster);
      consumes = consumes || has_cluster(share.cluster);
    }
    if (consumes) policies_seen_.insert(config.name);
    if (consumes || has_policy(config.name)) partners_.insert(config.provider);
  }
}

bool Branch::has_consumer(std::string_view path) const {
  return is_below(path, path_);
}

bool Branch::has_lease(std::string_view id) const {
  const size_t colon = id.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string policy(id.substr(0, colon));
  const std::string_view consumer = id.substr(colon + 1);
  if (consumer.starts_with('/')) return has_consumer(consumer.substr(0, consumer.find('@')));
  return has_cluster(std::string(consumer)) || policies_provided_.contains(policy) ||
         (has_policy(policy) && is_seen(consumer));
}

bool Branch::has_subject(std::string_view name) const {
  if (name.find(':') != std::string_view::npos) return has_lease(name);
  if (name.starts_with('/')) return has_consumer(name);
  return has_cluster(std::string(name.substr(name.find('@') + 1)));
}

/// An event that concerns the whole site (a reload, a start) is in no branch.
bool Branch::has_event(const std::string& lease, const std::string& cluster) const {
  return lease.empty() ? has_cluster(cluster) : has_lease(lease);
}

std::vector<std::string> Branch::words() const {
  std::vector<std::string> words{path_};
  words.insert(words.end(), clusters_.begin(), clusters_.end());
  words.insert(words.end(), policies_.begin(), policies_.end());
  return words;
}

bool Branch::is_seen(std::string_view name) const {
  if (name.starts_with('/')) return has_consumer(name) || is_below(path_, name);
  const std::string word(name);
  return has_cluster(word) || partners_.contains(word) || has_policy(word) ||
         policies_seen_.contains(word) || has_group(word);
}

void Branch::note_others(const State& state) {
  const auto note = [this](const std::string& name) {
    if (!is_seen(name)) others_.insert(name);
  };
  for (const Cluster& cluster : state.clusters) note(cluster.name);
  for (const PolicyState& policy : state.policies) note(policy.config.name);
  for (const ResourceGroupLedger& group : state.resource_groups) {
    note(group.name);
    for (const PlanConsumerLedger& consumer : group.consumers) note(consumer.path);
  }
  for (const ResourceGroup& group : state.config.resource_groups) {
    if (group.variants.empty()) continue;
    for (const PlanConsumer& consumer : group.variants[0].consumers) note(consumer.path);
  }
}

/// `word` may be NAME, HOST@CLUSTER, or a lease: POLICY:CLUSTER, GROUP:/PATH, each with or without
/// @POLICY.
bool Branch::is_other(std::string_view word) const {
  if (others_.contains(word)) return true;
  const size_t colon = word.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view consumer = word.substr(colon + 1);
    return others_.contains(word.substr(0, colon)) ||
           others_.contains(consumer.substr(0, consumer.find('@'))) ||
           others_.contains(without_number(consumer));
  }
  const size_t at = word.find('@');
  return at != std::string_view::npos && others_.contains(word.substr(at + 1));
}

std::string Branch::without_others(std::string_view text) const {
  std::string result;
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_of_word);
    std::string_view word = text.substr(0, static_cast<size_t>(end - text.begin()));
    while (!word.empty() && (word.back() == '.' || word.back() == ':')) word.remove_suffix(1);
    result += is_other(word) ? kOtherBranch : word;
    text.remove_prefix(word.size());
    if (text.empty()) break;
    result += text.front();
    text.remove_prefix(1);
  }
  return result;
}

void Branch::hide_in(Json& value, std::string_view key) const {
  if (value.is_object()) return hide_in_row(value);
  if (value.is_array()) {
    for (Json& each : value) hide_in(each, key);
  } else if (value.is_string()) {
    value = shown(key, value.get_ref<const std::string&>());
  }
}

std::string Branch::shown(std::string_view key, std::string_view text) const {
  return is_fixed_word(key, text) ? std::string(text) : without_others(text);
}

/// A member of a lease is shown if the branch sees it now: the cluster in a row of the past may be
/// in no configuration any more.
void Branch::hide_in_row(Json& row) const {
  const bool of_history = row.contains("kind") && row.contains("epoch") && row.contains("by");
  Json kept = Json::object();
  for (auto& [key, value] : row.items()) {
    const bool member = is_member(key) || (of_history && (key == "from" || key == "to"));
    const std::string* name = value.get_ptr<const std::string*>();
    if (member && name != nullptr && !name->empty() && !is_seen(*name)) value = kOtherBranch;
    hide_in(value, key);
    Json& place = kept[key.starts_with('/') && is_other(key) ? std::string(kOtherBranch) : key];
    const bool more = place.is_number_integer() && value.is_number_integer();
    place = more ? Json(place.get<int64_t>() + value.get<int64_t>()) : std::move(value);
  }
  row = std::move(kept);
}

void Branch::hide_others(Json& answer) const {
  hide_in(answer, "");
}

bool cluster_in_branch(const Branch& branch, const Json& row) {
  return branch.has_cluster(text_at(row, "cluster"));
}

bool lease_in_branch(const Branch& branch, const Json& row) {
  return branch.has_lease(text_at(row, "id"));
}

bool subject_in_branch(const Branch& branch, const Json& row) {
  return branch.has_subject(text_at(row, "subject"));
}

/// A branch sees its clusters' own hosts, and hosts that are leased to them.
bool host_in_branch(const Branch& branch, const Json& row) {
  if (cluster_in_branch(branch, row)) return true;
  for (const Json& lent : row.value("leased_to", Json::array())) {
    if (cluster_in_branch(branch, lent)) return true;
  }
  return false;
}

bool policy_in_branch(const Branch& branch, const Json& row) {
  return branch.has_policy(text_at(row, "policy"));
}

bool group_in_branch(const Branch& branch, const Json& row) {
  return branch.has_group(text_at(row, "resource_group"));
}

bool consumer_in_branch(const Branch& branch, const Json& row) {
  return branch.has_consumer(text_at(row, "path"));
}

bool event_in_branch(const Branch& branch, const Json& row) {
  return branch.has_event(text_at(row, "lease"), text_at(row, "cluster"));
}

bool usage_in_branch(const Branch& branch, const Json& row) {
  const std::string consumer = text_at(row, "consumer");
  return consumer.empty() ? cluster_in_branch(branch, row) : branch.has_consumer(consumer);
}

}  // namespace leasehold
