// Images contain exactly what a commit changed, and lead from one state to the next.
#include "broker/record/images/images.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/record/state_bytes.hpp"
#include "tests/support/site.hpp"
#include "tests/support/state_digest.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using PlainJson = nlohmann::json;

// Positions of the parts of an image (broker/record/images/images.cpp).
enum Part : size_t { once, configuration, clusters = 3, hosts, policies, plans, consumers, groups };

struct Written {
  explicit Written(const State& from) : state(from) {
    clear_marks(state);
    images.begin(state);
  }
  PlainJson write() {
    bytes.clear();
    images.write(state, bytes);
    clear_marks(state);
    return PlainJson::from_msgpack(bytes);
  }
  State state;
  ImageWriter images;
  std::string bytes;
};

State two_sites() {
  Site site(one_pool(3, 4));
  site.add_hosts("east", 3, 4);
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  return site.state;
}

}  // namespace

TEST_CASE("of a cluster's hosts those that changed are imaged, whatever is marked") {
  Written written(two_sites());
  Cluster& east = written.state.clusters[find_cluster(written.state, "east")];
  REQUIRE(east.hosts.size() == 3);
  const auto marked = [&] {
    east.dirty = east.hosts_dirty = written.state.dirty_clusters = true;
    return written.write();
  };
  CHECK(marked()[hosts].empty());
  CHECK(marked()[clusters].size() == 1);
  east.hosts[1].closed = true;
  const PlainJson one = marked()[hosts];
  REQUIRE(one.size() == 1);
  REQUIRE(one[0][1].size() == 1);
  CHECK(one[0][1][0][0] == 1);
  CHECK(marked()[hosts].empty());
  east.hosts.emplace_back().facts.name = "new";
  CHECK(marked()[hosts][0][1][0][0] == 3);
}

TEST_CASE("of policies those that changed are imaged, and the configuration if it is another") {
  Written written(two_sites());
  written.state.dirty_config = true;
  PlainJson nothing = written.write();
  CHECK((nothing[configuration].empty() && nothing[policies].empty()));
  written.state.policies[0].open = false;
  written.state.dirty_config = true;
  CHECK(written.write()[policies].size() == 1);
  written.state.config.leeway_ms += 1;
  written.state.dirty_config = true;
  nothing = written.write();
  CHECK(nothing[configuration].size() == 2);
  CHECK(nothing[policies].empty());
}

TEST_CASE("images put in another state's place make it the same, and mark what changed") {
  State before = two_sites();
  clear_marks(before);
  Written written(before);
  State& state = written.state;
  state.slot_groups[0].epoch += 7;
  state.slot_groups[0].at(0, 1).held += 1;
  state.slot_groups[0].at(0, 1).due += 1;
  state.slot_groups[0].at(0, 0).held -= 1;
  state.slot_groups[0].dirty = true;
  state.dirty_groups = {0};
  state.clusters[1].seq += 1;
  state.clusters[1].dirty = state.dirty_clusters = true;
  written.write();
  REQUIRE(apply_images(written.bytes, before).has_value());
  CHECK(state_digest(before) == state_digest(state));
  CHECK(before.dirty_groups == std::vector<uint32_t>{0});
  CHECK(before.clusters[1].dirty);
  CHECK_FALSE(before.clusters[0].dirty);
  CHECK_FALSE(before.dirty_config);
}

TEST_CASE("a freeze ahead is imaged where there is one, and gone when it was dropped") {
  State before = two_sites();
  clear_marks(before);
  Written written(before);
  CHECK(written.write()[once].size() == 6);
  written.state.freeze_ahead = OrderInForce{"ana", "", "", Instant{1}, kNever, Instant{2}};
  CHECK(written.write()[once].size() == 7);
  REQUIRE(apply_images(written.bytes, before).has_value());
  CHECK(before.freeze_ahead == written.state.freeze_ahead);
  CHECK(state_digest(before) == state_digest(written.state));
  written.state.freeze_ahead.reset();
  written.write();
  REQUIRE(apply_images(written.bytes, before).has_value());
  CHECK_FALSE(before.freeze_ahead);
}

