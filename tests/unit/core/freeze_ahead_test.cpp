// A freeze that is ordered for later: it begins by the broker's own deadline, replaces the freeze
// in force then, and is dropped by thaw alone.
#include <catch2/catch.hpp>

#include "broker/core/model/turn/deadlines.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kMinute = 60'000;

/// One host of 4 slots, all the consumer's and idle: they go home at the next evaluation.
Site lent() {
  Site site = connected(one_pool(1, 4), 1, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  site.pass(10 * kMinute);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  REQUIRE(site.held(kPool, kConsumer) == 4);
  return site;
}

OperatorCommand freeze(std::optional<Instant> from, Instant until = kNever) {
  OperatorCommand made = ordered(Command::freeze);
  made.where = "10.0.0.7";
  made.why = "new switches";
  made.from = from;
  made.until = until;
  return made;
}

std::vector<const Record*> commands(const Site& site) {
  std::vector<const Record*> found;
  for (const Record& row : site.history) {
    if (row.kind == RecordKind::operator_command) found.push_back(&row);
  }
  return found;
}

}  // namespace

TEST_CASE("a freeze for later is kept at once, and begins and ends at its times") {
  Site site = lent();
  const Instant from = site.now + 5 * kMinute;
  const Instant until = site.now + 25 * kMinute;
  site.step(freeze(from, until));
  CHECK_FALSE(site.state.frozen);
  const OrderInForce order{"ana", "10.0.0.7", "new switches", site.now, until, from};
  CHECK(site.state.freeze_ahead == order);
  CHECK(commands(site).back()->audit->options ==
        "--from " + format_utc(from) + " --until " + format_utc(until));
  CHECK(site.state.operator_order_next == from);
  site.pass(5 * kMinute - 1);
  CHECK_FALSE(site.state.frozen);
  site.pass(1);
  CHECK(site.state.frozen);
  CHECK_FALSE(site.state.freeze_ahead);
  CHECK(site.state.freeze_order == order);
  const Record& begun = *commands(site).back();
  CHECK(begun.reason == Reason::operator_order);
  CHECK(begun.audit->verb == "freeze");
  CHECK(begun.audit->by == "broker");
  CHECK(begun.audit->why == "the time that ana gave the order has come");
  CHECK(begun.audit->options == "--until " + format_utc(until));
  site.pass(19 * kMinute);
  CHECK(site.held(kPool, kConsumer) == 4);  // evaluations came and moved nothing
  site.pass(kMinute);
  CHECK_FALSE(site.state.frozen);
  CHECK(commands(site).back()->reason == Reason::order_over);
  site.pass(10 * kMinute);
  CHECK(site.held(kPool, kProvider) == 4);
  CHECK(site.state.operator_order_next == kNever);
}

TEST_CASE("slots move as ever until a freeze begins") {
  Site site = lent();
  site.step(freeze(site.now + 15 * kMinute));
  site.pass(14 * kMinute);
  CHECK(site.held(kPool, kProvider) == 4);
}

TEST_CASE("a freeze from a time that is past begins at once") {
  Site site = lent();
  site.step(freeze(site.now + GENERATE(0 * kMinute, -1 * kMinute)));
  CHECK(site.state.frozen);
  CHECK_FALSE(site.state.freeze_order.from);
  CHECK_FALSE(site.state.freeze_ahead);
}

TEST_CASE("thaw drops a freeze ahead, whether all is frozen or not") {
  Site site = lent();
  site.step(freeze(site.now + kMinute));
  if (GENERATE(false, true)) site.step(freeze({}));
  site.step(ordered(Command::thaw));
  CHECK_FALSE(site.state.frozen);
  CHECK_FALSE(site.state.freeze_ahead);
  CHECK(site.state.operator_order_next == kNever);
  site.pass(2 * kMinute);
  CHECK_FALSE(site.state.frozen);
}

TEST_CASE("the end of a freeze leaves the one ahead, which replaces the one that is in force") {
  Site site = lent();
  const Instant from = site.now + 10 * kMinute;
  const Instant end = site.now + GENERATE(5 * kMinute, 10 * kMinute, 15 * kMinute);
  site.step(freeze(from, from + 10 * kMinute));
  site.step(freeze({}, end));
  CHECK(site.state.frozen);
  site.pass(5 * kMinute);
  CHECK(site.state.frozen == (end > site.now));
  REQUIRE(site.state.freeze_ahead);
  site.pass(5 * kMinute);
  CHECK(site.state.frozen);
  CHECK(site.state.freeze_order.from == from);
  site.pass(9 * kMinute);
  CHECK(site.state.frozen);
  site.pass(kMinute);
  CHECK_FALSE(site.state.frozen);
}

TEST_CASE("a freeze that begins by itself ends none sooner that is in force") {
  Site site = lent();
  const Instant from = site.now + 10 * kMinute;
  const Instant end = GENERATE(Instant{0}, kNever);
  site.step(freeze(from, from + 10 * kMinute));
  site.step(freeze({}, end == kNever ? end : from + 15 * kMinute));
  site.pass(10 * kMinute);
  CHECK(site.state.freeze_order.from == from);
  site.pass(14 * kMinute);
  CHECK(site.state.frozen);
  site.pass(kMinute);
  CHECK(site.state.frozen == (end == kNever));
}

TEST_CASE("a second freeze for later replaces the first") {
  Site site = lent();
  site.step(freeze(site.now + kMinute));
  site.step(freeze(site.now + 3 * kMinute));
  site.pass(2 * kMinute);
  CHECK_FALSE(site.state.frozen);
  site.pass(kMinute);
  CHECK(site.state.frozen);
}

TEST_CASE("a freeze ahead lives through a start of the broker before, during and after its begin") {
  Site site = lent();
  const int64_t down_ms = GENERATE(1 * kMinute, 5 * kMinute, 7 * kMinute);
  const Instant from = site.now + 5 * kMinute;
  site.step(freeze(from, from + 10 * kMinute));
  site.now = site.now + down_ms;
  site.restart_broker(GENERATE(false, true));
  CHECK(next_deadline(site.state) <= from);
  site.pass(1);
  CHECK(site.state.frozen == (site.now >= from));
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  site.pass(from + 9 * kMinute - site.now);
  CHECK(site.state.frozen);
  CHECK(site.held(kPool, kConsumer) == 4);
  site.pass(kMinute);
  CHECK_FALSE(site.state.frozen);
}

TEST_CASE("a freeze whose whole time passed while no broker ran is recorded, and over") {
  Site site = lent();
  site.step(freeze(site.now + kMinute, site.now + 2 * kMinute));
  site.now = site.now + 3 * kMinute;
  site.restart_broker();
  const size_t before = commands(site).size();
  site.pass(1);
  CHECK_FALSE(site.state.frozen);
  CHECK_FALSE(site.state.freeze_ahead);
  REQUIRE(commands(site).size() == before + 2);
  CHECK(commands(site)[before]->audit->verb == "freeze");
  CHECK(commands(site)[before + 1]->audit->verb == "thaw");
}
