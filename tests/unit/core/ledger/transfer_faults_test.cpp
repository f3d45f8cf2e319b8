// Faults happen between release and grant: a member is lost, silent, or gives less than asked.
#include <catch2/catch.hpp>

#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// Returns what `cluster` states of the lease, as an answer to its last order.
StateReported stated(Site& site, const std::string& cluster, std::vector<wire::HostState> rows) {
  const SlotGroup& group = site.group(kPool);
  const uint32_t member = member_of(group, find_cluster(site.state, cluster));
  StateReported event{cluster, site.agent(cluster).session, 0, false, {}};
  event.state.groups = {{group.generation, group.members[member].seq, true, 0, 0,
                         static_cast<uint32_t>(rows.size())}};
  event.state.hosts = std::move(rows);
  return event;
}

/// The last record of a kind.
Record last(const Site& site, RecordKind kind) {
  for (size_t i = site.history.size(); i-- > 0;) {
    if (site.history[i].kind == kind) return site.history[i];
  }
  FAIL("no such record");
  return {};
}

/// Orders on their way to a cluster are lost; configurations are not.
void lose_orders(Site& site, const std::string& cluster) {
  std::erase_if(site.agent(cluster).inbox, [](const wire::Message& message) {
    return std::holds_alternative<wire::Order>(message);
  });
}

/// East's seven idle slots are asked for; nobody has answered.
Site flip_asked() {
  Site site = made(8);
  wait(site, kDelayMs);
  REQUIRE(site.phase(kPool) == "inactive");
  return site;
}

/// West's idle slots of 8, all but 3, are asked for; nobody has answered.
Site return_asked() {
  Site site = borrowed();
  wait(site, kDelayMs);
  REQUIRE(site.phase(kPool) == "inactive");
  return site;
}

}  // namespace

TEST_CASE("a loser that is lost keeps what it holds, and the flip is over") {
  Site site = flip_asked();
  site.lose("east");
  CHECK(site.phase(kPool) == "active");
  CHECK(last(site, RecordKind::transfer_failed).reason == Reason::report_missing);
  CHECK(site.held(kPool, kProvider) == 7);
  site.hello("east");
  site.run_until_idle();
  CHECK(row_of(site, "east").limit == 7);
}

TEST_CASE("a winner that is lost before the grant leaves the slots to the loser") {
  Site site = flip_asked();
  site.lose("west");
  REQUIRE(site.phase(kPool) == "inactive");
  REQUIRE(site.take_one("east"));
  CHECK(site.phase(kPool) == "active");
  CHECK(site.held(kPool, kProvider) == 7);
  CHECK(site.group(kPool).reason == Reason::winner_lost);
  CHECK(last(site, RecordKind::transfer_failed).reason == Reason::winner_lost);
  site.run_until_idle();
  CHECK(row_of(site, "east").limit == 7);
}

TEST_CASE("a provider lost before the grant leaves the slots to the consumer that had them") {
  Site site = return_asked();
  site.lose("east");
  REQUIRE(site.take_one("west"));
  CHECK(site.held(kPool, kConsumer) == 8);
  CHECK(site.phase(kPool) == "active");
  site.run_until_idle();
  CHECK(row_of(site, "west").limit == 8);
}

TEST_CASE("a winner that is lost after the grant holds the slots; the flip is done") {
  Site site = flip_asked();
  REQUIRE(site.take_one("east"));
  REQUIRE(site.held(kPool, kConsumer) == 8);
  site.lose("west");
  CHECK(site.phase(kPool) == "active");
  CHECK(site.group(kPool).transfers.empty());
  CHECK(last(site, RecordKind::transfer_done).reason == Reason::winner_lost);
  site.hello("west");
  site.run_until_idle();
  CHECK(row_of(site, "west").limit == 8);
}

TEST_CASE("a winner that does not answer its grant is told again, and loses nothing") {
  Site site = flip_asked();
  REQUIRE(site.take_one("east"));
  site.agent("west").inbox.clear();
  wait(site, kTimeoutMs - 1);
  CHECK(site.phase(kPool) == "inactive");
  wait(site, 1);
  CHECK(site.phase(kPool) == "active");
  CHECK(last(site, RecordKind::transfer_done).reason == Reason::transfer_timeout);
  CHECK(site.held(kPool, kConsumer) == 8);
  site.run_until_idle();
  CHECK(row_of(site, "west").limit == 8);
}

TEST_CASE("a flip that nobody answered over a whole delay is given up before the next is decided") {
  Site site = flip_asked();
  lose_orders(site, "east");
  wait(site, kDelayMs);  // its time and the next evaluation fall due in one step
  CHECK(last(site, RecordKind::transfer_failed).reason == Reason::transfer_timeout);
  CHECK(site.phase(kPool) == "active");
  CHECK(site.group(kPool).reason == Reason::report_missing);
  site.run_until_idle();
  CHECK(row_of(site, "east").limit == 7);
}

