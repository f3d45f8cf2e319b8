// demand-aware: work that takes its hosts whole, whatever their size.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/rules/demand_aware/packing.hpp"
#include "tests/unit/rules/demand_aware/view.hpp"

using namespace leasehold;
using namespace leasehold::demand_aware;
using namespace leasehold::demand_aware::test;

namespace {

Waiting whole(int32_t slots_per_host, int32_t hosts, int64_t slots, int64_t count = 1) {
  Waiting waiting = jobs(slots_per_host, hosts, slots, count);
  waiting.shape.whole = true;
  return waiting;
}

struct HostOf {
  int32_t size;
  int32_t east;  // idle
  int32_t west;
};

/// Hosts that the lease has all slots of.
View of(const std::vector<HostOf>& hosts, std::vector<Waiting> provider,
        std::vector<Waiting> consumer) {
  std::vector<std::pair<int32_t, int32_t>> idle;
  for (const HostOf& host : hosts) idle.emplace_back(host.east, host.west);
  View made = view(std::move(idle), std::move(provider), std::move(consumer));
  made.slots = 0;
  for (size_t row = 0; row < hosts.size(); ++row) {
    made.rows[row].size = made.exported[row] = hosts[row].size;
    made.slots += hosts[row].size;
  }
  return made;
}

struct WholeHostRow {
  const char* what;
  View view;
  Reason reason;
  uint8_t to;
  std::vector<RowSlots> moves;
};

std::vector<WholeHostRow> of_single_hosts() {
  return {
      {"a smaller host will do, and all of it goes",
       of({{16, 0, 0}, {4, 4, 0}}, {}, {whole(1, 1, 1)}),
       Reason::consumer_waits,
       kConsumer,
       {{1, 4}}},
      {"the smallest that fits is first",
       of({{16, 16, 0}, {4, 4, 0}, {8, 8, 0}}, {}, {whole(5, 1, 5)}),
       Reason::consumer_waits,
       kConsumer,
       {{2, 8}}},
      {"two jobs of one slot do not share a host",
       of({{8, 8, 0}, {8, 8, 0}}, {}, {whole(1, 1, 1, 2)}),
       Reason::consumer_waits,
       kConsumer,
       {{0, 8}, {1, 8}}},
      {"no host where either side runs something",
       of({{8, 7, 0}, {8, 4, 3}}, {}, {whole(1, 1, 1)}),
       Reason::gathering,
       kConsumer,
       {{0, 7}, {1, 4}}},
      {"what it holds idle there and the other's idle rest are one host",
       of({{8, 5, 3}}, {}, {whole(1, 1, 1)}),
       Reason::consumer_waits,
       kConsumer,
       {{0, 5}}},
      {"a host that is its own and idle needs no move",
       of({{8, 0, 8}, {4, 4, 0}}, {}, {whole(1, 1, 1)}),
       Reason::shape_misfit,
       kNobody,
       {}},
      {"home again",
       of({{8, 0, 8}}, {whole(1, 1, 1)}, {}),
       Reason::provider_waits,
       kProvider,
       {{0, 8}}},
      {"none is large enough",
       of({{8, 8, 0}, {4, 4, 0}}, {}, {whole(9, 1, 9)}),
       Reason::shape_misfit,
       kNobody,
       {}},
  };
}

std::vector<WholeHostRow> of_several_hosts() {
  return {
      {"two hosts, the smallest that do",
       of({{16, 16, 0}, {4, 4, 0}, {4, 4, 0}}, {}, {whole(1, 2, 2)}),
       Reason::consumer_waits,
       kConsumer,
       {{1, 4}, {2, 4}}},
      {"two hosts of unlike sizes have slots enough together",
       of({{16, 16, 0}, {4, 4, 0}, {8, 8, 0}}, {}, {whole(1, 2, 20)}),
       Reason::consumer_waits,
       kConsumer,
       {{0, 16}, {2, 8}}},
      {"more hosts than the least, where those are too small",
       of({{4, 4, 0}, {4, 4, 0}, {4, 4, 0}}, {}, {whole(2, 2, 12)}),
       Reason::consumer_waits,
       kConsumer,
       {{0, 4}, {1, 4}, {2, 4}}},
      {"an own host and one of the other's",
       of({{8, 0, 8}, {8, 8, 0}, {4, 0, 0}}, {}, {whole(2, 2, 4)}),
       Reason::consumer_waits,
       kConsumer,
       {{1, 8}}},
      {"fewer hosts than it wants in all of the lease",
       of({{8, 8, 0}, {8, 8, 0}}, {}, {whole(1, 3, 3)}),
       Reason::shape_misfit,
       kNobody,
       {}},
      {"what a whole host took is nobody else's, and the rest is",
       of({{4, 4, 0}, {8, 8, 0}}, {}, {whole(1, 1, 1), loose(3)}),
       Reason::consumer_waits,
       kConsumer,
       {{0, 4}, {1, 3}}},
      {"a host of which a slot is spoken for is no whole one",
       of({{4, 4, 0}, {8, 8, 0}}, {}, {loose(1), whole(1, 1, 1)}),
       Reason::consumer_waits,
       kConsumer,
       {{0, 1}, {1, 8}}},
  };
}

}  // namespace

