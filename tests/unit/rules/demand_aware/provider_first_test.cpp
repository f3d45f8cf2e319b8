// demand-aware with provider_first: what the provider's waiting work takes from the consumer's.
#include <catch2/catch.hpp>

#include "tests/unit/rules/demand_aware/view.hpp"

using namespace leasehold;
using namespace leasehold::demand_aware;
using namespace leasehold::demand_aware::test;

namespace {

struct ProviderRow {
  int32_t provider_idle = 0;
  int32_t consumer_idle = 0;
  int32_t in_use = 0;  // by the consumer
  int32_t on_way = 0;
};

View first_view(const std::vector<ProviderRow>& rows, std::vector<Waiting> provider,
                std::vector<Waiting> consumer = {}) {
  View made = view({}, std::move(provider), std::move(consumer));
  for (const ProviderRow& row : rows) {
    made.rows.push_back({{row.provider_idle, row.consumer_idle}, {}, row.in_use, row.on_way});
  }
  made.exported.assign(rows.size(), 16);
  made.slots = static_cast<int64_t>(16 * rows.size());
  made.settings.provider_first = true;
  return made;
}

using Slots = std::vector<RowSlots>;

}  // namespace

TEST_CASE("provider_first: slots in use are reclaimed for the provider's work, idle ones first") {
  struct Case {
    const char* what;
    std::vector<ProviderRow> rows;
    std::vector<Waiting> provider;
    Slots moves;
    Slots reclaims;
  };
  const std::vector<Case> cases{
      {"all in use", {{0, 0, 16}}, {loose(1, 3)}, {}, {{0, 3}}},
      {"idle ones are enough", {{0, 4, 12}}, {loose(1, 3)}, {{0, 3}}, {}},
      {"idle ones, and the rest from another host",
       {{0, 4, 0}, {0, 0, 12}},
       {loose(1, 6)},
       {{0, 4}},
       {{1, 2}}},
      {"of one host both come the same way", {{0, 4, 12}}, {loose(1, 6)}, {}, {{0, 6}}},
      {"its own first", {{5, 0, 11}}, {loose(1, 6)}, {}, {{0, 1}}},
      {"what is on its way is not asked for again", {{0, 0, 0, 4}}, {loose(1, 4)}, {}, {}},
      {"as much as exists", {{0, 0, 4}}, {loose(1, 100)}, {}, {{0, 4}}},
      {"where it fits", {{0, 0, 4}, {0, 0, 12}}, {jobs(8, 1, 8)}, {}, {{1, 8}}},
      {"where it fits nowhere nobody's work ends", {{0, 0, 4}, {0, 0, 4}}, {jobs(8, 1, 8)}, {}, {}},
      {"over hosts", {{0, 0, 8}, {0, 0, 8}}, {jobs(8, 2, 16)}, {}, {{0, 8}, {1, 8}}},
  };
  for (const Case& one : cases) {
    INFO(one.what);
    const Answer answer = decide(first_view(one.rows, one.provider), {});
    CHECK(answer.moves == one.moves);
    CHECK(answer.reclaims == one.reclaims);
    if (!one.reclaims.empty()) {
      CHECK(answer.to == kProvider);
      const bool alone = one.moves.empty();
      CHECK(answer.reason == (alone ? Reason::provider_first : Reason::provider_waits));
    }
  }
}

TEST_CASE("provider_first: without it, and for the consumer, nothing in use is taken") {
  View some = first_view({{0, 0, 16}}, {loose(1, 3)});
  some.settings.provider_first = false;
  CHECK(decide(some, {}).reclaims.empty());
  CHECK(decide(first_view({{0, 0, 16}}, {}, {loose(1, 3)}), {}).reclaims.empty());
}

TEST_CASE("provider_first: a host that moves as a whole is reclaimed as a whole") {
  View some = first_view({{0, 0, 16}}, {loose(1, 3)});
  some.rows[0].whole = true;
  CHECK(decide(some, {}).reclaims == Slots{{0, 16}});
}