TEST_CASE("what demand-aware remembers is imaged, and is in the bytes of a state") {
  State before = two_sites();
  clear_marks(before);
  Written written(before);
  SlotGroup& group = written.state.slot_groups[0];
  const Hash without = state_digest(written.state);
  demand_aware::Ledger ledger;
  ledger.evaluated_at = ledger.moved_at = Instant{77};
  ledger.wanted = {1, 2};
  ledger.waited_slot_s = {30, 40};
  ledger.elsewhere = {std::vector<int32_t>{8, 3}, {}};
  ledger.grant = {demand_aware::kConsumer, 5, 4, Instant{70}, {{2, 3, 6}}};
  ledger.gathering = {demand_aware::kProvider, {1, 1, 9, true}, Instant{99}};
  ledger.back_offs = {{demand_aware::kConsumer, {1, 1, 4}, Instant{88}, 2}};
  ledger.react_at = Instant{80};
  ledger.left_unused = 3;
  ledger.earlier = {{demand_aware::kConsumer, 2, 1, Instant{60}, {{1, 1, 2}}}};
  ledger.owner_trial = {Instant{75}, {{demand_aware::kProvider, {4, 2, 8}, Instant{95}, 1}}};
  ledger.in_vain = {{false, true}, 9, Instant{96}};
  group.demand.emplace(ledger);
  group.dirty = true;
  written.state.dirty_groups = {0};
  written.write();
  CHECK(state_digest(written.state) != without);
  REQUIRE(apply_images(written.bytes, before).has_value());
  REQUIRE(before.slot_groups[0].demand);
  CHECK(*before.slot_groups[0].demand == ledger);
  CHECK_FALSE(before.slot_groups[0].shadow);
  std::string whole;
  encode_state(written.state, whole);
  CHECK(*decode_state(whole)->slot_groups[0].demand == ledger);
}

TEST_CASE("what demand-aware remembers is written as before where nothing was left unused") {
  State before = two_sites();
  clear_marks(before);
  Written written(before);
  SlotGroup& group = written.state.slot_groups[0];
  const auto written_of = [&](const demand_aware::Ledger& ledger) {
    group.demand.emplace(ledger);
    group.dirty = true;
    written.state.dirty_groups = {0};
    const size_t size = written.write()[groups][0][1].back().size();
    REQUIRE(apply_images(written.bytes, before).has_value());
    CHECK(*before.slot_groups[0].demand == ledger);
    return size;
  };
  constexpr size_t kFormerly = 9;
  demand_aware::Ledger ledger;
  CHECK(written_of(ledger) == kFormerly);
  ledger.left_unused = 3;
  CHECK(written_of(ledger) == kFormerly + 2);
  ledger.earlier = {{demand_aware::kConsumer, 2, 1, Instant{60}, {{1, 1, 2}}}};
  CHECK(written_of(ledger) == kFormerly + 3);
  ledger.owner_trial.since = Instant{75};
  CHECK(written_of(ledger) == kFormerly + 6);
  ledger.in_vain.shapes = 1;
  CHECK(written_of(ledger) == kFormerly + 7);
}

