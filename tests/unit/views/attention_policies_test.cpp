// attention of policies: a first offer that starts nothing, a rule that nobody chose.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/attention/attention.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;
using site::live;

namespace {

Json only(const State& state, const Liveness& liveness) {
  const Json found = view_attention(state, liveness);
  INFO(found.dump(2));
  REQUIRE(found.size() == 1);
  return found[0];
}

}  // namespace

// Jobs of two slots waited for ever beside one slot that was offered, and no view said so.
TEST_CASE("a lease that no waiting job makes is told, with the first slots that one would need") {
  State state = site::state({4, 0, 0, 0});
  SlotGroup& lease = state.slot_groups[0];
  lease.phase = Phase::offered;
  lease.reason = Reason::not_made;
  ExportPolicy& policy = state.policies[0].config;
  const auto wait = [&](std::vector<int32_t> widths, Instant since = site::kNoon) {
    wire::Demand demand;
    for (const int32_t width : widths) {
      wire::DemandBucket& bucket = demand.emplace_back();
      bucket.slots_per_host = width;
      bucket.jobs = 1;
      bucket.slots = width;
      bucket.oldest_ms = since.ms;
    }
    state.clusters[1].demand = demand;
  };
  const auto needs_somebody = [&] { return !view_attention(state, live()).empty(); };
  wait({4, 2, 3});
  const Json need = only(state, live());
  CHECK(need["kind"] == "offer-too-small");
  CHECK(need["subject"] == "pool:west");
  CHECK(need["since"] == "2026-11-21T18:00:00.000Z");
  CHECK(need["detail"].get<std::string>().find("the smallest wants 2 slots") != std::string::npos);
  CHECK(need["command"] == "initial_slots = 2 in policy pool, then leasectl reload");
  policy.initial_slots = 2;
  CHECK_FALSE(needs_somebody());
  policy.initial_slots = 1;
  wait({2}, live().now + -1'000);  // it may start on west's own slots
  CHECK_FALSE(needs_somebody());
  wait({2, 1});
  CHECK_FALSE(needs_somebody());
  wait({5});  // on no host of the lease
  CHECK_FALSE(needs_somebody());
  wait({2});
  CHECK(needs_somebody());
  state.clusters[1].demand->front().host_types = {"other"};
  CHECK_FALSE(needs_somebody());
  wait({2});
  policy.rule = RuleKind::demand_aware;
  CHECK_FALSE(needs_somebody());
  policy.rule = RuleKind::idle_comparison;
  lease.phase = Phase::active;
  CHECK_FALSE(needs_somebody());
}

TEST_CASE("the first slots that a wide job needs count what is offered on hosts before") {
  State state = site::state({2, 0, 0, 0});
  state.clusters[0].hosts.push_back({site::host("big2", 4), true, false, false, {}});
  SlotGroup& lease = state.slot_groups[0];
  lease.phase = Phase::offered;
  lease.hosts = {HostLedger{0, 2, 2, 0}, HostLedger{1, 4, 4, 0}};
  Holding second = lease.holdings[0];
  second.held = second.ordered = second.stated = 4;
  lease.holdings = {lease.holdings[0], lease.holdings[1], second, lease.holdings[1]};
  wire::DemandBucket bucket;
  bucket.slots_per_host = 3;
  bucket.jobs = 1;
  bucket.slots = 3;
  bucket.oldest_ms = site::kNoon.ms;
  state.clusters[1].demand = wire::Demand{bucket};
  const auto command = [&] { return only(state, live())["command"].get<std::string>(); };
  CHECK(command().find("initial_slots = 5 ") == 0);
  state.clusters[1].demand->front().whole = true;
  CHECK(command().find("initial_slots = 6 ") == 0);
}

TEST_CASE("slots that moved for nobody are told where nobody chose the rule") {
  State state = site::state();
  SlotGroup& lease = state.slot_groups[0];
  ExportPolicy& policy = state.policies[0].config;
  lease.reason = Reason::provider_idle;
  lease.numbers = Numbers::All{3, 1, 1, 1, 0, 0};
  CHECK(view_attention(state, live()).empty());
  policy.rule_by_default = true;
  const Json need = only(state, live());
  CHECK(need["kind"] == "rule-not-written");
  CHECK(need["subject"] == "pool");
  CHECK(need["since"] == "2026-11-21T18:00:00.000Z");
  CHECK(need["command"].get<std::string>().find(
            "rule = \"demand-aware\" in policy pool (broker.toml:12)") == 0);
  for (const Numbers::All& somebody : {Numbers::All{3, 1, 1, 1, 1, 0}, {3, 1, 1, 1, 0, 5}}) {
    lease.numbers = somebody;
    CHECK(view_attention(state, live()).empty());
  }
  lease.numbers = Numbers::All{3, 1, 1, 1, 0, 0};
  lease.reason = Reason::tie;
  CHECK(view_attention(state, live()).empty());
  lease.reason = Reason::consumer_idle;
  CHECK(view_attention(state, live()).size() == 1);
  state.config.mode = Mode::observe;
  CHECK(view_attention(state, live()).empty());
}
