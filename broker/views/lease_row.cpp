#include "broker/views/lease_row.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/model/plans.hpp"
#include "broker/views/plan/words.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

namespace {

/// Type and rule; of a plan the policy of the consumer's branch.
std::pair<const char*, const char*> kind_of(const State& state, const LeaseRef& lease) {
  const SlotGroup& group = state.slot_groups[lease.group];
  const ExportPolicy& policy = state.policies[group.policy].config;
  if (group.resource_group == kNoIndex) return {token(policy.type), token(policy.rule)};
  const Plan* plan = plan_in_force(state, state.resource_groups[group.resource_group]);
  if (plan == nullptr) return {"plan", token(PlanPolicy::hybrid)};  // draining: it is gone
  // The ledger names consumers in the order of the first plan.
  const uint32_t at = position_of(*plan, rows::consumer(state, lease).path,
                                  group.members[lease.member].plan_consumer);
  return {"plan", token(at == kNoIndex ? plan->policy : policy_of(*plan, at))};
}

/// Slots of the row that the member is due and has not got.
int32_t slots_missing(const SlotGroup& group, size_t row, size_t member) {
  const Holding& holding = group.at(row, member);
  return std::max(0, holding.due - holding.held);
}

/// Slots on their way: of a plan those that were released for this consumer.
int32_t moving(const SlotGroup& group, size_t member) {
  if (group.resource_group == kNoIndex) return in_transfer(group);
  int32_t sum = 0;
  for (size_t row = 0; row < group.hosts.size(); ++row) {
    sum += std::min(group.hosts[row].in_transfer, slots_missing(group, row, member));
  }
  return sum;
}

/// Of those on their way, also what its holder was asked to release and has not yet.
int64_t asked_for(const SlotGroup& group, size_t member) {
  int64_t sum = 0;
  for (const Transfer& transfer : group.transfers) {
    if (transfer.step != TransferStep::releasing || !concerns(group, transfer, member)) continue;
    if (!transfer.inactive && transfer.lowering == wire::Lowering::shrink) continue;  // as jobs end
    sum += std::max(0, transfer.slots_wanted - transfer.slots_released);
  }
  return sum;
}

/// kNever: none is to come.
Instant next_evaluation(const State& state, const SlotGroup& group) {
  const bool over = group.phase == Phase::draining || group.phase == Phase::closed;
  const uint32_t grid = group.resource_group == kNoIndex
                            ? group.grid
                            : state.resource_groups[group.resource_group].grid;
  return over || grid >= state.grids.size() ? kNever : state.grids[grid].next;
}

}  // namespace

bool concerns(const SlotGroup& group, const Transfer& transfer, size_t member) {
  return group.resource_group == kNoIndex || transfer.from == member || transfer.to == member;
}

LeaseRow::LeaseRow(const State& state)
    : state_(state),
      cluster_texts_(state.clusters.size()),
      policy_texts_(state.policies.size()),
      flips_(state.resource_groups.size()) {}

void LeaseRow::go(const LeaseRef& lease) {
  lease_ = lease;
  group_ = &state_.slot_groups[lease.group];
}

const Cluster& LeaseRow::cluster(size_t member) const {
  return state_.clusters[group_->members[member].cluster];
}

Reason LeaseRow::reason() const {
  return of_plan() ? rows::consumer(state_, lease_).reason : group_->reason;
}

std::optional<std::string_view> LeaseRow::word(std::string_view path) const {
  if (path == "provider") return cluster(kProvider).name;
  if (path == "consumer") return cluster(lease_.member).name;
  if (path == "policy") return state_.policies[group_->policy].config.name;
  if (path == "phase") return token(group_->phase);
  if (path == "reason") return token(reason());
  return std::nullopt;
}

std::string LeaseRow::key() const {
  return lease_id(state_, *group_, lease_.member);
}

const std::string& LeaseRow::cluster_text(size_t member) {
  std::string& text = cluster_texts_[group_->members[member].cluster];
  if (text.empty()) text = json_escaped(cluster(member).name);
  return text;
}

const std::string& LeaseRow::policy_text() {
  std::string& text = policy_texts_[group_->policy];
  if (text.empty()) text = json_escaped(state_.policies[group_->policy].config.name);
  return text;
}

