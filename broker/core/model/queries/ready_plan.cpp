#include "broker/core/model/queries/ready_plan.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "common/check.hpp"

namespace leasehold {

namespace {

constexpr std::string_view kEverywhere = "type==any";

Selection read_requirement(std::string_view text) {
  auto parsed = Selection::parse(text);
  LEASEHOLD_CHECK(parsed.has_value(), "a requirement that cannot be read is refused with its file");
  return *std::move(parsed);
}

/// Each is parsed once, however many leaves have it.
std::vector<Selection> requirements_of(const Plan& plan) {
  std::vector<Selection> select;
  const bool any = std::any_of(plan.consumers.begin(), plan.consumers.end(),
                               [](const PlanConsumer& c) { return !c.select.empty(); });
  if (!any) return select;
  std::unordered_map<std::string_view, Selection> parsed;
  select.reserve(plan.consumers.size());
  for (const PlanConsumer& consumer : plan.consumers) {
    const std::string_view text =
        consumer.select.empty() ? kEverywhere : std::string_view(consumer.select);
    const auto [known, added] = parsed.try_emplace(text);
    if (added) known->second = read_requirement(text);
    select.push_back(known->second);
  }
  return select;
}

}  // namespace

PathPositions positions_by_path(const ResourceGroupLedger& ledger) {
  PathPositions positions;
  for (uint32_t c = 0; c < ledger.consumers.size(); ++c) {
    positions.emplace(ledger.consumers[c].path, c);
  }
  return positions;
}

std::vector<uint32_t> ledger_positions(const ResourceGroupLedger& ledger, const Plan& plan) {
  const PathPositions by_path = positions_by_path(ledger);
  std::vector<uint32_t> positions;
  positions.reserve(plan.consumers.size());
  for (const PlanConsumer& consumer : plan.consumers) {
    const auto found = by_path.find(consumer.path);
    positions.push_back(found == by_path.end() ? kNoIndex : found->second);
  }
  return positions;
}

std::shared_ptr<const ReadyPlan> make_ready(const State& state, const ResourceGroupLedger& ledger,
                                            const Plan& plan) {
  auto ready = std::make_shared<ReadyPlan>();
  ready->variant = ledger.variant;
  ready->compiled = compile(plan);
  ready->ledger = ledger_positions(ledger, plan);
  ready->consumer_at.assign(ledger.consumers.size(), kNoIndex);
  ready->cluster.reserve(plan.consumers.size());
  for (uint32_t c = 0; c < plan.consumers.size(); ++c) {
    if (ready->ledger[c] != kNoIndex) ready->consumer_at[ready->ledger[c]] = c;
    const std::string& name = plan.consumers[c].cluster;
    ready->cluster.push_back(name.empty() ? kNoIndex : find_cluster(state, name));
  }
  ready->select = requirements_of(plan);
  return ready;
}

std::shared_ptr<const ReadyPlan> ready_plan(const State& state, const ResourceGroupLedger& ledger,
                                            const Plan& plan) {
  const ReadyPlan* known = ledger.ready.get();
  const bool is_of_now = known != nullptr && known->variant == ledger.variant &&
                         known->consumer_at.size() == ledger.consumers.size();
  return is_of_now ? ledger.ready : make_ready(state, ledger, plan);
}

}  // namespace leasehold