TEST_CASE("an order that belongs to no flip is given again when nobody answered it for long") {
  Site site = made(8);
  site.step(ordered(Command::drain, "west"));
  const uint64_t seq = site.group(kPool).members[kConsumer].seq;
  lose_orders(site, "west");
  site.state.slot_groups[0].dirty = false;
  site.state.dirty_groups.clear();
  wait(site, kDelayMs);
  CHECK(site.group(kPool).members[kConsumer].seq == seq + 1);
  CHECK(site.group(kPool).dirty);  // its number is durable before it leaves
  wait(site, 1);
  CHECK(site.group(kPool).members[kConsumer].seq == seq + 1);
  site.run_until_idle();
  CHECK(site.group(kPool).members[kConsumer].seq_stated == seq + 1);
}

TEST_CASE("an order just given is not given again by an evaluation, nor to who is lost") {
  Site site = made(8);
  site.pass(kDelayMs - 1'000);
  site.step(ordered(Command::drain, "west"));
  const uint64_t seq = site.group(kPool).members[kConsumer].seq;
  site.agent("west").inbox.clear();
  wait(site, 1'000);
  CHECK(site.group(kPool).members[kConsumer].seq == seq);
  site.lose("west");
  wait(site, kDelayMs);
  CHECK(site.group(kPool).members[kConsumer].seq == seq);
}

TEST_CASE("what a winner does not take goes back to the loser") {
  Site site = flip_asked();
  REQUIRE(site.take_one("east"));
  site.step(stated(site, "west", {{0, 5, 1, true, -1}}));
  CHECK(site.held(kPool, kConsumer) == 5);
  CHECK(site.held(kPool, kProvider) == 3);
  CHECK(site.phase(kPool) == "active");
}

TEST_CASE("what a winner does not take stays with it when the loser is lost meanwhile") {
  Site site = flip_asked();
  REQUIRE(site.take_one("east"));
  site.lose("east");
  site.step(stated(site, "west", {{0, 5, 1, true, -1}}));
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE("what a provider does not take does not go back to a consumer that drains meanwhile") {
  Site site = return_asked();
  REQUIRE(site.take_one("west"));
  REQUIRE(site.held(kPool, kProvider) == 5);
  site.step(ordered(Command::drain, "west"));
  site.step(stated(site, "east", {{0, 2, 0, true, 8}}));
  CHECK(site.held(kPool, kProvider) == 5);
}

TEST_CASE("slots that an agent gives up unasked wait for the next evaluation, then go home") {
  Site site = borrowed();
  site.step(stated(site, "west", {{0, 6, 6, true, -1}}));
  CHECK(in_transfer(site.group(kPool)) == 2);
  CHECK(site.phase(kPool) == "active");
  row_of(site, "west").limit = row_of(site, "west").used = 6;
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kProvider) == 2);
}

TEST_CASE("slots given up unasked are kept safe while whoever gave them is lost") {
  Site site = borrowed();
  site.step(stated(site, "west", {{0, 6, 6, true, -1}}));
  row_of(site, "west").limit = row_of(site, "west").used = 6;
  site.lose("west");
  CHECK(in_transfer(site.group(kPool)) == 2);
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kProvider) == 2);
  CHECK(site.held(kPool, kConsumer) == 6);
}

TEST_CASE("slots given up unasked go back to the consumer while its provider is lost") {
  Site site = borrowed();
  site.lose("east");
  row_of(site, "west").limit = row_of(site, "west").used = 6;
  site.step(stated(site, "west", {{0, 6, 6, true, -1}}));
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kConsumer) == 8);
  CHECK(row_of(site, "west").limit == 8);
}

