// demand-aware: who is served, with what, and when nothing moves. A table of single answers; then
// every small state, played on until it is at rest.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/rules/demand_aware/view.hpp"

using namespace leasehold;
using namespace leasehold::demand_aware;
using namespace leasehold::demand_aware::test;

namespace {

struct AnswerRow {
  const char* what;
  View view;
  Reason reason;
  uint8_t to;
  std::vector<RowSlots> moves;
};

}  // namespace

namespace {

std::vector<AnswerRow> of_one_host() {
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

std::vector<AnswerRow> of_hosts_and_sides() {
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
  std::vector<AnswerRow> rows = of_one_host();
  for (AnswerRow& row : of_hosts_and_sides()) rows.push_back(std::move(row));
  for (const AnswerRow& row : rows) {
    CAPTURE(row.what);
    const Answer answer = decide(row.view, {});
    CHECK(answer.reason == row.reason);
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

TEST_CASE("slots were gathered for a job of one host that only hosts outside the group can hold") {
  View some = view({{3, 0}}, {}, {jobs(20, 1, 20)});
  some.sides[kConsumer].slots_elsewhere = 100;
  CHECK(decide(some, {}).reason == Reason::shape_misfit);
}

TEST_CASE("rows that will not do for a bucket are left alone") {
  View some = view({{8, 0}, {8, 0}}, {}, {loose(4)});
  some.sides[kConsumer].waiting[0].rows = {0b10};
  CHECK(decide(some, {}).moves == std::vector<RowSlots>{{1, 4}});
}

TEST_CASE("of whole hosts the rest comes along, and serves the next job") {
  View some = view({{4, 0}, {4, 0}, {4, 0}}, {}, {loose(1, 3), loose(2)});
  CHECK(decide(some, {}).slots() == 5);
  for (IdleRow& row : some.rows) row.whole = true;
  CHECK(decide(some, {}).moves == std::vector<RowSlots>{{0, 4}, {1, 4}});
  some.rows[2].beside[kConsumer] = 2;  // beside its work there
  some.rows[2].idle = {};
  CHECK(decide(some, {}).moves == std::vector<RowSlots>{{0, 4}});
}

TEST_CASE("of whole hosts a grant that is still to be used is kept whole") {
  View some = view({{4, 0}, {4, 0}}, {}, {loose(8)});
  for (IdleRow& row : some.rows) row.whole = true;
  Ledger ledger;
  ledger.grant = {kProvider, 4, 4, some.now, {}};
  const Answer answer = decide(some, ledger);
  for (const RowSlots& row : answer.moves) CHECK(row.slots == 4);
  CHECK(answer.slots() <= 4);
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
    const bool whole = by_host(kProvider) || by_host(kConsumer);
    const int64_t taken = start(kProvider) + start(kConsumer);
    // Slots go where they make work start, or are gathered, or go back. Where jobs want one host
    // each, which job is put where is the scheduler's choice, and another one than here may fit
    // another.
    const bool other_reason =
        answer.reason == Reason::gathering || answer.reason == Reason::grant_unused;
    if (answer.slots() > 0) REQUIRE((taken > 0 || other_reason || whole));
    ledger = answer.ledger;
    for (const uint8_t m : {kProvider, kConsumer}) noted_use(ledger, m, idle(m));
    view.now = view.now + view.settings.delay_ms;
    moved += answer.slots();
    ++evaluations;
    return answer.slots() > 0;
  }

 private:
  bool by_host(uint8_t member) const {
    const std::vector<Waiting>& all = view.sides[member].waiting;
    return std::any_of(all.begin(), all.end(),
                       [](const Waiting& one) { return one.shape.slots_per_host > 1; });
  }
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
        const bool wide = world.ledger.gathering.until != Gathering{}.until;
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

namespace {

/// Both sides say that work of theirs ends soon.
View with_ends(View some, int64_t slots) {
  for (Side& side : some.sides) {
    side.ending = {{0, 60'000, slots}};
    side.hosts = 2;
  }
  return some;
}

Ledger slow_moves() {
  Ledger ledger;
  ledger.pace.move_ms = 60'000;
  return ledger;
}

}  // namespace

TEST_CASE(
    "where ends are told that never come a lease comes to rest all the same, a little later") {
  for (int code = 0; code < 625; code += 7) {
    const auto digit = [code](int place) { return code / place % 5; };
    for (const auto& east : queues()) {
      for (const auto& west : queues()) {
        const View some = view({{digit(1), digit(5)}, {digit(25), digit(125)}}, east, west);
        World plain{some, slow_moves(), 0, 0};
        World informed{with_ends(some, code % 5), slow_moves(), 0, 0};
        plain.view.settings.delay_ms = informed.view.settings.delay_ms = 60'000;
        int last = 0;
        while (informed.evaluations < 80) {
          if (informed.evaluate()) last = informed.evaluations;
          plain.evaluate();
        }
        CAPTURE(code, informed.moved, plain.moved);
        const bool wide = informed.ledger.gathering.until != Gathering{}.until;
        REQUIRE((last <= 24 || wide));
        // The same amount is served in the end, if the other side did not take it meanwhile.
        const auto left = [](const World& world, uint8_t m) {
          return world.view.sides[m].waiting.empty();
        };
        if (!east.empty() && !west.empty()) continue;
        for (const uint8_t m : {kProvider, kConsumer}) REQUIRE(left(informed, m) == left(plain, m));
      }
    }
  }
}

TEST_CASE("where ends are told hosts in another order give the same answer") {
  for (int code = 0; code < 625; code += 3) {
    const auto digit = [code](int place) { return code / place % 5; };
    for (const auto& east : queues()) {
      for (const auto& west : queues()) {
        const std::pair<int32_t, int32_t> a{digit(1), digit(5)};
        const std::pair<int32_t, int32_t> b{digit(25), digit(125)};
        const Answer one = decide(with_ends(view({a, b}, east, west), 2), slow_moves());
        const Answer two = decide(with_ends(view({b, a}, east, west), 2), slow_moves());
        REQUIRE(one.reason == two.reason);
        REQUIRE(one.to == two.to);
        REQUIRE(one.slots() == two.slots());
        REQUIRE(one.ledger.pace == two.ledger.pace);
      }
    }
  }
}
