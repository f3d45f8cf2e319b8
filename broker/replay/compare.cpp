#include "broker/replay/compare.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/core/lease/shadow.hpp"
#include "broker/core/model/state.hpp"
#include "broker/record/event_codec.hpp"
#include "common/text/json_text.hpp"

namespace leasehold {

namespace {

constexpr const char* kConfig = "input-config";

/// Returns the policy of "<policy>:<consumer>"; a policy's name has no colon.
std::string policy_of(const std::string& lease) {
  return lease.substr(0, lease.find(':'));
}
std::string consumer_of(const std::string& lease) {
  return lease.substr(std::min(lease.size(), lease.find(':') + 1));
}

bool is_kind(const HistoryRow& row, RecordKind kind) {
  return row.kind == record_token(kind);
}

/// An exclusive lease moves slots by shrinking its provider, which is no flip.
bool moves_exclusive(const HistoryRow& row) {
  return is_kind(row, RecordKind::transfer_released) && row.reason == token(Reason::exclusive_due);
}

/// The slots that the rule in force would move, as the shadow's row records them.
struct RuleMoves {
  int64_t to_consumer = 0;
  int64_t to_provider = 0;
  int64_t slots() const { return to_consumer + to_provider; }
};

Result<RuleMoves> rule_moves_of(const HistoryRow& row) {
  const Result<Json> numbers = parse_json<Json>(row.numbers);
  if (!numbers || !numbers->is_object()) {
    return fail(ErrorCode::corrupt, "event " + std::to_string(row.id) +
                                        " is of a shadow and has no numbers; restore a backup of "
                                        "the database");
  }
  return RuleMoves{numbers->value("rule_to_consumer", int64_t{0}),
                   numbers->value("rule_to_provider", int64_t{0})};
}

bool same_moves(const HistoryRow& row, const RuleMoves& rule) {
  const int64_t slots = row.slots.value_or(0);
  if (slots == 0) return rule.slots() == 0;
  const bool to_consumer = row.to == consumer_of(row.lease);
  return slots == (to_consumer ? rule.to_consumer : rule.to_provider);
}

}  // namespace

CompareMeter::CompareMeter(const State& state, Instant from) : from_(from) {
  for (const PolicyState& policy : state.policies) configured(policy.config);
  for (const SlotGroup& group : state.slot_groups) {
    if (!group.shadow || group.phase == Phase::closed) continue;
    const Shadow& said = *group.shadow;
    const Answers answers{std::string(token(said.in_force.reason)),
                          std::string(token(said.answer.reason)),
                          same_move(said.in_force, said.answer)};
    lasting_[static_cast<int64_t>(group.generation)] = {
        {lease_id(state, group), said.rule, said.shadow}, answers, from};
  }
}

std::vector<std::string> CompareMeter::kinds() {
  std::vector<std::string> kinds{kConfig};
  for (const RecordKind kind : {RecordKind::shadow, RecordKind::flip, RecordKind::transfer_released,
                                RecordKind::group_closed}) {
    kinds.emplace_back(record_token(kind));
  }
  return kinds;
}

void CompareMeter::configured(const ExportPolicy& policy) {
  policies_[policy.name] = {policy.provider, rule_in_force(policy).kind, policy.shadow};
}

/// A policy that is gone keeps its rules here, because its leases drain.
void CompareMeter::configured(const BrokerConfig& config, Instant at) {
  for (const ExportPolicy& policy : config.policies) configured(policy);
  std::vector<int64_t> ended;
  for (const auto& [generation, lasting] : lasting_) {
    if (key_of(lasting.key.lease) != lasting.key) ended.push_back(generation);
  }
  for (const int64_t generation : ended) stop(generation, at);
}

std::optional<CompareMeter::Key> CompareMeter::key_of(const std::string& lease) const {
  const auto known = policies_.find(policy_of(lease));
  if (known == policies_.end() || !known->second.shadow) return std::nullopt;
  return Key{lease, known->second.rule, *known->second.shadow};
}

void CompareMeter::count(LastingAnswer& lasting, Instant until) {
  const Instant since = std::max(lasting.since, from_);
  if (until <= since) return;
  sums_[lasting.key].stood[lasting.answers].ms += until - since;
  lasting.since = until;
}

void CompareMeter::stop(int64_t generation, Instant at) {
  const auto found = lasting_.find(generation);
  if (found == lasting_.end()) return;
  count(found->second, at);
  lasting_.erase(found);
}

Status CompareMeter::take_shadow(const HistoryRow& row, Instant at) {
  const std::optional<Key> key = key_of(row.lease);
  const Result<RuleMoves> rule = rule_moves_of(row);
  if (!rule) return tl::unexpected(rule.error());
  if (!key || !row.generation) return {};
  stop(*row.generation, at);
  const Answers answers{row.rule_reason, row.reason, same_moves(row, *rule)};
  lasting_[*row.generation] = {*key, answers, at};
  if (at < from_) return {};
  Sums& sums = sums_[*key];
  ++sums.counts.evaluations;
  ++sums.stood[answers].evaluations;
  const int64_t slots = row.slots.value_or(0);
  sums.counts.shadow_moves += slots != 0 ? 1 : 0;
  sums.counts.shadow_slots += slots;
  sums.counts.rule_moves += rule->slots() != 0 ? 1 : 0;
  sums.counts.rule_slots += rule->slots();
  return {};
}

Status CompareMeter::take(const HistoryRow& row, Instant at) {
  if (row.kind == kConfig) {
    const Result<Event> event = decode_event(row.payload);
    if (!event) return tl::unexpected(event.error());
    if (const auto* loaded = std::get_if<ConfigLoaded>(&*event)) configured(loaded->config, at);
    return {};
  }
  if (is_kind(row, RecordKind::shadow)) return take_shadow(row, at);
  if (is_kind(row, RecordKind::group_closed)) {
    stop(row.generation.value_or(0), at);
    return {};
  }
  const bool flip = is_kind(row, RecordKind::flip);
  const std::optional<Key> key = key_of(row.lease);
  if (!key || at < from_ || (!flip && !moves_exclusive(row))) return {};
  ComparedCounts& counts = sums_[*key].counts;
  counts.flips += flip ? 1 : 0;
  counts.slots_moved += row.slots.value_or(0);
  return {};
}

Json CompareMeter::row_of(const Key& key, const Sums& sums) const {
  std::vector<std::pair<Answers, Stood>> stood(sums.stood.begin(), sums.stood.end());
  std::stable_sort(stood.begin(), stood.end(),
                   [](const auto& a, const auto& b) { return a.second.ms > b.second.ms; });
  int64_t same_ms = 0;
  int64_t differed_ms = 0;
  Json reasons = Json::array();
  for (const auto& [answers, each] : stood) {
    (answers.same ? same_ms : differed_ms) += each.ms;
    reasons.push_back({{"rule_reason", answers.rule_reason},
                       {"shadow_reason", answers.shadow_reason},
                       {"same", answers.same},
                       {"ms", each.ms},
                       {"evaluations", each.evaluations}});
  }
  const auto policy = policies_.find(policy_of(key.lease));
  return compared_row(
      {key.lease, policy_of(key.lease), policy == policies_.end() ? "" : policy->second.provider,
       consumer_of(key.lease), key.rule, key.shadow, sums.counts, same_ms, differed_ms, reasons});
}

Json CompareMeter::rows(const State& state, Instant until) {
  for (auto& [generation, lasting] : lasting_) {
    count(lasting, until);
    sums_[lasting.key];
  }
  for (const SlotGroup& group : state.slot_groups) {
    if (group.phase == Phase::closed || !is_shadowed(state, group)) continue;
    const ExportPolicy& policy = state.policies[group.policy].config;
    sums_[{lease_id(state, group), rule_in_force(policy).kind, *policy.shadow}];
  }
  Json list = Json::array();
  for (const auto& [key, sums] : sums_) list.push_back(row_of(key, sums));
  return list;
}

}  // namespace leasehold
