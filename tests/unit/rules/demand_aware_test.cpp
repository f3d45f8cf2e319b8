// demand-aware: who is served, with what, and when nothing moves. A table of single answers; then
// every small state, played on until it is at rest; then what the rule remembers.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/rules/demand_aware/decide.hpp"
#include "broker/rules/demand_aware/packing.hpp"

using namespace leasehold;
using namespace leasehold::demand_aware;

namespace {

constexpr Instant kNoon{43'200'000};

Waiting jobs(int32_t slots_per_host, int32_t hosts, int64_t slots, int64_t count = 1) {
  Waiting waiting;
  waiting.shape = {slots_per_host, hosts, slots};
  waiting.jobs = count;
  return waiting;
}
/// Slots wherever they are.
Waiting loose(int64_t slots, int64_t count = 1) {
  return jobs(1, 1, slots, count);
}

/// One host a pair: idle slots of the provider and of the consumer; 16 slots each are exported.
View view(std::vector<std::pair<int32_t, int32_t>> idle, std::vector<Waiting> provider,
          std::vector<Waiting> consumer) {
  View made;
  made.now = kNoon;
  for (const auto& [east, west] : idle) made.rows.push_back({{east, west}});
  made.exported.assign(made.rows.size(), 16);
  made.slots = static_cast<int64_t>(16 * made.rows.size());
  made.sides[kProvider].waiting = std::move(provider);
  made.sides[kConsumer].waiting = std::move(consumer);
  return made;
}

struct Row {
  const char* what;
  View view;
  Reason reason;
  uint8_t to;
  std::vector<RowSlots> moves;
};

}  // namespace

namespace {

std::vector<Row> of_one_host() {
  return {
      {"nobody waits", view({{8, 0}}, {}, {}), Reason::no_taker, kNobody, {}},
      {"as many as the work takes",
       view({{8, 0}}, {}, {loose(3)}),
       Reason::consumer_waits,
       kConsumer,
       {{0, 3}}},
      {"several jobs",
       view({{8, 0}}, {}, {loose(3, 5)}),
       Reason::consumer_waits,
       kConsumer,
       {{0, 6}}},
      {"home again", view({{0, 5}}, {loose(2)}, {}), Reason::provider_waits, kProvider, {{0, 2}}},
      {"what it has itself needs no move",
       view({{8, 4}}, {}, {loose(4)}),
       Reason::shape_misfit,
       kNobody,
       {}},
      {"what it lacks is moved",
       view({{8, 3}}, {}, {loose(4)}),
       Reason::consumer_waits,
       kConsumer,
       {{0, 1}}},
      {"nothing is idle", view({{0, 0}}, {}, {loose(4)}), Reason::none_idle, kNobody, {}},
  };
}

std::vector<Row> of_hosts_and_sides() {
  return {
      {"too narrow a host",
       view({{4, 0}, {4, 0}}, {}, {jobs(32, 1, 32)}),
       Reason::shape_misfit,
       kNobody,
       {}},
      {"the host that is wide enough",
       view({{2, 0}, {8, 0}}, {}, {jobs(8, 1, 8)}),
       Reason::consumer_waits,
       kConsumer,
       {{1, 8}}},
      {"both sides' slots of one host",
       view({{5, 3}, {5, 0}}, {}, {jobs(8, 1, 8)}),
       Reason::consumer_waits,
       kConsumer,
       {{0, 5}}},
      {"two hosts",
       view({{4, 0}, {4, 0}, {4, 0}}, {}, {jobs(4, 2, 8)}),
       Reason::consumer_waits,
       kConsumer,
       {{0, 4}, {1, 4}}},
      {"what fits of a bucket behind one that does not",
       view({{4, 0}}, {}, {jobs(32, 2, 64), loose(2)}),
       Reason::consumer_waits,
       kConsumer,
       {{0, 2}}},
      {"both want: the provider where they waited alike",
       view({{2, 2}}, {loose(4)}, {loose(4)}),
       Reason::provider_waits,
       kProvider,
       {{0, 2}}},
      {"kept together for a wide one",
       view({{3, 0}}, {}, {loose(10)}),
       Reason::gathering,
       kConsumer,
       {{0, 3}}},
      {"a job that is wider than all there is",
       view({{3, 0}}, {}, {loose(17)}),
       Reason::shape_misfit,
       kNobody,
       {}},
  };
}

}  // namespace

