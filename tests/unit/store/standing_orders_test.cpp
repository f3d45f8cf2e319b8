// Operators' orders in force, and withheld slots, are in the database, in the tables and in a
// snapshot; the history says who ordered what.
#include <catch2/catch.hpp>

#include "broker/record/state_bytes.hpp"
#include "broker/store/log/history.hpp"
#include "tests/support/recorded_site.hpp"
#include "tests/support/state_digest.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

OperatorCommand terms(Command command, const std::string& cluster = "",
                      const std::string& host = "") {
  OperatorCommand made;
  made.command = command;
  made.by = "ana";
  made.where = "10.0.0.7";
  made.why = "new disks";
  made.until = Instant{9'000'000'000'000};
  made.cluster = cluster;
  made.host = host;
  return made;
}

/// East is drained as a provider, h0 is closed for all and for west, and is down; everything is
/// frozen.
void give_orders(RecordedSite& recorded) {
  Site& site = recorded.site;
  site.agent("east").hosts[0].up = false;
  site.step(InventoryReported{"east", site.agent("east").session, site.agent("east").hosts});
  OperatorCommand drain = terms(Command::drain, "east");
  drain.half = DrainSide::exports;
  site.step(drain);
  site.step(terms(Command::close, "east", "h0"));
  OperatorCommand close = terms(Command::close, "east", "h0");
  close.consumer = "west";
  site.step(close);
  site.step(terms(Command::freeze));
  recorded.commit();
}

}  // namespace

TEST_CASE("orders that stand are read from the tables, and from a snapshot, as they were written") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  give_orders(recorded);
  const State& state = recorded.site.state;
  State read = load(*recorded.store);
  if (GENERATE(false, true)) {
    std::string bytes;
    encode_state(state, bytes);
    read = *decode_state(bytes);
  }
  CHECK(state_digest(read) == state_digest(state));
  const Cluster& east = read.clusters[find_cluster(read, "east")];
  const OrderInForce order{"ana", "10.0.0.7", "new disks", state.now, Instant{9'000'000'000'000}};
  CHECK(east.draining_exports);
  CHECK_FALSE(east.draining_imports);
  CHECK(east.exports_order == order);
  CHECK(east.hosts[0].closed_order == order);
  CHECK(east.hosts[0].closed_for_orders == std::vector{order});
  CHECK(east.hosts[0].down_since == state.now);
  CHECK(read.freeze_order == order);
  CHECK(read.operator_order_next == order.until);
  CHECK(read.slot_groups[0].at(0, kConsumer).withheld);
}

TEST_CASE("a freeze ahead is read as it was written, until it is dropped") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  OperatorCommand later = terms(Command::freeze);
  later.from = Instant{8'000'000'000'000};
  recorded.site.step(later);
  recorded.commit();
  State read = load(*recorded.store);
  if (GENERATE(false, true)) {
    std::string bytes;
    encode_state(recorded.site.state, bytes);
    read = *decode_state(bytes);
    CHECK(read.operator_order_next == *later.from);
  }
  CHECK_FALSE(read.frozen);
  CHECK(read.freeze_ahead == OrderInForce{"ana", "10.0.0.7", "new disks", recorded.site.state.now,
                                          later.until, later.from});
  CHECK(state_digest(read) == state_digest(recorded.site.state));
  recorded.site.step(terms(Command::thaw));
  recorded.commit();
  CHECK_FALSE(load(*recorded.store).freeze_ahead);
}

TEST_CASE("the history says who ordered what, from where and why, and who was refused") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  give_orders(recorded);
  recorded.site.step(OperatorRefused{Reason::not_allowed, "bob", "10.0.0.9", "forget", "west", "",
                                     "the role read may only ask", 1});
  recorded.commit();
  HistoryFilter filter;
  filter.kinds = {"operator-command", "operator-refused"};
  const auto rows = history(recorded.store->log(), filter);
  REQUIRE(rows);
  REQUIRE(rows->size() == 5);
  const HistoryRow& drain = rows->front();
  CHECK(drain.verb == "drain");
  CHECK(drain.object == "east");
  CHECK(drain.options == "--provider --until 2255-03-14T16:00:00.000Z");
  CHECK(drain.by == "ana");
  CHECK(drain.where == "10.0.0.7");
  CHECK(drain.why == "new disks");
  CHECK((*rows)[2].object == "h0@east");
  CHECK((*rows)[2].options.starts_with("--for west"));
  CHECK(rows->back().verb == "forget");
  CHECK(rows->back().by == "bob");
  CHECK(rows->back().reason == "not-allowed");
  filter.kinds = {"config-loaded"};
  CHECK(history(recorded.store->log(), filter)->front().verb == "reload");
}

TEST_CASE("a lease that a reload makes while its provider is drained is known after a restart") {
  const TempDir dir;
  RecordedSite recorded(dir.file("broker.db"));
  recorded.begin();
  recorded.site.step(terms(Command::drain, "east"));
  recorded.commit();
  BrokerConfig more = recorded.site.state.config;
  more.policies.push_back(more.policies[0]);
  more.policies[1].name = "second";
  recorded.site.load(more);
  recorded.commit();
  const uint64_t generation = recorded.site.group("second:west").generation;
  const State kept = load(*recorded.store);
  REQUIRE(kept.slot_groups.size() == 2);
  CHECK(kept.slot_groups[1].generation == generation);
  CHECK(state_digest(kept) == state_digest(recorded.site.state));
}