TEST_CASE("work that takes hosts whole is put on wholly idle ones alone, the smallest that fit") {
  std::vector<WholeHostRow> rows = of_single_hosts();
  for (WholeHostRow& row : of_several_hosts()) rows.push_back(std::move(row));
  for (const bool by_host : {false, true}) {
    for (WholeHostRow& row : rows) {
      CAPTURE(row.what, by_host);
      for (IdleRow& host : row.view.rows) host.whole = by_host;
      const Answer answer = decide(row.view, {});
      CHECK(answer.reason == row.reason);
      CHECK(answer.to == row.to);
      // If hosts move as wholes, so do those of the other work.
      if (!by_host || row.view.sides[kConsumer].waiting.size() < 2) {
        CHECK(answer.moves == row.moves);
      }
    }
  }
}

TEST_CASE("of whole hosts the rest of one that a loose job took is no whole host for the next") {
  View some = of({{4, 4, 0}, {8, 8, 0}}, {}, {loose(1), whole(1, 1, 1)});
  for (IdleRow& host : some.rows) host.whole = true;
  CHECK(decide(some, {}).moves == std::vector<RowSlots>{{0, 4}, {1, 8}});
}

TEST_CASE("a host of which the lease has a part is never whole, nor are hosts elsewhere") {
  View some = of({{8, 8, 0}}, {}, {whole(1, 1, 1)});
  some.rows[0].size = 0;
  CHECK(decide(some, {}).reason == Reason::shape_misfit);
  some = of({{8, 8, 0}}, {}, {whole(1, 2, 2)});
  some.sides[kConsumer].elsewhere = {8};
  some.sides[kConsumer].slots_elsewhere = 8;
  CHECK(decide(some, {}).reason == Reason::gathering);
}

TEST_CASE("slots of a fresh grant keep a host from being whole") {
  View some = of({{8, 0, 8}, {8, 8, 0}}, {whole(1, 1, 1, 2)}, {});
  Ledger ledger;
  ledger.grant = {kConsumer, 8, 8, some.now, {}};
  CHECK(decide(some, ledger).to == kNobody);
}

TEST_CASE("the provider's work that takes hosts whole takes them from work, where it is first") {
  View some = of({{8, 0, 2}, {4, 1, 0}}, {whole(1, 1, 1)}, {});
  some.rows[0].in_use = 6;
  some.rows[1].in_use = 2;  // the provider has one in use there itself
  some.settings.provider_first = true;
  const Answer answer = decide(some, {});
  CHECK(answer.to == kProvider);
  CHECK(answer.reclaims == std::vector<RowSlots>{{0, 8}});
}

TEST_CASE("a shape that takes hosts whole is another one than the same that does not") {
  CHECK_FALSE(whole(1, 1, 1).shape == loose(1).shape);
  View some = of({{8, 8, 0}}, {}, {whole(1, 1, 1)});
  Ledger ledger;
  ledger.back_offs = {{kConsumer, loose(1).shape, some.now + 60'000, 1}};
  CHECK(decide(some, ledger).reason == Reason::consumer_waits);
  ledger.back_offs[0].shape.whole = true;
  CHECK(decide(some, ledger).reason == Reason::unused_before);
  const Answer answer = decide(some, {});
  REQUIRE(answer.ledger.grant.shapes.size() == 1);
  CHECK(answer.ledger.grant.shapes[0].whole);
}

TEST_CASE("who waits for whole hosts waits for all slots of the smallest that will do") {
  View some = of({{16, 0, 0}, {4, 0, 0}}, {}, {whole(1, 1, 1)});
  CHECK(decide(some, {}).ledger.wanted[kConsumer] == 4);
  some.sides[kConsumer].waiting = {whole(5, 1, 5)};
  CHECK(decide(some, {}).ledger.wanted[kConsumer] == 16);
}

namespace {

/// Does it hold by brute force: some hosts that are wholly idle have enough, together?
bool could(const std::vector<HostOf>& hosts, const Shape& shape) {
  for (unsigned set = 1; set < 1U << hosts.size(); ++set) {
    int64_t slots = 0;
    int64_t count = 0;
    bool fits = true;
    for (size_t row = 0; row < hosts.size(); ++row) {
      if (((set >> row) & 1) == 0) continue;
      slots += hosts[row].size;
      ++count;
      fits = fits && hosts[row].size >= shape.slots_per_host &&
             hosts[row].east + hosts[row].west == hosts[row].size;
    }
    if (fits && count >= shape.hosts && slots >= shape.slots) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("of every few hosts: a job is put if some set of whole ones does, and all of each goes") {
  constexpr int32_t kSizes[] = {2, 3, 5};
  for (int code = 0; code < 27 * 64; ++code) {
    std::vector<HostOf> hosts;
    for (int host = 0, size = code % 27, idle = code / 27; host < 3; ++host) {
      const int32_t slots = kSizes[size % 3];
      const int32_t how = idle % 4;  // all the other's, all its own, of both, one in use
      hosts.push_back({slots,
                       how == 0   ? slots
                       : how == 2 ? 1
                                  : 0,
                       how == 1   ? slots
                       : how == 2 ? slots - 1
                       : how == 3 ? slots - 1
                                  : 0});
      size /= 3;
      idle /= 4;
    }
    for (const Waiting& job :
         {whole(1, 1, 1), whole(3, 1, 3), whole(1, 2, 6), whole(2, 1, 7), whole(2, 3, 6)}) {
      CAPTURE(code, job.shape.slots_per_host, job.shape.hosts, job.shape.slots);
      const View some = of(hosts, {}, {job});
      Packing packing(kConsumer, some.rows, {}, 0);
      REQUIRE(packing.put(job).jobs == (could(hosts, job.shape) ? 1 : 0));
      for (const RowSlots& move : packing.moves()) {
        REQUIRE(move.slots == hosts[move.row].east);
        REQUIRE(hosts[move.row].east + hosts[move.row].west == hosts[move.row].size);
      }
    }
  }
}
