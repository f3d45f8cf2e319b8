// The bytes of events: events are read as they were written, and no bytes crash the reader.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "broker/record/event_codec.hpp"

using namespace leasehold;

namespace {

template <class T>
T any() {
  return *rc::gen::arbitrary<T>();
}
std::string any_text() {
  return *rc::gen::string<std::string>();
}
Instant any_instant() {
  return Instant{any<int64_t>()};
}
template <class E>
E any_of(int values) {
  return static_cast<E>(*rc::gen::inRange(0, values));
}
template <class Make>
auto several(Make make) {
  std::vector<decltype(make())> list;
  const int size = *rc::gen::inRange(0, 4);
  for (int i = 0; i < size; ++i) list.push_back(make());
  return list;
}

Source any_source() {
  return {any_text(), any<int>()};
}
Share any_share() {
  return {any_text(), any<int64_t>()};
}
WeekWindow any_window() {
  return {several([] { return any<uint8_t>(); }), any<int32_t>(), any<int32_t>()};
}
ClusterConfig any_cluster() {
  return {any_text(), any_text(), any<int64_t>(), any_source()};
}
ExportPolicy any_policy() {
  ExportPolicy p;
  p.name = any_text();
  p.provider = any_text();
  p.hosts = several(any_text);
  p.slots_per_host = any<int32_t>();
  p.select = any_text();
  p.nhosts = any<int32_t>();
  p.distribution = several(any_share);
  p.type = any_of<LeaseType>(2);
  p.rule = any_of<RuleKind>(3);
  p.initial_slots = any<int32_t>();
  p.reclaim_grace_ms = any<int64_t>();
  p.mem_mb = any<int64_t>();
  p.swap_mb = any<int64_t>();
  p.reselect = any<bool>();
  p.windows = several(any_window);
  p.timezone = any_text();
  p.source = any_source();
  p.by_host = any<bool>();
  if (any<bool>()) p.shadow = any_of<RuleKind>(3);
  p.rule_by_default = any<bool>();
  return p;
}
SharedResource any_resource() {
  return {any_text(), any_text(), any<int64_t>(), several(any_share), any_source()};
}
template <class Make>
auto perhaps(Make make) {
  return any<bool>() ? std::optional(make()) : std::nullopt;
}
std::optional<int64_t> perhaps_number() {
  return perhaps([] { return any<int64_t>(); });
}
std::optional<ConsumerList> perhaps_list(uint32_t consumers) {
  return perhaps([consumers] {
    return ConsumerList{any<bool>(),
                        several([consumers] { return *rc::gen::inRange<uint32_t>(0, consumers); }),
                        several(any_text)};
  });
}
/// Makes the consumer at `position` of `of`.
PlanConsumer any_consumer(uint32_t position, uint32_t of) {
  PlanConsumer c;
  c.path = "/" + std::to_string(position);
  c.parent = position % 3 == 0 ? kNoIndex : position - 1;
  c.cluster = any_text();
  c.policy = perhaps([] { return any_of<PlanPolicy>(3); });
  c.rank = perhaps_number();
  c.owned = perhaps_number();
  c.reserved = perhaps_number();
  c.limit = perhaps_number();
  c.lend_limit = perhaps_number();
  c.lend_to = perhaps_list(of);
  c.borrow_limit = perhaps_number();
  c.borrow_from = perhaps_list(of);
  c.share_ratio = perhaps_number();
  c.share_limit = perhaps_number();
  c.reclaim_grace_ms = any<int64_t>();
  c.rebalance = any<bool>();
  c.select = any_text();
  return c;
}
Plan any_plan(uint32_t consumers) {
  Plan p;
  p.name = any_text();
  p.policy = any_of<PlanPolicy>(3);
  p.slots = perhaps_number();
  p.placement = any_of<Placement>(3);
  p.reclaim_before_borrow = any<bool>();
  p.reclaim_shared = any<bool>();
  p.share_enforcement = any_of<ShareEnforcement>(2);
  p.evenly_distribute = any<bool>();
  p.disable_reclaim_hybrid_own = any<bool>();
  p.use_ancestor_grace_period = any<bool>();
  p.siblings_only = any<bool>();
  p.default_rank = any<int64_t>();
  p.net_policy_switch = any<bool>();
  p.min_hold_ms = any<int64_t>();
  p.max_share_moved_ppm = any<int64_t>();
  p.dead_zone_slots = any<int64_t>();
  p.reclaim_backoff_ms = any<int64_t>();
  for (uint32_t i = 0; i < consumers; ++i) p.consumers.push_back(any_consumer(i, consumers));
  return p;
}
constexpr uint32_t kVariants = 2;
ResourceGroup any_group() {
  const auto consumers = *rc::gen::inRange<uint32_t>(0, 5);
  ResourceGroup group;
  group.name = any_text();
  group.policies = several(any_text);
  group.cycle_ms = any<int64_t>();
  group.react_ms = any<int64_t>();
  group.use_by_ms = perhaps([] { return any<int64_t>(); });
  group.week = several([] {
    return PlanChange{any<int32_t>(), *rc::gen::inRange<uint32_t>(0, kVariants)};
  });
  group.timezone = any_text();
  group.source = any_source();
  for (uint32_t v = 0; v < kVariants; ++v) group.variants.push_back(any_plan(consumers));
  return group;
}
BrokerConfig any_config() {
  return {any_text(),           any_of<Mode>(2),     any<int64_t>(),
          any<int64_t>(),       any<int64_t>(),      any<int64_t>(),
          several(any_cluster), several(any_policy), several(any_resource),
          several(any_group),   any<int64_t>()};
}
Interval any_interval() {
  return {any_instant(), any_instant()};
}
ResolvedWindows::PlanPeriod any_period() {
  return {any_instant(), *rc::gen::inRange<uint32_t>(0, kVariants)};
}
ResolvedWindows any_windows() {
  ResolvedWindows windows;
  windows.until = any_instant();
  windows.policies = several([] {
    return ResolvedWindows::PolicyWindows{any_text(), several(any_interval)};
  });
  windows.plans = several([] {
    return ResolvedWindows::PlanWindows{any_text(), several(any_period)};
  });
  return windows;
}
wire::StateBlock any_block() {
  wire::StateBlock block;
  for (int groups = *rc::gen::inRange(0, 4); groups > 0; --groups) {
    wire::GroupState group{any<uint64_t>(),
                           any<uint64_t>(),
                           any<bool>(),
                           any<int32_t>(),
                           static_cast<uint32_t>(block.hosts.size()),
                           0};
    for (int hosts = *rc::gen::inRange(0, 4); hosts > 0; --hosts) {
      block.hosts.push_back(
          {any<uint32_t>(), any<int32_t>(), any<int32_t>(), any<bool>(), any<int32_t>()});
      ++group.count;
    }
    block.groups.push_back(group);
  }
  return block;
}
wire::HostFacts any_facts() {
  return {any_text(),        any_text(),
          any_text(),        any<int32_t>(),
          any<int64_t>(),    any<int64_t>(),
          several(any_text), several([] { return std::pair{any_text(), any<int64_t>()}; }),
          any<bool>()};
}

wire::DemandBucket any_bucket() {
  return {any<int32_t>(), any<int32_t>(), any_of<wire::TimeClass>(8), any<int64_t>(),
          any<int64_t>(), any<int64_t>(), several(any_text),          any<bool>()};
}
wire::Ending any_ending() {
  return {several([] {
            return wire::EndingSlots{any_of<wire::TimeClass>(8), any<int64_t>()};
          }),
          any<int32_t>()};
}

/// Encodes and decodes `event`.
template <class T>
T through(const T& event) {
  std::string bytes = "before";
  encode_event(event, bytes);
  const Result<Event> read = decode_event(std::string_view(bytes).substr(6));
  if (!read) RC_FAIL(read.error().message);
  RC_ASSERT(std::holds_alternative<T>(*read));
  return std::get<T>(*read);
}

std::string some_bytes() {
  AgentHello hello;
  hello.cluster = "east";
  hello.state.groups.push_back({1, 2, true, 0, 0, 1});
  hello.state.hosts.push_back({0, 4, 2, true});
  std::string bytes;
  encode_event(hello, bytes);
  return bytes;
}

void check(const char* what, const std::function<void()>& property) {
  CHECK(rc::check(what, property));
}

}  // namespace