TEST_CASE("what a plan gave a leaf for its work is imaged, and a leaf without it is as before") {
  State before = PlanSite(plan_of({{"/A", "west", 4}}), 1, 4).state;
  clear_marks(before);
  Written written(before);
  ResourceGroupLedger& plan = written.state.resource_groups[0];
  const auto written_size = [&] {
    ++plan.consumers[0].backoffs;
    plan.dirty = written.state.dirty_resource_groups = true;
    const size_t size = written.write()[consumers][0][1][0][1].size();
    REQUIRE(apply_images(written.bytes, before).has_value());
    CHECK(state_digest(before) == state_digest(written.state));
    return size;
  };
  constexpr size_t kFormerly = 9;
  CHECK(written_size() == kFormerly);
  PlanWork& work = plan.consumers[0].work.emplace();
  work.beside = 3;
  work.grants.grant = {demand_aware::kConsumer, 5, 4, Instant{70}, {{2, 3, 6}}};
  work.grants.back_offs = {{demand_aware::kConsumer, {1, 1, 4}, Instant{88}, 2}};
  CHECK(written_size() == kFormerly + 1);
  const PlanConsumerLedger& read = before.resource_groups[0].consumers[0];
  REQUIRE(read.work);
  CHECK(read.work->grants == work.grants);
  CHECK(read.work->beside == 3);
  std::string whole;
  encode_state(written.state, whole);
  CHECK(decode_state(whole)->resource_groups[0].consumers[0].work->grants == work.grants);
  plan.consumers[0].work.reset();
  CHECK(written_size() == kFormerly);
  CHECK_FALSE(before.resource_groups[0].consumers[0].work);
}

TEST_CASE("what a shadow said is imaged, and a lease without one as it was before there were any") {
  State before = two_sites();
  clear_marks(before);
  Written written(before);
  SlotGroup& group = written.state.slot_groups[0];
  const auto marked = [&] {
    group.dirty = true;
    written.state.dirty_groups = {0};
    return written.write()[groups][0][1].size();
  };
  constexpr size_t kFormerly = 18;
  CHECK(marked() == kFormerly);
  const Hash without = state_digest(written.state);
  group.shadow.emplace(Shadow{RuleKind::idle_comparison,
                              RuleKind::exclusive,
                              {Reason::consumer_idle, 2, false},
                              {Reason::exclusive_due, 3, true},
                              {3, 1, 4, 2},
                              9,
                              Instant{77}});
  CHECK(marked() == kFormerly + 1);
  CHECK(state_digest(written.state) != without);
  REQUIRE(apply_images(written.bytes, before).has_value());
  REQUIRE(before.slot_groups[0].shadow);
  const Shadow& read = *before.slot_groups[0].shadow;
  CHECK(read.rule == RuleKind::idle_comparison);
  CHECK(read.shadow == RuleKind::exclusive);
  CHECK(read.in_force == RuleAnswer{Reason::consumer_idle, 2, false});
  CHECK(read.answer == RuleAnswer{Reason::exclusive_due, 3, true});
  CHECK(read.totals == Totals{3, 1, 4, 2});
  CHECK((read.epoch == 9 && read.evaluated_at == Instant{77}));
  std::string whole;
  encode_state(written.state, whole);
  CHECK(state_digest(*decode_state(whole)) == state_digest(written.state));
  group.shadow.reset();
  CHECK(marked() == kFormerly);
  clear_marks(before);
  REQUIRE(apply_images(written.bytes, before).has_value());
  CHECK_FALSE(before.slot_groups[0].shadow);
}

TEST_CASE("a policy without a shadow is written as it was before there were any") {
  Written written(two_sites());
  const auto marked = [&](std::optional<RuleKind> shadow) {
    written.state.policies[0].config.shadow = shadow;
    written.state.policies[0].open = !written.state.policies[0].open;
    written.state.dirty_config = true;
    return written.write()[policies][0][1][0].size();
  };
  CHECK(marked(std::nullopt) == 18);
  CHECK(marked(RuleKind::exclusive) == 19);
}

TEST_CASE("a policy whose rule is written has the bytes that it had before that was asked") {
  State before = two_sites();
  clear_marks(before);
  Written written(before);
  const auto marked = [&](bool by_default) {
    written.state.policies[0].config.rule_by_default = by_default;
    written.state.policies[0].open = !written.state.policies[0].open;
    written.state.dirty_config = true;
    return written.write()[policies][0][1][0].size();
  };
  CHECK(marked(false) == 18);
  CHECK(marked(true) == 24);
  REQUIRE(apply_images(written.bytes, before).has_value());
  CHECK(before.policies[0].config.rule_by_default);
}