TEST_CASE("slots go to whoever can use them where they are, and else stay") {
  std::vector<Row> rows = of_one_host();
  for (Row& row : of_hosts_and_sides()) rows.push_back(std::move(row));
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const Answer answer = decide(row.view, {});
    CHECK(token(answer.reason) == token(row.reason));
    CHECK(answer.to == row.to);
    CHECK(answer.moves == row.moves);
  }
}

TEST_CASE("idle slots outside the group count, unless the work could be on them already") {
  View some = view({{8, 0}}, {}, {loose(10)});
  some.sides[kConsumer].elsewhere = {6};
  CHECK(decide(some, {}).moves == std::vector<RowSlots>{{0, 4}});
  some.sides[kConsumer].elsewhere = {12};  // it waits although it would fit: they are not for it
  some.sides[kConsumer].slots_elsewhere = 12;
  CHECK(decide(some, {}).reason == Reason::gathering);
  some.sides[kConsumer].waiting = {loose(8)};
  CHECK(decide(some, {}).moves == std::vector<RowSlots>{{0, 8}});
}

TEST_CASE("rows that will not do for a bucket are left alone") {
  View some = view({{8, 0}, {8, 0}}, {}, {loose(4)});
  some.sides[kConsumer].waiting[0].rows = {0b10};
  CHECK(decide(some, {}).moves == std::vector<RowSlots>{{1, 4}});
}

namespace {

/// A lease where jobs start when they fit and never end.
struct World {
  View view;
  Ledger ledger;
  int64_t moved = 0;
  int evaluations = 0;

  int64_t idle(uint8_t member) const {
    int64_t sum = 0;
    for (const IdleRow& row : view.rows) sum += row.idle[member];
    return sum;
  }
  /// True: some slot moved.
  bool evaluate() {
    const Answer answer = decide(view, ledger);
    for (const RowSlots& row : answer.moves) {
      REQUIRE(row.slots <= view.rows[row.row].idle[other(answer.to)]);
      view.rows[row.row].idle[other(answer.to)] -= row.slots;
      view.rows[row.row].idle[answer.to] += row.slots;
    }
    const int64_t taken = start(kProvider) + start(kConsumer);
    // Slots go where they make work start, or are gathered.
    if (answer.slots() > 0) REQUIRE((taken > 0 || answer.reason == Reason::gathering));
    ledger = answer.ledger;
    for (const uint8_t m : {kProvider, kConsumer}) noted_use(ledger, m, idle(m));
    view.now = view.now + view.settings.delay_ms;
    moved += answer.slots();
    ++evaluations;
    return answer.slots() > 0;
  }

 private:
  /// One job after the other, each on one host or loose; returns the slots they took.
  int64_t start(uint8_t member) {
    int64_t taken = 0;
    for (Waiting& waiting : view.sides[member].waiting) {
      while (waiting.jobs > 0 && place(member, waiting.shape)) {
        --waiting.jobs;
        taken += waiting.shape.slots;
      }
    }
    std::erase_if(view.sides[member].waiting, [](const Waiting& one) { return one.jobs == 0; });
    return taken;
  }
  bool place(uint8_t member, const Shape& shape) {
    const bool whole = shape.slots_per_host > 1;
    if (!whole && idle(member) < shape.slots) return false;
    int64_t left = shape.slots;
    for (IdleRow& row : view.rows) {
      if (whole && row.idle[member] < shape.slots) continue;
      const auto some = static_cast<int32_t>(std::min<int64_t>(left, row.idle[member]));
      row.idle[member] -= some;
      left -= some;
      if (left == 0) return true;
    }
    return left == 0;
  }
};

std::vector<std::vector<Waiting>> queues() {
  return {{},
          {loose(1, 3)},
          {loose(4)},
          {loose(3), loose(1)},
          {jobs(2, 1, 2, 2)},
          {jobs(4, 1, 4), loose(2)}};
}

}  // namespace