TEST_CASE("provider_first: however long the consumer has waited, the provider's work is next") {
  View some = first_view({{8, 0, 8}}, {jobs(16, 1, 16)}, {loose(1, 4)});
  Ledger ledger;
  ledger.waited_slot_s = {0, 1'000'000};
  const Answer answer = decide(some, ledger);
  CHECK(answer.to == kProvider);
  CHECK(answer.reclaims == Slots{{0, 8}});
}

TEST_CASE("provider_first: work that left what it was given unused ends nobody's work again soon") {
  View some = first_view({{0, 0, 16}}, {loose(1, 4)});
  Answer answer = decide(some, {});
  REQUIRE(answer.reclaims == Slots{{0, 4}});
  some.rows[0] = {{0, 0}, {}, 0, 4};
  some.now = some.now + 10 * some.settings.use_by_ms;  // its grace is long
  answer = decide(some, answer.ledger);
  CHECK(answer.ledger.grant.to == kProvider);
  CHECK(answer.ledger.back_offs.empty());
  answer.ledger.grant.at = some.now;  // they come, and nothing starts there
  some.rows[0] = {{4, 0}, {}, 12, 0};
  some.now = some.now + some.settings.use_by_ms;
  answer = decide(some, answer.ledger);
  REQUIRE(answer.ledger.back_offs.size() == 1);
  some.rows[0] = {{0, 0}, {}, 16, 0};
  answer = decide(some, answer.ledger);
  CHECK(answer.reclaims.empty());
  CHECK(answer.reason == Reason::unused_before);
}

TEST_CASE(
    "provider_first: what the consumer was given stays until it could use it, a delay at most") {
  View some = first_view({{4, 0, 0}}, {}, {loose(4)});
  some.settings.delay_ms = 30'000;
  Answer answer = decide(some, {});
  REQUIRE(answer.to == kConsumer);
  answer.ledger.pace.moving = Instant{INT64_MIN};  // they are there
  some.rows[0] = {{0, 4}, {}, 0, 0};
  some.now = some.now + 29'000;
  CHECK(decide(some, answer.ledger).slots() == 0);
  View taken = some;
  taken.sides[kProvider].waiting = {loose(1)};
  CHECK(decide(taken, answer.ledger).reason == Reason::provider_waits);
  some.now = some.now + 1'000;
  answer = decide(some, answer.ledger);
  CHECK(answer.reason == Reason::grant_unused);
  CHECK(answer.slots() == 4);
  CHECK(answer.ledger.back_offs.size() == 1);
}

// They went there and back every minute and a half, for hours.
TEST_CASE("provider_first: slots that the consumer never uses are given to it ever more rarely") {
  View some = first_view({{4, 0, 0}}, {}, {loose(4)});
  some.settings.delay_ms = 30'000;
  Ledger ledger;
  int given = 0;
  for (int evaluation = 0; evaluation < 120; ++evaluation) {
    const Answer answer = decide(some, ledger);
    ledger = answer.ledger;
    ledger.pace.moving = Instant{INT64_MIN};
    given += answer.slots() > 0 && answer.to == kConsumer ? 1 : 0;
    if (answer.slots() > 0) std::swap(some.rows[0].idle[0], some.rows[0].idle[1]);
    some.now = some.now + some.settings.delay_ms;
  }
  CHECK(given >= 3);
  CHECK(given <= 7);
}

TEST_CASE(
    "provider_first: what a slow consumer does not give back keeps no slots in use from the "
    "provider") {
  View some = first_view({{0, 2, 0}, {0, 0, 12}}, {loose(1, 6)});
  Ledger ledger;
  ledger.left_unused = 2;
  Answer answer = decide(some, ledger);
  CHECK(answer.moves == Slots{{0, 2}});
  CHECK(answer.reclaims == Slots{{1, 4}});
  CHECK(answer.ledger.left_unused == 2);
  some.sides[kProvider].waiting.clear();
  some.rows[1] = {{0, 0}, {}, 8, 4};
  answer = decide(some, answer.ledger);
  CHECK(answer.reason == Reason::grant_unused);
  CHECK(answer.slots() == 2);
}
