// The broker's metrics: each value from a state, liveness and figures that say what it must be.
#include <catch2/catch.hpp>

#include "broker/metrics/metrics.hpp"
#include "common/metrics/text.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

struct Setup {
  State state = site::state();
  Liveness liveness = site::liveness();
  LoopFigures figures;
  HttpFigures http;
  int64_t series_most = 10;
  LeaderView leader_view;
  Instant now;
  int64_t boottime_ms = 0;

  Samples samples() const {
    MetricsInput input{state, liveness, figures};
    input.http = http;
    input.last_event = 42;
    input.series_most = series_most;
    input.leader_view = leader_view;
    input.now = now;
    input.boottime_ms = boottime_ms;
    return broker_samples(input);
  }
  SlotGroup& group() { return state.slot_groups[0]; }
};

Transfer reclaim() {
  Transfer transfer;
  transfer.id = 1;
  transfer.from = kConsumer;
  transfer.to = kProvider;
  transfer.lowering = wire::Lowering::reclaim;
  transfer.since = site::kNoon + -600'000;
  transfer.deadline = site::kNoon;
  transfer.slots_wanted = 1;
  transfer.wanted = {{0, 1}};
  return transfer;
}

}  // namespace

TEST_CASE(
    "metrics: slots are told by cluster, policy, side and state, and add up to what is held") {
  Setup setup;
  const Samples samples = setup.samples();
  CHECK(samples.value(Metric::slots, {"east", "pool", "provider", "used"}) == 2);
  CHECK(samples.value(Metric::slots, {"east", "pool", "provider", "idle"}) == 1);
  CHECK(samples.value(Metric::slots, {"west", "pool", "consumer", "used"}) == 1);
  CHECK(samples.value(Metric::slots, {"west", "pool", "consumer", "idle"}) == 0);
  CHECK(samples.value(Metric::policy_exported, {"pool"}) == 4);
  CHECK_FALSE(samples.has(Metric::slots, {"north", "pool", "consumer", "used"}));
}

TEST_CASE("metrics: slots of a side whose host is down are neither used nor idle") {
  Setup setup;
  setup.group().at(0, kProvider).up = false;
  const Samples samples = setup.samples();
  CHECK(samples.value(Metric::slots, {"east", "pool", "provider", "down"}) == 3);
  CHECK(samples.value(Metric::slots, {"east", "pool", "provider", "used"}) == 0);
  CHECK(samples.value(Metric::slots, {"west", "pool", "consumer", "used"}) == 1);
}

TEST_CASE("metrics: a cluster is up or not, and how long ago it reported is an age") {
  Setup setup;
  setup.state.clusters[1].contact = Contact::lost;
  setup.state.clusters[0].degraded = true;
  setup.liveness.clusters["east"].last_heartbeat = site::kNoon + 3'000;
  setup.liveness.clusters["east"].dropped = 7;
  setup.liveness.clusters["east"].clock_off = {1'000, 4'000};
  const Samples samples = setup.samples();
  CHECK(samples.value(Metric::cluster_up, {"east"}) == 1);
  CHECK(samples.has(Metric::cluster_up, {"west"}));
  CHECK(samples.value(Metric::cluster_up, {"west"}) == 0);
  CHECK(samples.value(Metric::cluster_degraded, {"east"}) == 1);
  CHECK(samples.value(Metric::cluster_report_age, {"east"}) == 5);
  CHECK(samples.value(Metric::cluster_heard_age, {"east"}) == 2);
  CHECK(samples.value(Metric::cluster_clock_offset, {"east"}) == 2.5);
  CHECK(samples.value(Metric::cluster_clock_offset_error, {"east"}) == 1.5);
  CHECK_FALSE(samples.has(Metric::cluster_report_age, {"north"}));
  CHECK(samples.value(Metric::cluster_messages_dropped, {"east"}) == 7);
  CHECK_FALSE(samples.has(Metric::cluster_pending, {"west"}));
}

TEST_CASE(
    "metrics: transfers are told with their age, and those that are overdue with their slots") {
  Setup setup;
  setup.group().transfers.push_back(reclaim());
  Samples samples = setup.samples();
  CHECK(samples.value(Metric::transfers, {"pool", "releasing"}) == 1);
  CHECK(samples.value(Metric::transfer_oldest_age, {"pool"}) == 605);
  CHECK(samples.value(Metric::reclaims_overdue, {"pool"}) == 1);
  CHECK(samples.value(Metric::reclaim_overdue_slots, {"pool"}) == 1);
  CHECK(samples.value(Metric::attention, {"overdue"}) == 1);
  setup.state.frozen = true;  // then its time rests
  samples = setup.samples();
  CHECK(samples.value(Metric::reclaims_overdue, {"pool"}) == 0);
  CHECK(samples.value(Metric::frozen) == 1);
}

