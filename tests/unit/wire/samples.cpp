#include "tests/unit/wire/samples.hpp"

namespace leasehold::wire {

namespace {

/// Two groups: three slots of two hosts in use by one, nothing of the other.
StateBlock two_groups() {
  StateBlock block;
  block.hosts = {{0, 4, 3, true}, {1, 2, 0, false}, {0, 0, 0, true}};
  block.groups = {{7, 41, true, 0, 0, 2}, {9, 300, false, 1, 2, 1}};
  return block;
}

Hello hello() {
  Hello hello;
  hello.cluster = "east";
  hello.incarnation = 0x1122334455667788;
  hello.state_id = 0xfedcba9876543210;
  hello.boot = 3;
  hello.session = 0x0102030405060708;
  hello.program_version = "0.1.0";
  hello.workload = "simulated";
  hello.fences = {true, false, true};
  hello.settle_ms = 250;
  hello.self_expiring = true;
  hello.state = two_groups();
  hello.lease_ms = 630'000;
  hello.identity = {"3f0c9a1be2d47786", "77ab10c2d3e4f506", 4'718'593, 0x8877665544332211};
  hello.wall_ms = 1'767'225'600'123;
  hello.chooses = true;
  hello.scheduling = {"proportional", "most-recent-task", "lower", "application", true};
  return hello;
}

Hello with_cautions(Hello hello) {
  hello.cautions = {"[workload] interrupt_signal = \"USR1\" ends at once what does not catch it"};
  return hello;
}

Inventory inventory() {
  HostFacts big;
  big.name = "big1";
  big.type = "LINUX64";
  big.model = "Xeon";
  big.slots = 8;
  big.mem_mb = 16'000;
  big.swap_mb = 4'000;
  big.booleans = {"gpu", "scratch"};
  big.numbers_milli = {{"r1m", 250}, {"licences", 12'000}};
  HostFacts bare;
  bare.name = "small1";
  bare.slots = 1;
  bare.up = false;
  return {0x0102030405060708, {big, bare}};
}

Report report() {
  Report report;
  report.session = 0x0102030405060708;
  report.number = 12;
  report.full = true;
  report.configuration = 5;
  report.pending = 40;
  report.running = 11;
  report.state = two_groups();
  report.hosts = {{0, 8, true}, {1, 0, false}};
  return report;
}

/// This is a report as programs write it that tell what their work looks like.
Report report_of_shapes() {
  Report report;
  report.session = 0x0102030405060708;
  report.number = 13;
  report.configuration = 5;
  report.pending = 28;
  report.running = 11;
  report.demand = Demand{{4, 2, TimeClass::hour_1, 1'767'225'600'000, 3, 24, {"LINUX64"}},
                         {1, 1, TimeClass::unknown, 0, 4, 4, {}}};
  report.ending = Ending{{{TimeClass::minute_1, 3}, {TimeClass::longer, 8}}, 250};
  return report;
}

/// Jobs that take their hosts whole, beside some that do not.
Report report_of_whole_hosts() {
  Report report = report_of_shapes();
  report.number = 15;
  report.demand->front().whole = true;
  report.demand->front().slots_per_host = 1;
  return report;
}

/// One of them may not be split, of the other the agent does not say.
Inventory inventory_of_divisions() {
  Inventory divided = inventory();
  divided.hosts.front().division = Division::pinned_cores;
  return divided;
}

/// One of them is reserved for later.
Inventory inventory_of_horizons() {
  Inventory reserved = inventory();
  reserved.hosts.front().horizon = Horizon{"maint", 1'767'225'600'000, 1'767'229'200'000};
  return reserved;
}

/// One of them is asleep.
Inventory inventory_of_asleep() {
  Inventory asleep = inventory();
  asleep.hosts.back().not_up = NotUp::asleep;
  return asleep;
}

/// Work of a day at the most.
Report report_of_limits() {
  Report report = report_of_shapes();
  report.number = 17;
  report.ending->longest_limit_ms = 86'400'000;
  return report;
}

/// Hosts of other clusters that may not be split, beside one that may.
Report report_of_divisions() {
  Report report;
  report.session = 0x0102030405060708;
  report.number = 16;
  report.configuration = 5;
  report.state = two_groups();
  report.state.hosts[0].division = Division::devices;
  report.state.hosts[1].division = Division::other_reason;
  report.state.hosts[2].division = Division::divisible;
  return report;
}

/// Nothing waits any more, nothing runs.
Report report_of_no_work() {
  Report report = report_of_shapes();
  report.number = 14;
  report.pending = report.running = 0;
  report.demand = Demand{};
  report.ending = Ending{};
  return report;
}

/// Every number as large as it may be, negative where the type can be.
Report extreme_report() {
  Report report;
  report.session = UINT64_MAX;
  report.number = UINT64_MAX;
  report.configuration = UINT64_MAX;
  report.pending = INT64_MAX;
  report.running = INT64_MIN;
  report.lease_ms = INT64_MAX;
  report.degraded = true;
  report.state.hosts = {{UINT32_MAX, INT32_MAX, INT32_MIN, true}};
  report.state.groups = {{UINT64_MAX, UINT64_MAX, true, INT32_MIN, 0, 1}};
  report.hosts = {{UINT32_MAX, INT32_MIN, true}};
  return report;
}

/// Lengths where msgpack changes its form: 15/16 items, 31/32 and 255/256 bytes of text.
Inventory edge_inventory() {
  Inventory inventory{1, {}};
  for (const size_t length : {0U, 31U, 32U, 255U, 256U, 4096U}) {
    HostFacts host;
    host.name = std::string(length, 'h');
    host.booleans.assign(length % 18, "b");
    inventory.hosts.push_back(host);
  }
  return inventory;
}

Configuration configuration() {
  Configuration configuration;
  configuration.session = 0x0102030405060708;
  configuration.number = 5;
  configuration.agent_timeout_ms = 60'000;
  ConfiguredGroup group;
  group.generation = 7;
  group.lease = "east-batch:west";
  group.peer = "west";
  group.hosts = {{"big1", 4, false}, {"big2", 2, true}};
  group.grace_ms = 30'000;
  ConfiguredGroup draining = group;
  draining.generation = 9;
  draining.role = Role::consumer;
  draining.shared = false;
  draining.draining = true;
  draining.mem_mb = 8'000;
  draining.swap_mb = 1'000;
  draining.hosts.clear();
  configuration.groups = {group, draining};
  configuration.resources = {{"simlic", Role::consumer, "west", 10}};
  configuration.lease_ttl_ms = 600'000;
  return configuration;
}

Order order() {
  Order order;
  order.session = 0x0102030405060708;
  order.generation = 7;
  order.seq = 42;
  order.grace_ms = 30'000;
  order.hosts = {{0, 4, Lowering::release}, {1, 0, Lowering::reclaim}, {2, 128, Lowering::shrink}};
  order.configuration = 5;
  return order;
}

/// Makes it a message of a broker that leads others on one database, the third to do so.
template <class T>
T of_leader(T message) {
  message.epoch = 3;
  message.incarnation = 0x1122334455667788;
  return message;
}

Configuration configuration_of_leader() {
  Configuration configuration;
  configuration.session = 0x0102030405060708;
  configuration.number = 5;
  configuration.agent_timeout_ms = 60'000;
  configuration.leader_ttl_ms = 5'000;
  return of_leader(std::move(configuration));
}

/// Makes it a message of an agent that says it has kept that leadership.
template <class T>
T having_seen(T message) {
  message.seen_epoch = kEpochMost;
  message.seen_incarnation = 0x8877665544332211;
  return message;
}

/// Makes it a message that answers one which the broker sent a little before.
template <class T>
T with_clock(T message) {
  message.clock = ClockReading{1'767'225'600'123, 86'405'000, 1'767'225'598'100, 86'403'500};
  return message;
}
template <class T>
T sent_at(T message) {
  message.sent_ms = 1'767'225'598'100;
  return message;
}

/// 5 slots of the three hosts of two groups are to come back, whichever: 4 + 2 + 8 - 5.
Order order_for_a_set() {
  Order order;
  order.session = 0x0102030405060708;
  order.generation = 7;
  order.seq = 43;
  order.hosts = {{0, 4, Lowering::release}, {1, 2, Lowering::release}};
  order.configuration = 5;
  order.parts = {{9, {{0, 8, Lowering::release}, {3, 1, Lowering::shrink}}}};
  order.sets = {{9, 60'000, false, {{7, 1}, {7, 0}, {9, 0}}}};
  return order;
}

Heartbeat with_look_age(Heartbeat message) {
  message.look_age_ms = 2'500;
  return message;
}

Heartbeat last_word() {
  Heartbeat word = having_seen(with_clock(Heartbeat{}));
  word.cluster = "east";
  return word;
}

Heartbeat of_ended_work() {
  Heartbeat heartbeat{0x0102030405060708, 130, 12};
  heartbeat.ended = {{7, "42", Fate::requeued, 9, Reason::reclaim_owned, 2, 1'767'225'600'123,
                      1'767'225'630'456, -1, "ann"},
                     {8, "9_3", Fate::failed, 0, Reason::preempted, 1, 1'767'225'600'123,
                      1'767'225'600'789, 3, ""}};
  return heartbeat;
}

Heartbeat of_spared_work() {
  Heartbeat heartbeat{0x0102030405060708, 130, 12};
  heartbeat.ended = {{9, "43", Fate::spared, 9, Reason::reclaim_owned, 2, 1'767'225'600'123,
                      1'767'225'630'456, -1, "ann", "user ann", "physics"},
                     {10, "44", Fate::ended, 9, Reason::reclaim_owned, 2, 1'767'225'600'123,
                      1'767'225'630'456, 143, "ann", "job 44"}};
  return heartbeat;
}

Heartbeat of_used_slots() {
  Heartbeat heartbeat{0x0102030405060708, 130, 12};
  heartbeat.used = {{7,
                     9,
                     1'767'225'600'123,
                     1'767'229'200'000,
                     {{"user ann", "ann", "physics", 7'200'000}, {"user bob", "bob", "", 1}},
                     3,
                     0},
                    {8, 10, 1'767'225'600'123, 1'767'229'200'000, {}, 0, 3'600'000}};
  return heartbeat;
}

HeartbeatAnswer having_recorded_use() {
  HeartbeatAnswer answer{0x0102030405060708, 130, false};
  answer.ended = 0;
  answer.used = 8;
  return answer;
}

HeartbeatAnswer having_recorded() {
  HeartbeatAnswer answer{0x0102030405060708, 130, false};
  answer.ended = 8;
  return answer;
}

HeartbeatAnswer of_off_hosts() {
  HeartbeatAnswer answer{0x0102030405060708, 131, false};
  answer.wake = {"big1", "big2"};
  answer.unused = {"big3"};
  return answer;
}

Order order_with_reason() {
  Order made = order();
  made.reason = Reason::reclaim_owned;
  return made;
}

std::vector<Sample> heartbeats() {
  return {
      {"heartbeat", Heartbeat{0x0102030405060708, 128, 12}},
      {"heartbeat-stopping", Heartbeat{0x0102030405060708, 129, 12, true}},
      {"heartbeat-ended", of_ended_work()},
      {"heartbeat-ended-whose", of_spared_work()},
      {"heartbeat-used", of_used_slots()},
      {"heartbeat-clock", with_clock(Heartbeat{0x0102030405060708, 130, 12})},
      {"heartbeat-look", with_look_age(Heartbeat{0x0102030405060708, 130, 12})},
      {"heartbeat-knock-seen", having_seen(Heartbeat{})},
      {"heartbeat-last-word", last_word()},
      {"heartbeat-answer", HeartbeatAnswer{0x0102030405060708, 128, true}},
      {"heartbeat-answer-leader", of_leader(HeartbeatAnswer{0x0102030405060708, 128, false})},
      {"heartbeat-answer-ended", having_recorded()},
      {"heartbeat-answer-used", having_recorded_use()},
      {"heartbeat-answer-off", of_off_hosts()},
      {"heartbeat-answer-sent", sent_at(HeartbeatAnswer{0x0102030405060708, 129, false})},
  };
}

std::vector<Sample> others() {
  return {
      {"welcome", Welcome{0x1122334455667788, "campus", "0.1.0"}},
      {"welcome-leader", Welcome{0x1122334455667788, "campus", "0.1.0", 3}},
      {"welcome-sent", sent_at(Welcome{0x1122334455667788, "campus", "0.1.0"})},
      {"welcome-utf8", Welcome{1, "m\xc3\xbcnchen \xe2\x82\xac \xf0\x9f\x96\xa5", ""}},
      {"hello", hello()},
      {"hello-empty", Hello{}},
      {"hello-seen", having_seen(Hello{})},
      {"hello-cautions", with_cautions(Hello{})},
      {"hello-clock", with_clock(Hello{})},
      {"inventory", inventory()},
      {"inventory-edges", edge_inventory()},
      {"inventory-divisions", inventory_of_divisions()},
      {"inventory-horizons", inventory_of_horizons()},
      {"inventory-asleep", inventory_of_asleep()},
      {"report", report()},
      {"report-empty", Report{}},
      {"report-extremes", extreme_report()},
      {"report-shapes", report_of_shapes()},
      {"report-no-work", report_of_no_work()},
      {"report-whole", report_of_whole_hosts()},
      {"report-divisions", report_of_divisions()},
      {"report-limits", report_of_limits()},
      {"state", State{0x0102030405060708, 5, two_groups()}},
      {"state-numbered", State{0x0102030405060708, 5, two_groups(), 7}},
      {"configuration", configuration()},
      {"configuration-empty", Configuration{}},
      {"configuration-leader", configuration_of_leader()},
      {"order", order()},
      {"order-set", order_for_a_set()},
      {"order-leader", of_leader(order())},
      {"order-reason", order_with_reason()},
      {"refusal", Refusal{Reason::second_agent, "another agent speaks for east", 1}},
      {"refusal-sent", sent_at(Refusal{Reason::elsewhere, "hub-a leads", 1})},
  };
}

}  // namespace

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = [] {
    std::vector<Sample> made = others();
    for (Sample& sample : heartbeats()) made.push_back(std::move(sample));
    return made;
  }();
  return all;
}

}  // namespace leasehold::wire