TEST_CASE("bytes that are no images, or none of this state, are refused") {
  const State before = two_sites();
  Written written(before);
  written.state.slot_groups[0].dirty = true;
  written.state.dirty_groups = {0};
  const PlainJson sound = written.write();
  const auto refused = [&](const std::function<void(PlainJson&)>& change) {
    PlainJson images = sound;
    change(images);
    const std::vector<uint8_t> packed = PlainJson::to_msgpack(images);
    State state = before;
    return !apply_images(std::string(packed.begin(), packed.end()), state).has_value();
  };
  CHECK_FALSE(refused([](PlainJson&) {}));
  CHECK(
      refused([](PlainJson& images) { images[groups][0][0] = 2; }));  // neither there nor the next
  CHECK(refused([](PlainJson& images) { images[groups][0][1].erase(0); }));
  CHECK(refused([](PlainJson& images) { images[groups][0][1].push_back(7); }));  // no shadow
  CHECK(refused([](PlainJson& images) {  // more than a shadow and what demand-aware remembers
    for (int i = 0; i < 3; ++i) images[groups][0][1].push_back(nullptr);
  }));
  CHECK(refused([](PlainJson& images) { images[groups][0] = 7; }));
  CHECK(refused([](PlainJson& images) { images[groups] = 7; }));
  CHECK(refused([](PlainJson& images) { images[groups][0][1][1] = 99; }));  // no such policy
  CHECK(refused([](PlainJson& images) {
    images[hosts] = PlainJson::array({PlainJson::array({9, PlainJson::array()})});
  }));
  CHECK(refused(
      [](PlainJson& images) { images[2] = PlainJson::array(); }));  // grids are never removed
  CHECK(refused([](PlainJson& images) { images[configuration] = PlainJson::array({1}); }));
  CHECK(refused([](PlainJson& images) { images.erase(0); }));
  State state = before;
  CHECK_FALSE(apply_images("", state).has_value());
  CHECK_FALSE(apply_images(written.bytes.substr(0, written.bytes.size() / 2), state).has_value());
}

TEST_CASE(
    "hosts that are forgotten leave the state that follows the log too, from its end as well") {
  Written written(two_sites());
  State follower = written.state;
  Cluster& east = written.state.clusters[find_cluster(written.state, "east")];
  const uint32_t place = find_cluster(follower, "east");
  const auto follow = [&] {
    east.dirty = east.hosts_dirty = written.state.dirty_clusters = true;
    written.write();
    REQUIRE(apply_images(written.bytes, follower));
    clear_marks(follower);
    CHECK(state_digest(follower) == state_digest(written.state));
  };
  for (const char* name : {"a", "b", "c", "d"}) east.hosts.emplace_back().facts.name = name;
  follow();
  REQUIRE(follower.clusters[place].hosts.size() == 7);
  east.hosts[4] = Host{};
  east.hosts.resize(6);
  follow();
  CHECK(follower.clusters[place].hosts.size() == 6);
  CHECK(follower.clusters[place].hosts[4].facts.name.empty());
  east.hosts.resize(3);
  follow();
  CHECK(follower.clusters[place].hosts.size() == 3);
  east.hosts.emplace_back().facts.name = "e";
  follow();
  CHECK(follower.clusters[place].hosts.back().facts.name == "e");
}

TEST_CASE(
    "an image of an older core, which kept no dues of leases, leads to a state that has them") {
  const State state = two_sites();
  Written written(state);
  SlotGroup& lease = written.state.slot_groups.at(0);
  uint32_t row = 0;
  while (lease.at(row, kConsumer).held == 0) ++row;
  for (uint32_t each = 0; each < lease.hosts.size(); ++each) lease.at(each, kConsumer).due = 0;
  ++lease.flips;
  lease.dirty = true;
  written.state.dirty_groups = {0};
  written.write();
  State follower = state;
  clear_marks(follower);
  REQUIRE(apply_images(written.bytes, follower).has_value());
  CHECK(follower.slot_groups.at(0).flips == lease.flips);
  CHECK(follower.slot_groups.at(0).at(row, kConsumer).due == lease.at(row, kConsumer).held);
}