void LeaseRow::write_names() {
  const std::string& policy = policy_text();
  const std::string& consumer = cluster_text(lease_.member);
  row_.key("id");
  if (of_plan()) {
    row_.text({json_escaped(key())});
  } else {
    row_.text({policy, ":", consumer});
  }
  row_.key("policy");
  row_.text({policy});
  row_.key("group");
  if (of_plan()) {
    row_.text({json_escaped(state_.resource_groups[group_->resource_group].name)});
  } else {
    row_.text({policy, ":", consumer, ".", std::to_string(group_->generation)});
  }
  row_.key("provider");
  row_.text({cluster_text(kProvider)});
  row_.key("consumer");
  row_.text({consumer});
}

void LeaseRow::write_kind() {
  const auto [type, rule] = kind_of(state_, lease_);
  row_.key("type");
  row_.text({type});
  row_.key("rule");
  row_.text({rule});
  row_.key("phase");
  row_.text({token(group_->phase)});
  row_.key("epoch");
  row_.number(group_->epoch);
}

void LeaseRow::write_side(int32_t available, int32_t used) {
  row_.open();
  row_.key("available");
  row_.number(available);
  row_.key("used");
  row_.number(used);
  row_.key("idle");
  row_.number(std::max(0, available - used));
  row_.close();
}

void LeaseRow::write_slots() {
  const Totals totals = rows::totals(*group_, lease_.member);
  const int32_t on_their_way = moving(*group_, lease_.member);
  row_.key("slots");
  row_.number(exported(*group_));
  row_.key("in_transfer");
  row_.number(on_their_way);
  row_.key("moving");
  row_.number(on_their_way + asked_for(*group_, lease_.member));
  row_.key("provider_slots");
  write_side(totals.provider_available, totals.provider_used);
  row_.key("consumer_slots");
  write_side(totals.consumer_available, totals.consumer_used);
  row_.key("slots_down");
  write_slots_down();
}

/// Held on hosts that one of the two sides does not call up: they stay there, neither idle nor
/// used.
void LeaseRow::write_slots_down() {
  int64_t provider = 0;
  int64_t consumer = 0;
  for (size_t h = 0; h < group_->hosts.size(); ++h) {
    const Holding& of_provider = group_->at(h, kProvider);
    const Holding& of_consumer = group_->at(h, lease_.member);
    const bool common = of_provider.up && of_consumer.up;
    if (!(of_plan() ? of_provider.up : common)) provider += of_provider.held;
    if (!common) consumer += of_consumer.held;
  }
  row_.open();
  row_.key("provider");
  row_.number(provider);
  row_.key("consumer");
  row_.number(consumer);
  row_.close();
}

void LeaseRow::write_pending(size_t member) {
  const Cluster& of = cluster(member);
  if (of.contact == Contact::ok) {
    row_.number(of.pending);
  } else {
    row_.null();
  }
}

/// "never yet" and "never" are absent.
void LeaseRow::write_time(Instant at) {
  if (at.ms == INT64_MIN || at == kNever) {
    row_.null();
  } else {
    row_.text({format_utc(at)});
  }
}

void LeaseRow::write_instants() {
  row_.key("last_flip");
  write_time(of_plan() ? rows::consumer(state_, lease_).gained_at : group_->last_flip);
  row_.key("next_evaluation");
  write_time(next_evaluation(state_, *group_));
}

/// Once a list for all consumers: a look at each pair for each lease would be quadratic.
const std::vector<int64_t>& LeaseRow::flips_by_consumer() {
  const ResourceGroupLedger& plan = state_.resource_groups[group_->resource_group];
  std::vector<int64_t>& flips = flips_[group_->resource_group];
  if (!flips.empty()) return flips;
  flips.resize(plan.consumers.size());
  for (const PairFlips& pair : plan.pairs) {
    flips[pair.from] += pair.flips;
    if (pair.to != pair.from) flips[pair.to] += pair.flips;
  }
  return flips;
}

/// Of a plan's consumer: between it and any other.
int64_t LeaseRow::flips() {
  if (!of_plan()) return group_->flips;
  return flips_by_consumer()[group_->members[lease_.member].plan_consumer];
}

void LeaseRow::append_to(std::string& text) {
  row_.begin();
  write_names();
  write_kind();
  write_slots();
  row_.key("pending");
  row_.open();
  row_.key("provider");
  write_pending(kProvider);
  row_.key("consumer");
  write_pending(lease_.member);
  row_.close();
  write_instants();
  row_.key("reason");
  row_.text({token(reason())});
  row_.key("flips");
  row_.number(flips());
  row_.key("mode");
  row_.text({rows::mode_word(state_)});
  row_.key("frozen");
  row_.flag(state_.frozen);
  row_.close();
  text += row_.text();
}

}  // namespace leasehold
