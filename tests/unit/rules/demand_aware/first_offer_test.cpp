// A lease that is not made yet offers the slots that start the smallest job, where it fits, with
// those that are there.
#include "broker/rules/demand_aware/first_offer.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/rules/demand_aware/view.hpp"

using namespace leasehold;
using namespace leasehold::demand_aware;
using namespace leasehold::demand_aware::test;

namespace {

struct Case {
  const char* what;
  std::vector<std::pair<int32_t, int32_t>> idle;  // of the provider and of the consumer
  std::vector<Waiting> waiting;
  int64_t first;                  // slots
  std::vector<RowSlots> moves;    // to the consumer
  std::vector<RowSlots> go_home;  // of what it has
};

void check(const Case& row) {
  INFO(row.what);
  const View some = view(row.idle, {}, row.waiting);
  const Answer answer = first_offer(some, {}, row.first);
  CHECK(answer.moves == row.moves);
  CHECK(answer.reclaims == row.go_home);
  CHECK((answer.to == kConsumer) == !row.moves.empty());
  CHECK(answer.ledger.grant.slots == answer.slots());
}

}  // namespace

TEST_CASE("the smallest job that fits is offered its slots, where it starts") {
  const Case cases[] = {
      {"with the first slot", {{3, 1}}, {jobs(2, 1, 2)}, 1, {{0, 1}}, {}},
      {"before the first slot is there", {{4, 0}}, {jobs(2, 1, 2)}, 1, {{0, 2}}, {}},
      {"elsewhere; the first slot goes home",
       {{0, 1}, {4, 0}},
       {jobs(2, 1, 2)},
       1,
       {{1, 2}},
       {{0, 1}}},
      {"as many stay as there are first slots",
       {{0, 3}, {4, 0}},
       {jobs(4, 1, 4)},
       5,
       {{1, 4}},
       {{0, 2}}},
      {"the smallest of several",
       {{8, 0}},
       {jobs(4, 1, 4), jobs(2, 1, 2), jobs(3, 1, 3)},
       1,
       {{0, 2}},
       {}},
      {"the smallest does not fit", {{6, 0}}, {jobs(1, 4, 4), jobs(5, 1, 5)}, 1, {{0, 5}}, {}},
      {"one job of many", {{8, 0}}, {jobs(2, 1, 2, 100)}, 1, {{0, 2}}, {}},
      {"over hosts", {{3, 1}, {4, 0}}, {jobs(2, 2, 4)}, 1, {{0, 1}, {1, 2}}, {}},
      {"what is there starts it", {{3, 2}}, {jobs(2, 1, 2)}, 1, {}, {}},
      {"nothing fits", {{1, 0}, {1, 0}}, {jobs(2, 1, 2)}, 1, {}, {}},
      {"nobody waits", {{3, 1}}, {}, 1, {}, {}},
  };
  for (const Case& row : cases) check(row);
}

TEST_CASE("a job that starts on what is there, and does not, keeps no other waiting") {
  const Case cases[] = {
      {"the other", {{3, 1}}, {jobs(2, 1, 2), loose(1)}, 1, {{0, 2}}, {}},
      {"the slot that it would start on stays",
       {{0, 3}, {4, 0}},
       {loose(1), jobs(4, 1, 4)},
       1,
       {{1, 4}},
       {{0, 2}}},
  };
  for (const Case& row : cases) check(row);
}

TEST_CASE("a consumer that claims work and starts none has its slots once, then ever later") {
  View some = view({{3, 1}}, {}, {jobs(2, 1, 2)});
  Ledger ledger;
  std::vector<int64_t> waited_ms;
  Instant back = some.now;
  for (int round = 0; round < 4; ++round) {
    Answer answer = first_offer(some, ledger, 1);
    while (answer.slots() == 0) {
      CHECK(answer.reason == Reason::unused_before);
      some.now = some.now + 60'000;
      answer = first_offer(some, answer.ledger, 1);
    }
    REQUIRE(answer.to == kConsumer);
    if (round > 0) waited_ms.push_back(some.now - back);
    some.rows[0].idle = {2, 2};
    noted_use(answer.ledger, kConsumer, 2);
    some.now = some.now + (some.settings.use_by_ms - 1);
    answer = first_offer(some, answer.ledger, 1);
    CHECK(answer.slots() == 0);
    some.now = some.now + 1;
    answer = first_offer(some, answer.ledger, 1);
    CHECK(answer.reason == Reason::grant_unused);
    CHECK(answer.to == kProvider);
    CHECK(answer.moves == std::vector<RowSlots>{{0, 1}});
    some.rows[0].idle = {3, 1};
    back = some.now;
    ledger = answer.ledger;
  }
  CHECK(waited_ms == std::vector<int64_t>{600'000, 1'200'000, 2'400'000});
}

TEST_CASE("an offer that is used is no more looked after, and its work need not wait") {
  View some = view({{3, 1}}, {}, {jobs(2, 1, 2)});
  Ledger ledger;
  ledger.back_offs = {{kConsumer, {2, 1, 2}, some.now, 3}};
  Answer answer = first_offer(some, ledger, 1);
  REQUIRE(answer.to == kConsumer);
  some.rows[0].idle = {2, 0};
  some.sides[kConsumer].waiting.clear();
  noted_use(answer.ledger, kConsumer, 0);
  answer = first_offer(some, answer.ledger, 1);
  CHECK(answer.slots() == 0);
  CHECK(answer.ledger.grant.to == kNobody);
  CHECK(answer.ledger.back_offs.empty());
}

TEST_CASE("of an offer that came in part that part goes back, and its work had to wait for it") {
  Ledger ledger;
  ledger.grant = {kConsumer, 3, 3, kNoon, {{3, 1, 3}}};
  Ledger none = ledger;
  noted_failure(none, kConsumer, 0);
  CHECK(none.grant.to == kNobody);
  noted_failure(ledger, kConsumer, 2);
  View some = view({{1, 3}}, {}, {jobs(3, 1, 3)});
  some.now = kNoon + some.settings.use_by_ms;
  const Answer answer = first_offer(some, ledger, 1);
  CHECK(answer.to == kProvider);
  CHECK(answer.moves == std::vector<RowSlots>{{0, 2}});
  CHECK(answer.ledger.back_offs.empty());
}

TEST_CASE("an offer of which all came is judged as ever, though its transfer failed in the end") {
  Ledger ledger;
  ledger.grant = {kConsumer, 3, 3, kNoon, {{3, 1, 3}}};
  noted_failure(ledger, kConsumer, 3);
  View some = view({{0, 4}}, {}, {jobs(3, 1, 3)});
  some.now = kNoon + some.settings.use_by_ms;
  CHECK(first_offer(some, ledger, 1).ledger.back_offs.size() == 1);
}

TEST_CASE("of hosts that move whole the one that was offered first stays") {
  View some = view({{8, 0}, {8, 0}}, {}, {jobs(8, 2, 16)});
  for (IdleRow& row : some.rows) row.whole = true;
  Answer answer = first_offer(some, {}, 1);
  REQUIRE(answer.moves == std::vector<RowSlots>{{0, 8}, {1, 8}});
  some.rows[0].idle = some.rows[1].idle = {0, 8};
  some.now = some.now + some.settings.use_by_ms;
  answer = first_offer(some, answer.ledger, 1);
  CHECK(answer.to == kProvider);
  CHECK(answer.moves == std::vector<RowSlots>{{1, 8}});
  some.rows[1].idle = {8, 0};
  answer = first_offer(some, answer.ledger, 1);
  CHECK(answer.slots() == 0);
}