TEST_CASE("every kind of event of the broker itself is read as it was written") {
  check("broker started", [] {
    const BrokerStarted in{any<uint64_t>(), any<bool>(), any<bool>()};
    const BrokerStarted out = through(in);
    RC_ASSERT(out.incarnation == in.incarnation && out.database_older == in.database_older);
    RC_ASSERT(out.warm == in.warm);
  });
  check("configuration loaded", [] {
    const ConfigLoaded in{any_config(), any_windows(), any_text(), any_text(), any_text()};
    const ConfigLoaded out = through(in);
    RC_ASSERT(out.where == in.where && out.changes == in.changes);
    RC_ASSERT(out.config == in.config && out.windows == in.windows && out.by == in.by);
  });
  check("windows resolved", [] {
    const WindowsResolved in{any_windows()};
    RC_ASSERT(through(in).windows == in.windows);
  });
}

TEST_CASE("what is told of hosts comes back as it was") {
  check("inventory", [] {
    const InventoryReported in{any_text(), any<uint64_t>(), several(any_facts)};
    const InventoryReported out = through(in);
    RC_ASSERT(out.cluster == in.cluster && out.session == in.session && out.hosts == in.hosts);
  });
  check("what changed of an inventory", [] {
    const InventoryChanged in{any_text(), any<uint64_t>(), several(any_facts), several(any_text)};
    const InventoryChanged out = through(in);
    RC_ASSERT(out.cluster == in.cluster && out.session == in.session);
    RC_ASSERT(out.hosts == in.hosts && out.gone == in.gone);
  });
  check("tables failed", [] {
    const TablesFailed in{any<bool>(), any_text()};
    const TablesFailed out = through(in);
    RC_ASSERT(out.over == in.over && out.why == in.why);
  });
  check("recorded later", [] {
    const RecordedLater in{any_text()};
    RC_ASSERT(through(in).cluster == in.cluster);
  });
}

