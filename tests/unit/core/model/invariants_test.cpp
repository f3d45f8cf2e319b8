// The alarm that must sound when a ledger does not add up, shown by ledgers that do not.
#include "broker/core/model/queries/invariants.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

struct Row {
  const char* what;
  void (*damage)(SlotGroup&);
  const char* said;
};
const std::vector<Row> kRows{
    {"whole", [](SlotGroup&) {}, ""},
    {"a slot twice", [](SlotGroup& group) { ++group.at(0, kProvider).held; },
     "held 9 + in transfer 0 + unallocated 0 is not exported 8"},
    {"a slot lost", [](SlotGroup& group) { --group.at(0, kProvider).held; },
     "held 7 + in transfer 0 + unallocated 0 is not exported 8"},
    {"a slot in transfer that nobody gave", [](SlotGroup& group) { ++group.hosts[0].in_transfer; },
     "held 8 + in transfer 1 + unallocated 0 is not exported 8"},
    {"a provider below nothing",
     [](SlotGroup& group) {
       group.at(0, kConsumer).held = 9;
       group.at(0, kProvider).held = -1;
     },
     "a negative number"},
    {"a consumer below nothing",
     [](SlotGroup& group) {
       group.at(0, kConsumer).held = -1;
       group.at(0, kProvider).held = 9;
     },
     "a negative number"},
    {"a transfer below nothing",
     [](SlotGroup& group) {
       group.hosts[0].in_transfer = -1;
       ++group.at(0, kProvider).held;
     },
     "a negative number"},
    {"nobody's slots below nothing",
     [](SlotGroup& group) {
       group.hosts[0].unallocated = -1;
       ++group.at(0, kProvider).held;
     },
     "a negative number"},
    {"an export below nothing", [](SlotGroup& group) { group.hosts[0].exported = -1; },
     "a negative number"},
    {"a consumer due what nobody brings", [](SlotGroup& group) { group.at(0, kConsumer).due = 2; },
     "the consumer is due 2, which is not between 1 and 1"},
    {"a consumer due less than nobody takes",
     [](SlotGroup& group) { group.at(0, kConsumer).due = 0; },
     "the consumer is due 0, which is not between 1 and 1"},
    {"an order beyond the counter", [](SlotGroup& group) { group.members[kConsumer].seq += 100; },
     "above its cluster's counter"},
};

}  // namespace

TEST_CASE("a ledger that adds up has no violations, one that does not names the place") {
  const Row row = GENERATE(from_range(kRows));
  INFO(row.what);
  Site site = made(8);
  row.damage(site.state.slot_groups[0]);
  const auto found = violations(site.state);
  CHECK(found.empty() == (*row.said == '\0'));
  std::string all;
  for (const std::string& line : found) all += line + "\n";
  CHECK_THAT(all, Catch::Contains(row.said));
  if (!found.empty()) CHECK_THAT(found[0], Catch::Contains("pool:west."));
}