TEST_CASE("metrics: a freeze ahead is told with its begin and end, one in force with its end") {
  Setup setup;
  setup.state.freeze_ahead =
      OrderInForce{"ana", "", "", Instant{1'000}, Instant{9'000}, Instant{5'000}};
  Samples samples = setup.samples();
  CHECK(samples.value(Metric::frozen) == 0);
  CHECK(samples.value(Metric::freeze_time, {"from"}) == 5);
  CHECK(samples.value(Metric::freeze_time, {"until"}) == 9);
  setup.state.frozen = true;
  setup.state.freeze_order.until = Instant{3'000};
  CHECK(setup.samples().value(Metric::freeze_time, {"until"}) == 3);
  setup.state.freeze_order.until = kNever;
  setup.state.freeze_ahead.reset();
  samples = setup.samples();
  CHECK_FALSE(samples.has(Metric::freeze_time, {"from"}));
  CHECK_FALSE(samples.has(Metric::freeze_time, {"until"}));
}

TEST_CASE("metrics: as jobs end no transfer is old, and none is overdue") {
  Setup setup;
  Transfer shrink = reclaim();
  shrink.lowering = wire::Lowering::shrink;
  setup.group().transfers.push_back(std::move(shrink));
  const Samples samples = setup.samples();
  CHECK(samples.value(Metric::transfers, {"pool", "releasing"}) == 1);
  CHECK(samples.value(Metric::transfer_oldest_age, {"pool"}) == 0);
  CHECK(samples.value(Metric::reclaims_overdue, {"pool"}) == 0);
}

TEST_CASE(
    "metrics: leases are told by phase and reason, quarantine and breach, and the last flip") {
  Setup setup;
  setup.group().quarantined = true;
  setup.group().breach = true;
  setup.group().last_flip = site::kNoon;
  const Samples samples = setup.samples();
  CHECK(samples.value(Metric::leases, {"pool", "active"}) == 1);
  CHECK(samples.value(Metric::leases_by_reason, {"pool", "tie"}) == 1);
  CHECK(samples.value(Metric::leases_quarantined, {"pool"}) == 1);
  CHECK(samples.value(Metric::leases_in_breach, {"pool"}) == 1);
  CHECK(samples.value(Metric::policy_last_flip, {"pool"}) == 1'795'284'000);
  CHECK(samples.value(Metric::policy_info, {"pool", "east", "", "idle-comparison"}) == 1);
}

TEST_CASE("metrics: a broker alone leads, by no epoch, and has no time to lose") {
  const Samples samples = Setup().samples();
  CHECK(samples.value(Metric::leads) == 1);
  CHECK(samples.has(Metric::leader_epoch, {}));
  CHECK(samples.value(Metric::leader_epoch) == 0);
  CHECK_FALSE(samples.has(Metric::leadership_left, {}));
  CHECK_FALSE(samples.has(Metric::standby_lag, {}));
  CHECK(samples.has(Metric::take_overs, {}));
}

TEST_CASE("metrics: a leader leads for as long as its last commit reaches, and no longer") {
  Setup setup;
  setup.leader_view.role = BrokerRole::leader;
  setup.leader_view.epoch = 3;
  setup.leader_view.leads_until_ms = 12'500;
  setup.figures.take_overs = 2;
  setup.figures.leaderships_lost = 1;
  setup.boottime_ms = 11'000;
  Samples samples = setup.samples();
  CHECK(samples.value(Metric::leads) == 1);
  CHECK(samples.value(Metric::leader_epoch) == 3);
  CHECK(samples.value(Metric::leadership_left) == 1.5);
  CHECK(samples.value(Metric::take_overs) == 2);
  CHECK(samples.value(Metric::leaderships_lost) == 1);
  CHECK_FALSE(samples.has(Metric::standby_lag, {}));
  setup.boottime_ms = 12'500;
  samples = setup.samples();
  CHECK(samples.value(Metric::leads) == 0);
  CHECK(samples.value(Metric::leadership_left) == 0);
}

TEST_CASE("metrics: a standby does not lead, and lags since its last look at the log's end") {
  Setup setup;
  setup.leader_view.role = BrokerRole::standby;
  setup.leader_view.epoch = 3;
  setup.leader_view.looked = site::kNoon + 1'000;
  setup.now = site::kNoon + 5'000;
  Samples samples = setup.samples();
  CHECK(samples.has(Metric::leads, {}));
  CHECK(samples.value(Metric::leads) == 0);
  CHECK(samples.value(Metric::leader_epoch) == 3);
  CHECK(samples.value(Metric::standby_lag) == 4);
  CHECK_FALSE(samples.has(Metric::leadership_left, {}));
  setup.now = site::kNoon;  // its machine's clock was set back
  CHECK(setup.samples().value(Metric::standby_lag) == 0);
}

TEST_CASE("metrics: what needs a person is 0 by each kind where nothing does") {
  const Samples samples = Setup().samples();
  for (const char* kind : {"breach", "overdue", "agent-lost", "over-rate"}) {
    CHECK(samples.has(Metric::attention, {kind}));
    CHECK(samples.value(Metric::attention, {kind}) == 0);
  }
}

TEST_CASE("metrics: single leases have series up to the limit, and it is told how many have none") {
  Setup setup;
  setup.group().flips = 5;
  Samples samples = setup.samples();
  CHECK(samples.value(Metric::lease_slots, {"pool:west", "provider", "used"}) == 2);
  CHECK(samples.value(Metric::lease_flips, {"pool:west"}) == 5);
  CHECK(samples.value(Metric::lease_info, {"pool:west", "pool", "east", "west"}) == 1);
  CHECK(samples.value(Metric::lease_reason, {"pool:west", "tie"}) == 1);
  CHECK_FALSE(samples.has(Metric::lease_last_flip, {"pool:west"}));
  CHECK(samples.value(Metric::series_left_out, {"lease"}) == 0);
  setup.series_most = 0;
  samples = setup.samples();
  CHECK_FALSE(samples.has(Metric::lease_slots, {"pool:west", "provider", "used"}));
  CHECK_FALSE(samples.has(Metric::lease_info, {"pool:west", "pool", "east", "west"}));
  CHECK(samples.value(Metric::series_left_out, {"lease"}) == 1);
}

namespace {

/// The site's group belongs to a plan: /A's slots are west's, /B's north's.
Setup of_plan() {
  Setup setup;
  ResourceGroupLedger plan;
  plan.name = "site";
  plan.configured = true;
  for (const char* path : {"/A", "/B"}) {
    PlanConsumerLedger consumer;
    consumer.path = path;
    consumer.configured = true;
    plan.consumers.push_back(consumer);
  }
  plan.consumers[0].reason = Reason::at_quota;
  plan.consumers[1].gained_at = site::kNoon;
  plan.pairs.push_back({0, 1, 3, site::kNoon, 0});
  plan.slot_groups = {0};
  setup.state.resource_groups.push_back(plan);
  SlotGroup& group = setup.group();
  group.resource_group = 0;
  group.flips = 7;
  group.last_flip = site::kNoon + 5'000;
  Member north;
  north.cluster = 2;
  north.plan_consumer = 1;
  group.members[kConsumer].plan_consumer = 0;
  group.members.push_back(north);
  group.holdings.push_back(group.at(0, kConsumer));
  group.at(0, 2).held = 0;
  group.at(0, 2).due = 2;
  group.hosts[0].in_transfer = 2;
  return setup;
}

}  // namespace

TEST_CASE("metrics: leases of a plan told the flips and slots on their way of the whole group") {
  const Samples samples = of_plan().samples();
  CHECK(samples.value(Metric::lease_flips, {"site:/A"}) == 3);
  CHECK(samples.value(Metric::lease_flips, {"site:/B"}) == 3);
  CHECK(samples.value(Metric::lease_in_transfer, {"site:/A"}) == 0);
  CHECK(samples.value(Metric::lease_in_transfer, {"site:/B"}) == 2);
  CHECK_FALSE(samples.has(Metric::lease_last_flip, {"site:/A"}));
  CHECK(samples.value(Metric::lease_last_flip, {"site:/B"}) == 1'795'284'000);
  CHECK(samples.has(Metric::lease_reason, {"site:/A", "at-quota"}));
  CHECK(samples.has(Metric::lease_reason, {"site:/B", "none"}));
}

TEST_CASE("metrics: the series of a lease and of a policy go with them") {
  Setup setup;
  setup.group().phase = Phase::closed;
  setup.state.policies[0].configured = false;
  setup.figures.policies["pool"].flips[static_cast<size_t>(Reason::tie)] = 3;
  const Samples samples = setup.samples();
  CHECK_FALSE(samples.has(Metric::lease_info, {"pool:west", "pool", "east", "west"}));
  CHECK_FALSE(samples.has(Metric::policy_exported, {"pool"}));
  CHECK_FALSE(samples.has(Metric::flips, {"pool", "tie"}));
  CHECK_FALSE(samples.has(Metric::slots, {"west", "pool", "consumer", "used"}));
}

TEST_CASE("metrics: one lease with an old group that drains and a new one is one series") {
  Setup setup;
  SlotGroup old = setup.group();
  old.phase = Phase::draining;
  old.generation = 7;
  setup.state.slot_groups.push_back(std::move(old));
  const Samples samples = setup.samples();
  CHECK(samples.value(Metric::lease_slots, {"pool:west", "provider", "used"}) == 4);
  CHECK(samples.value(Metric::lease_info, {"pool:west", "pool", "east", "west"}) == 1);
}

TEST_CASE("metrics: a consumer of a plan has what the last evaluation said of it") {
  Setup setup;
  ResourceGroupLedger plan;
  plan.name = "compute";
  plan.configured = true;
  PlanConsumerLedger leaf;
  leaf.path = "/research";
  leaf.configured = true;
  leaf.numbers = {9, 6, 5, 1, 0, 2};
  plan.consumers = {leaf};
  leaf.path = "/gone";
  leaf.configured = false;
  plan.consumers.push_back(leaf);
  setup.state.resource_groups.push_back(plan);
  Samples samples = setup.samples();
  CHECK(samples.value(Metric::consumer_slots, {"compute", "/research", "demand"}) == 9);
  CHECK(samples.value(Metric::consumer_slots, {"compute", "/research", "borrowed"}) == 1);
  CHECK_FALSE(samples.has(Metric::consumer_slots, {"compute", "/gone", "demand"}));
  setup.series_most = 0;
  samples = setup.samples();
  CHECK_FALSE(samples.has(Metric::consumer_slots, {"compute", "/research", "demand"}));
  CHECK(samples.value(Metric::series_left_out, {"consumer"}) == 1);
}

TEST_CASE("metrics: what the loop counted, and what waits, is told by its reason") {
  Setup setup;
  PolicyCounts& counts = setup.figures.policies["pool"];
  counts.flips[static_cast<size_t>(Reason::consumer_idle)] = 3;
  counts.evaluations[static_cast<size_t>(Reason::inactive)] = 2;
  counts.evaluations[static_cast<size_t>(Reason::tie)] = 4;
  setup.figures.agents_refused[static_cast<size_t>(Reason::second_agent)] = 1;
  setup.figures.statements_put_off = 6;
  setup.http.too_many = 8;
  const Samples samples = setup.samples();
  CHECK(samples.value(Metric::flips, {"pool", "consumer-idle"}) == 3);
  CHECK(samples.value(Metric::evaluations, {"pool", "skipped", "inactive"}) == 2);
  CHECK(samples.value(Metric::evaluations, {"pool", "made", "tie"}) == 4);
  CHECK(samples.value(Metric::refusals, {"agents", "second-agent"}) == 1);
  CHECK(samples.value(Metric::refusals, {"http", "too-many"}) == 8);
  CHECK(samples.value(Metric::queue_depth, {"statements"}) == 6);
  CHECK(samples.value(Metric::events) == 42);
}

TEST_CASE("metrics: of a file that is not there no size is told") {
  const DiskFigures disk = look_at_disk("/nowhere/at/all.db");
  CHECK_FALSE(disk.log_bytes);
  CHECK_FALSE(disk.free_bytes);
}

TEST_CASE("metrics: the text has a head for each metric and a line for each series") {
  const std::string text = metrics_text(Setup().samples());
  CHECK(text.find("# TYPE leasehold_slots gauge\n") != std::string::npos);
  CHECK(
      text.find("leasehold_slots{cluster=\"east\",policy=\"pool\",side=\"provider\",state=\"used\"}"
                " 2\n") != std::string::npos);
  CHECK(text.find("# TYPE leasehold_commit_duration_seconds histogram\n") != std::string::npos);
  CHECK(text.find("leasehold_flips_total") == std::string::npos);  // none yet
}