TEST_CASE("every kind of event of an agent is read as it was written") {
  check("agent's hello", [] {
    const AgentHello in{any_text(),
                        any<uint64_t>(),
                        any<uint64_t>(),
                        any<uint64_t>(),
                        any<bool>(),
                        any<bool>(),
                        {any<bool>(), any<bool>(), any<bool>()},
                        any_text(),
                        any_block(),
                        any<int64_t>(),
                        {any_text(), any_text(), any<uint64_t>(), any<uint64_t>()},
                        any<bool>(),
                        {any_text(), any_text(), any_text(), any_text(), any<bool>()}};
    const AgentHello out = through(in);
    RC_ASSERT(out.cluster == in.cluster && out.state_id == in.state_id && out.boot == in.boot);
    RC_ASSERT(out.session == in.session && out.has_state == in.has_state);
    RC_ASSERT(out.self_expiring == in.self_expiring && out.fences == in.fences);
    RC_ASSERT(out.program_version == in.program_version && out.state == in.state);
    RC_ASSERT(out.lease_ms == in.lease_ms && out.identity == in.identity);
    RC_ASSERT(out.chooses == in.chooses && out.scheduling == in.scheduling);
  });
  check("agent lost", [] {
    const AgentLost in{any_text(), any<uint64_t>(), {any<int64_t>()}, any<bool>()};
    const AgentLost out = through(in);
    RC_ASSERT(out.cluster == in.cluster && out.session == in.session);
    RC_ASSERT(out.renewed_at == in.renewed_at && out.stopped == in.stopped);
  });
  check("state", [] {
    const StateReported in{any_text(),
                           any<uint64_t>(),
                           any<int64_t>(),
                           any<bool>(),
                           any_block(),
                           any<int64_t>(),
                           perhaps([] { return several(any_bucket); }),
                           perhaps(any_ending)};
    const StateReported out = through(in);
    RC_ASSERT(out.cluster == in.cluster && out.session == in.session);
    RC_ASSERT(out.pending == in.pending && out.degraded == in.degraded && out.state == in.state);
    RC_ASSERT(out.lease_ms == in.lease_ms);
    RC_ASSERT(out.demand == in.demand && out.ending == in.ending);
  });
}

TEST_CASE("every kind of event of time and of operators is read as it was written") {
  check("tick", [] { through(Tick{}); });
  check("operator's command", [] {
    OperatorCommand in{any_of<Command>(static_cast<int>(kTokensOf<Command>.size())),
                       any_text(),
                       any_text(),
                       any_text(),
                       any_text(),
                       any_text(),
                       any<bool>(),
                       any_of<DrainSide>(3),
                       any<bool>(),
                       any_text(),
                       any_text(),
                       {any<int64_t>()}};
    in.successor = any_text();
    const OperatorCommand out = through(in);
    RC_ASSERT(out.command == in.command && out.by == in.by && out.lease == in.lease);
    RC_ASSERT(out.cluster == in.cluster && out.host == in.host && out.consumer == in.consumer);
    RC_ASSERT(out.reclaim == in.reclaim && out.half == in.half && out.only_this == in.only_this);
    RC_ASSERT(out.where == in.where && out.why == in.why && out.until == in.until);
    RC_ASSERT(out.successor == in.successor);
  });
  check("refused attempt", [] {
    const OperatorRefused in{any_of<Reason>(kReasonCount),
                             any_text(),
                             any_text(),
                             any_text(),
                             any_text(),
                             any_text(),
                             any_text(),
                             any<int64_t>()};
    const OperatorRefused out = through(in);
    RC_ASSERT(out.reason == in.reason && out.by == in.by && out.where == in.where);
    RC_ASSERT(out.verb == in.verb && out.object == in.object && out.options == in.options);
    RC_ASSERT(out.why == in.why && out.times == in.times);
  });
}

TEST_CASE("every truncation of an event is an error, not an event") {
  const std::string bytes = some_bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Result<Event> read = decode_event(std::string_view(bytes).substr(0, size));
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code == ErrorCode::corrupt);
  }
  CHECK_FALSE(decode_event(bytes + '\0').has_value());
}

TEST_CASE("any bytes at all give an event or an error") {
  check("garbage", [] { (void)decode_event(any_text()); });
  check("one byte changed", [] {
    std::string bytes = some_bytes();
    bytes[*rc::gen::inRange<size_t>(0, bytes.size())] = static_cast<char>(any<uint8_t>());
    const Result<Event> read = decode_event(bytes);
    if (!read) RC_ASSERT(!read.error().message.empty());
  });
}

TEST_CASE("a report whose groups name hosts that are not there is refused") {
  StateReported report;
  report.cluster = "east";
  report.state.groups.push_back({1, 1, false, 0, 0, 2});
  report.state.hosts.push_back({0, 1, 1, true});
  std::string bytes;
  encode_event(report, bytes);
  CHECK_FALSE(decode_event(bytes).has_value());
}