TEST_CASE("from every small state a lease comes to rest, and no slot moved without a use") {
  int worlds = 0;
  for (int code = 0; code < 625; ++code) {  // two hosts, 0 to 4 idle slots a member
    const auto digit = [code](int place) { return code / place % 5; };
    for (const auto& east : queues()) {
      for (const auto& west : queues()) {
        World world{view({{digit(1), digit(5)}, {digit(25), digit(125)}}, east, west), {}, 0, 0};
        int last = 0;
        while (world.evaluations < 40) {
          if (world.evaluate()) last = world.evaluations;
        }
        CAPTURE(code, world.moved);
        // At most one move a job that is served and one that is gathered for; what is gathered for
        // both sides in vain goes to and fro, twice in the time of one gathering and its rest.
        const bool wide =
            world.ledger.gathering.member != kNobody || !world.ledger.back_offs.empty();
        REQUIRE((last <= 12 || wide));
        ++worlds;
      }
    }
  }
  CHECK(worlds == 625 * 36);
}

TEST_CASE("hosts in another order give the same answer, slot for slot of them") {
  for (int code = 0; code < 625; ++code) {
    const auto digit = [code](int place) { return code / place % 5; };
    for (const auto& east : queues()) {
      for (const auto& west : queues()) {
        const std::pair<int32_t, int32_t> a{digit(1), digit(5)};
        const std::pair<int32_t, int32_t> b{digit(25), digit(125)};
        const Answer one = decide(view({a, b}, east, west), {});
        const Answer two = decide(view({b, a}, east, west), {});
        REQUIRE(one.reason == two.reason);
        REQUIRE(one.to == two.to);
        REQUIRE(one.slots() == two.slots());
      }
    }
  }
}

