#include "broker/lab/simulate/member_side.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "broker/lab/simulate/moves.hpp"

using namespace leasehold;
using wire::Lowering;

namespace {

constexpr int64_t kTransferMs = 3'000;

CoreOrder order(uint64_t seq, int32_t limit, Lowering lowering = Lowering::shrink) {
  return {0, 7, seq, {{0, limit, lowering}}, 0};
}

/// A member with 4 slots on one host, as a lease's agent or as one that answers by host.
struct OneHost {
  JobModel model;
  MemberSide side;

  explicit OneHost(bool by_host) : side(0, 7, model, by_host) {
    side.add_host(model.add_host(0, 0));
    const MemberSide::Taken taken = side.take(order(1, 4), kTransferMs, {0});
    CHECK(taken.more);
    CHECK(taken.answers);
  }
  wire::StateBlock stated() {
    wire::StateBlock block;
    side.state(block);
    return block;
  }
};

}  // namespace

TEST_CASE(
    "a lease's member that is to give slots closes them at once and answers when they arrive") {
  OneHost one(false);
  const MemberSide::Taken taken = one.side.take(order(2, 1), kTransferMs, {10});
  CHECK_FALSE(taken.more);
  CHECK_FALSE(taken.answers);
  CHECK(one.side.cap(0) == 1);
  CHECK(one.side.owes_answer());
  CHECK_FALSE(one.side.has_news());
  CHECK(one.side.next_delivery() == Instant{10 + kTransferMs});
  CHECK_FALSE(one.side.deliver({10 + kTransferMs - 1}));
  CHECK(one.side.deliver({10 + kTransferMs}));
  CHECK(one.side.next_delivery() == kNever);
  const wire::StateBlock block = one.stated();
  REQUIRE(block.hosts.size() == 1);
  CHECK(block.groups.front().seq == 2);
  CHECK(block.hosts.front().limit == 1);
}

TEST_CASE("a member keeps slots that its jobs use, and has news when one ends") {
  OneHost one(false);
  one.model.arrive({1, {0}, 500, 3, 0});
  one.model.start({0});
  CHECK(one.side.take(order(2, 1), 0, {10}).answers);
  CHECK(one.side.cap(0) == 3);
  CHECK(one.stated().groups.front().ever_used);
  CHECK_FALSE(one.side.has_news());
  one.model.complete({500});
  CHECK(one.side.has_news());
}

TEST_CASE("an order that comes again changes nothing and is not answered") {
  OneHost one(false);
  const MemberSide::Taken taken = one.side.take(order(1, 0), kTransferMs, {10});
  CHECK_FALSE(taken.answers);
  CHECK(one.side.cap(0) == 4);
  CHECK_FALSE(one.side.owes_answer());
}

TEST_CASE("a member by host answers a release when it has arrived, and other lowerings at once") {
  OneHost one(true);
  CHECK(one.side.take(order(2, 3), kTransferMs, {10}).answers);
  CHECK_FALSE(one.side.take(order(3, 1, Lowering::release), kTransferMs, {20}).answers);
  CHECK(one.side.owes_answer());
}

TEST_CASE(
    "slots of a flip count as moved and on their way, those that nobody used also as unused") {
  MoveCount moves;
  Record flip;
  flip.kind = RecordKind::flip;
  flip.slots = 3;
  flip.reason = Reason::grant_unused;
  CHECK(moves.flipped_at().ms == INT64_MIN);
  moves.count(std::vector<Record>{flip}, {}, {5}, true);
  flip.reason = Reason::none;
  moves.count(std::vector<Record>{flip}, {}, {9}, true);
  CHECK(moves.flips() == 2);
  CHECK(moves.slots() == 6);
  CHECK(moves.slots_in_transfer() == 6);
  CHECK(moves.slots_unused() == 3);
  CHECK(moves.flipped_at() == Instant{9});
}

TEST_CASE("an evaluation of a plan is one flip, whatever it moves, and none if it moves nothing") {
  MoveCount moves;
  Record consumer;
  consumer.kind = RecordKind::consumer;
  moves.count(std::vector<Record>{consumer}, {}, {5}, true);
  CHECK(moves.flips() == 0);
  consumer.slots = 2;
  moves.count(std::vector<Record>{consumer, consumer}, {}, {5}, true);
  CHECK(moves.flips() == 1);
  CHECK(moves.slots() == 0);  // they count when they are granted
}