TEST_CASE("a loser's busy rows are not waited for, the others move") {
  Site site = connected(one_pool(2, 4), 2, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  wait(site, kDelayMs);
  row_of(site, "east", 1).used = 4;  // filled since
  REQUIRE(site.take_one("east"));
  CHECK(site.group(kPool).transfers.at(0).wanted ==
        std::vector<std::pair<uint32_t, int32_t>>{{0, 0}});
  site.run_until_idle();
  CHECK(site.group(kPool).at(0, kConsumer).held == 4);
  CHECK(site.group(kPool).at(1, kProvider).held == 4);
  CHECK(last(site, RecordKind::flip).slots == 3);
}

TEST_CASE("a shrink that ends does not end the flip beside it") {
  Site site = connected(one_pool(2, 4), 2, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  site.use("west", kPool, 0, 1);
  site.use("west", kPool, 1, 2);
  site.run_until_idle();
  site.step(ordered(Command::close, "east", "h1"));
  site.run_until_idle();
  REQUIRE(site.group(kPool).transfers.size() == 1);
  wait(site, kDelayMs);  // west's three idle slots of h0 are asked for
  REQUIRE(site.phase(kPool) == "inactive");
  REQUIRE(site.group(kPool).transfers.size() == 2);
  const auto order = site.agent("west").inbox;
  site.agent("west").inbox.clear();
  // Its job on h1 ends under the earlier order; then it is asked again, and answers at once.
  site.step(stated(site, "west", {{0, 4, 1, true, -1}, {1, 0, 0, true, -1}}));
  CHECK(site.group(kPool).at(1, kConsumer).held == 0);
  CHECK(site.phase(kPool) == "active");  // the flip's answer: nothing released
}

TEST_CASE("a shrink hands over while a flip the other way is still unanswered") {
  BrokerConfig config = one_pool(3, 4);
  config.policies[0].initial_slots = 5;
  Site site = connected(config, 3, 4);
  site.use("west", kPool, 0, 4);
  site.use("west", kPool, 1, 1);
  site.run_until_idle();
  site.step(ordered(Command::close, "east", "h1"));
  site.run_until_idle();
  wait(site, kDelayMs);  // east's four idle slots of h2 are asked for
  REQUIRE(site.phase(kPool) == "inactive");
  site.use("west", kPool, 1, 0);
  site.report("west");
  CHECK(site.group(kPool).at(1, kProvider).held == 4);
  CHECK(site.phase(kPool) == "inactive");
  site.run_until_idle();
  CHECK(site.phase(kPool) == "active");
  CHECK(site.group(kPool).at(2, kConsumer).held == 4);
}

TEST_CASE("a shrink waits for its agent to come back, and asks for the same then") {
  Site site = borrowed();
  site.step(ordered(Command::drain, "west"));
  site.run_until_idle();
  REQUIRE(site.held(kPool, kConsumer) == 3);
  site.lose("west");
  CHECK(site.group(kPool).transfers.size() == 1);
  site.hello("west");
  site.run_until_idle();
  CHECK(row_of(site, "west").shrink_to == 0);
  site.use("west", kPool, 0, 2);
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 2);
}

TEST_CASE("slots freed for a provider that is lost wait for it in transfer") {
  Site site = borrowed();
  site.step(ordered(Command::drain, "west"));
  site.run_until_idle();
  site.lose("east");
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  CHECK(in_transfer(site.group(kPool)) == 2);
  CHECK(site.held(kPool, kProvider) == 5);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  CHECK(in_transfer(site.group(kPool)) == 3);
  CHECK(site.group(kPool).transfers.size() == 1);  // not done before it is handed over
  site.hello("east");
  site.run_until_idle();
  CHECK(site.held(kPool, kProvider) == 8);
  CHECK(site.group(kPool).transfers.empty());
}

TEST_CASE("a shrink that gives back nothing in a statement says nothing") {
  Site site = borrowed();
  site.step(ordered(Command::drain, "west"));
  site.run_until_idle();
  const int released = site.count(RecordKind::transfer_released);
  site.agent("west").groups.begin()->second.rows[0].up = false;
  site.run_until_idle();
  CHECK(site.count(RecordKind::transfer_released) == released);
  CHECK(site.held(kPool, kConsumer) == 3);
}

TEST_CASE("slots freed above a smaller export wait for a lost provider and do not go to and fro") {
  Site site = borrowed();
  site.use("west", kPool, 0, 8);
  site.run_until_idle();
  BrokerConfig less = site.state.config;
  less.policies[0].slots_per_host = 4;
  site.load(less);
  site.run_until_idle();
  site.lose("east");
  site.use("west", kPool, 0, 6);
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 6);
  CHECK(in_transfer(site.group(kPool)) == 2);
  site.hello("east");
  site.run_until_idle();
  CHECK(exported(site.group(kPool)) == 6);
}

TEST_CASE("a draining group whose last slots come home late closes with them") {
  Site site = borrowed();
  BrokerConfig without = site.state.config;
  without.policies.clear();
  site.load(without);
  site.run_until_idle();
  site.lose("east");
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  REQUIRE(in_transfer(site.state.slot_groups[0]) == 3);
  site.step(ordered(Command::resume, "west"));  // its slots are asked back all the same
  REQUIRE(site.phase(kPool) == "draining");
  site.hello("east");
  site.run_until_idle();
  CHECK(site.state.slot_groups[0].phase == Phase::closed);
  CHECK(site.enforced("east", 0) == 8);
}