TEST_CASE("a grant that is not used goes back, and the shape waits twice as long each time") {
  View some = view({{8, 0}}, {}, {loose(4)});
  Ledger ledger;
  std::vector<int64_t> waited_ms;
  Instant back = some.now;
  for (int round = 0; round < 4; ++round) {
    Answer answer = decide(some, ledger);
    while (answer.slots() == 0) {
      CHECK(token(answer.reason) == token(Reason::unused_before));
      some.now = some.now + 60'000;
      answer = decide(some, answer.ledger);
    }
    REQUIRE(answer.to == kConsumer);
    if (round > 0) waited_ms.push_back(some.now - back);
    some.rows[0].idle = {4, 4};
    noted_use(answer.ledger, kConsumer, 4);
    some.now = some.now + some.settings.use_by_ms;
    answer = decide(some, answer.ledger);
    REQUIRE(token(answer.reason) == token(Reason::grant_unused));
    REQUIRE(answer.to == kProvider);
    REQUIRE(answer.slots() == 4);
    some.rows[0].idle = {8, 0};
    back = some.now;
    ledger = answer.ledger;
  }
  CHECK(waited_ms == std::vector<int64_t>{600'000, 1'200'000, 2'400'000});
  SECTION("another shape need not wait") {
    some.sides[kConsumer].waiting = {loose(3)};
    CHECK(decide(some, ledger).to == kConsumer);
  }
}

TEST_CASE("a grant that was used in between is used, whatever is idle when its time is over") {
  View some = view({{8, 0}}, {}, {loose(4)});
  Answer answer = decide(some, {});
  some.rows[0].idle = {4, 4};
  noted_use(answer.ledger, kConsumer, 4);
  noted_use(answer.ledger, kConsumer, 0);
  noted_use(answer.ledger, kConsumer, 4);
  some.now = some.now + some.settings.use_by_ms;
  some.sides[kConsumer].waiting.clear();
  answer = decide(some, answer.ledger);
  CHECK(token(answer.reason) == token(Reason::no_taker));
  CHECK(answer.ledger.back_offs.empty());
  CHECK(answer.ledger.grant.to == kNobody);
}

TEST_CASE("the consumer's next move waits for min_hold, the provider's does not") {
  View some = view({{8, 0}}, {}, {loose(4)});
  const Answer first = decide(some, {});
  some.rows[0].idle = {4, 0};
  some.now = some.now + 10'000;
  Ledger used = first.ledger;
  noted_use(used, kConsumer, 0);
  CHECK(token(decide(some, used).reason) == token(Reason::min_hold));
  some.rows[0].idle = {0, 4};
  some.sides[kProvider].waiting = {loose(2)};
  some.sides[kConsumer].waiting.clear();
  CHECK(decide(some, used).to == kProvider);
}

TEST_CASE("slots that were granted and are not used yet are not taken back before their time") {
  View some = view({{8, 0}}, {}, {loose(4)});
  const Answer first = decide(some, {});
  some.rows[0].idle = {0, 4};
  some.sides[kProvider].waiting = {loose(2)};
  some.now = some.now + 10'000;
  CHECK(decide(some, first.ledger).slots() == 0);
  some.settings.provider_first = true;
  CHECK(decide(some, first.ledger).to == kProvider);
}

TEST_CASE("where both want the same slots, each has its turn, however much the other claims") {
  View some = view({{2, 2}}, {loose(3)}, {loose(3, 1'000'000)});
  Ledger ledger;
  int rounds_east_waited = 0;
  int longest = 0;
  for (int round = 0; round < 200; ++round) {
    const Answer answer = decide(some, ledger);  // whatever moves is used, and soon idle again
    if (answer.slots() > 0) {
      rounds_east_waited = answer.to == kProvider ? 0 : rounds_east_waited + 1;
      longest = std::max(longest, rounds_east_waited);
    }
    ledger = answer.ledger;
    noted_use(ledger, answer.to, 0);
    some.now = some.now + some.settings.delay_ms;
  }
  CHECK(longest >= 1);
  CHECK(longest <= 16);  // the group's slots: nobody counts more demand than those
}

TEST_CASE("slots are gathered for so long, then others may have them, and the shape rests") {
  Waiting wide = loose(10);
  wide.age_ms = 400'000;
  View some = view({{3, 2}}, {}, {wide});
  Answer answer = decide(some, {});
  REQUIRE(token(answer.reason) == token(Reason::gathering));
  CHECK(answer.moves == std::vector<RowSlots>{{0, 3}});
  some.rows[0].idle = {0, 5};
  some.sides[kProvider].waiting = {loose(1)};
  some.now = some.now + 300'000;
  answer = decide(some, answer.ledger);
  CHECK(token(answer.reason) == token(Reason::gathering));
  CHECK(answer.slots() == 0);
  some.now = some.now + 300'000;
  answer = decide(some, answer.ledger);
  CHECK(token(answer.reason) == token(Reason::provider_waits));
  some.rows[0].idle = {3, 2};
  some.sides[kProvider].waiting.clear();
  some.now = some.now + 300'000;
  CHECK(token(decide(some, answer.ledger).reason) == token(Reason::unused_before));
  some.now = some.now + 300'000;
  CHECK(token(decide(some, answer.ledger).reason) == token(Reason::gathering));
}

TEST_CASE("provider_first: what lies idle with the consumer goes home") {
  View some = view({{0, 5}}, {}, {});
  CHECK(decide(some, {}).slots() == 0);
  some.settings.provider_first = true;
  const Answer answer = decide(some, {});
  CHECK(token(answer.reason) == token(Reason::provider_first));
  CHECK(answer.to == kProvider);
  CHECK(answer.slots() == 5);
}

TEST_CASE("what is not carried out is not remembered as granted") {
  const View some = view({{8, 0}}, {}, {loose(4)});
  const Ledger left = without_moves({}, decide(some, {}));
  CHECK(left.grant.to == kNobody);
  CHECK(left.moved_at.ms == INT64_MIN);
  CHECK(left.evaluated_at == some.now);
}
