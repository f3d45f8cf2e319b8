// Reclaims whose hosts the loser's agent chooses: what is ordered, and what comes of it.
#include "broker/core/host_sets.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "broker/core/step.hpp"
#include "tests/unit/core/plan_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int32_t kSlots = 4;

BrokerConfig two_policies(Plan plan) {
  BrokerConfig config = plan_config(std::move(plan), 2, kSlots);
  ExportPolicy more = config.policies.front();
  more.name = "more";
  more.provider = "south";
  more.hosts = {"h0"};
  config.policies.push_back(more);
  config.groups.front().policies.push_back("more");
  return config;
}

Plan halves() {
  return plan_of({{"/A", "west", 6, 60'000}, {"/B", "north", 6, 0}});
}

/// /A is west and has every slot in use, /B north; each owns half.
class ChoosingSite : public PlanSite {
 public:
  explicit ChoosingSite(Plan plan = halves(), int hosts = 3)
      : ChoosingSite(plan_config(std::move(plan), hosts, kSlots), hosts) {}
  ChoosingSite(BrokerConfig config, int hosts) : PlanSite(std::move(config), hosts, kSlots) {
    for (const char* name : {"west", "north"}) agents[name].chooses = true;
    if (state.config.policies.size() > 1) {
      add_hosts("south", 1, kSlots);
      hello("south");
    }
    hello("west");
    hello("north");
    settle();
    fill("west");
  }

  /// It wants all there is, until it has it and uses it.
  void fill(const std::string& cluster) {
    for (int round = 0; round < 6; ++round) {
      for (auto& [generation, group] : agents[cluster].groups) {
        for (AgentRow& row : group.rows) {
          row.used = row.limit;
          group.ever_used = true;
        }
      }
      agents[cluster].pending = 100;
      report(cluster);
      cycle();
    }
  }

  void wants(const std::string& cluster, int32_t slots) {
    agents[cluster].pending = slots;
    report(cluster);
    cycle();
  }

  /// Work ends there; whoever is asked for slots gives them.
  void end_work(const std::string& cluster, size_t group, uint32_t row, int32_t slots) {
    Agent& of = agents[cluster];
    of.groups.at(generation(group)).rows[row].used -= slots;
    give_to_sets(of);
    report(cluster);
    settle();
  }

  uint64_t generation(size_t group) const {
    return state.groups[state.plans.front().groups[group]].generation;
  }
  const Group& part(size_t group) const { return state.groups[state.plans.front().groups[group]]; }
  int32_t held_at(const std::string& cluster, size_t group, uint32_t row) const {
    return part(group).at(row, member_of(part(group), find_cluster(state, cluster))).held;
  }
  int32_t due_at(const std::string& cluster, size_t group, uint32_t row) const {
    return part(group).at(row, member_of(part(group), find_cluster(state, cluster))).due;
  }
  int64_t asked_of(const std::string& cluster) const {
    int64_t most = 0;
    for (const auto& [generation, group] : agents.at(cluster).groups)
      for (uint32_t row = 0; row < group.rows.size(); ++row)
        most = std::max(most, asked(agents.at(cluster), generation, row));
    return most;
  }
  int32_t limits_of(const std::string& cluster) const {
    int32_t sum = 0;
    for (const auto& [generation, group] : agents.at(cluster).groups)
      for (const AgentRow& row : group.rows) sum += row.limit;
    return sum;
  }
  int32_t lost_by(const std::string& cluster, size_t group, uint32_t row) const {
    return kSlots - held_at(cluster, group, row);
  }
};

}  // namespace

TEST_CASE("a reclaim from an agent that chooses names a sum of hosts, and takes what it gives") {
  ChoosingSite site;
  REQUIRE(site.held("west") == 12);
  site.wants("north", 2);
  REQUIRE(site.asked_of("west") == 2);
  REQUIRE(site.agents["west"].sets.size() == 1);
  CHECK(site.agents["west"].sets[0].set.sum == 10);
  CHECK(site.agents["west"].sets[0].set.hosts.size() == 3);
  CHECK(site.agents["west"].sets[0].set.grace_ms == 60'000);
  CHECK(site.limits_of("west") == 12);  // no host is named
  site.end_work("west", 0, 2, 1);
  site.end_work("west", 0, 1, 1);
  CHECK(site.asked_of("west") == 0);
  for (const uint32_t row : {1U, 2U}) {
    CHECK(site.held_at("north", 0, row) == 1);
    CHECK(site.due_at("north", 0, row) == 1);
    CHECK(site.lost_by("west", 0, row) == 1);
  }
  CHECK(site.held("west") == 10);
  CHECK(site.held("north") == 2);
  CHECK(site.pool().transfers.empty());
  site.cycle();
  site.cycle();
  CHECK(site.held("west") == 10);
}

TEST_CASE("an agent that does not choose is told which hosts, as before") {
  ChoosingSite site;
  site.agents["west"].chooses = false;
  site.hello("west");
  site.settle();
  site.wants("north", 2);
  CHECK(site.agents["west"].sets.empty());
  int32_t shrinking = 0;
  for (const AgentRow& row : site.agents["west"].groups.at(site.generation(0)).rows)
    shrinking += row.shrink_to >= 0 ? kSlots - row.shrink_to : 0;
  CHECK(shrinking == 2);
}

TEST_CASE("one order covers all groups of the plan: what another provider's host gives counts") {
  ChoosingSite site(two_policies(halves()), 2);
  REQUIRE(site.limits_of("west") == 12);
  site.wants("north", 3);
  REQUIRE(site.agents["west"].sets.size() == 1);
  CHECK(site.agents["west"].sets[0].set.hosts.size() == 3);
  const size_t given = site.part(0).transfers.empty() ? 0 : 1;  // not where it was nominated
  for (int slot = 0; slot < 3; ++slot) site.end_work("west", given, 0, 1);
  CHECK(site.asked_of("west") == 0);
  CHECK(site.held_at("north", given, 0) == 3);
  CHECK(site.lost_by("west", given, 0) == 3);
  for (const size_t group : {0U, 1U}) CHECK(site.part(group).transfers.empty());
  CHECK(site.limits_of("west") == 9);
}

TEST_CASE("what is nominated in two groups may all come from one host") {
  ChoosingSite site(two_policies(halves()), 2);
  site.wants("north", 6);
  REQUIRE(site.asked_of("west") == 6);
  site.end_work("west", 1, 0, 4);
  site.end_work("west", 0, 1, 2);
  CHECK(site.asked_of("west") == 0);
  CHECK(site.held_at("north", 1, 0) == 4);
  CHECK(site.held_at("north", 0, 1) == 2);
  CHECK(site.limits_of("west") == 6);
}

TEST_CASE(
    "a second reclaim during the first raises what the sum is less, and takes nothing twice") {
  ChoosingSite site;
  site.wants("north", 1);
  REQUIRE(site.asked_of("west") == 1);
  site.wants("north", 3);
  CHECK(site.asked_of("west") == 3);
  CHECK(site.agents["west"].sets.size() == 1);
  site.end_work("west", 0, 2, 3);
  CHECK(site.held("west") == 9);
  CHECK(site.held_at("north", 0, 2) == 3);
  site.cycle();
  CHECK(site.held("west") == 9);
}

TEST_CASE("a reclaim that is cancelled is over at the agent too, also in part") {
  ChoosingSite site;
  site.wants("north", 3);
  REQUIRE(site.asked_of("west") == 3);
  Plan less = halves();
  less.consumers[1].limit = 1;
  site.load(plan_config(less, 3, kSlots));
  site.settle();
  CHECK(site.asked_of("west") == 1);
  less.consumers[1].limit = 0;
  site.load(plan_config(less, 3, kSlots));
  site.settle();
  CHECK(site.asked_of("west") == 0);
  site.end_work("west", 0, 0, 4);
  CHECK(site.held("west") == 12);
}

TEST_CASE("what an agent gave up just before its reclaim was cancelled comes back to it") {
  ChoosingSite site;
  site.wants("north", 2);
  Agent& west = site.agents["west"];
  west.groups.at(site.generation(0)).rows[2].used -= 2;
  Site::give_to_sets(west);  // its statement is under way
  Plan none = halves();
  none.consumers[1].limit = 0;
  site.load(plan_config(none, 3, kSlots));
  site.settle();
  site.cycle();
  CHECK(site.asked_of("west") == 0);
  CHECK(site.held("west") == 12);
  CHECK(site.limits_of("west") == 12);
}

TEST_CASE(
    "an order for a set that is lost is given again, one that is doubled or late does nothing") {
  ChoosingSite site;
  Agent& west = site.agents["west"];
  west.pending = 0;
  site.agents["north"].pending = 2;
  site.report("north");
  for (int ticks = 0; ticks < 10 && west.inbox.empty(); ++ticks) {
    site.now = std::max(site.now, next_deadline(site.state));
    site.step(Tick{});
  }
  REQUIRE_FALSE(west.inbox.empty());
  const wire::Message order = west.inbox.back();
  west.inbox.clear();  // lost
  site.settle();
  CHECK(site.asked_of("west") == 0);
  site.pass(300'000);  // overdue
  CHECK(site.asked_of("west") == 2);
  site.end_work("west", 0, 1, 2);
  for (int again = 0; again < 2; ++again) {
    west.inbox.push_back(order);
    site.settle();
  }
  site.end_work("west", 0, 2, 1);
  CHECK(site.asked_of("west") == 0);
  CHECK(site.limits_of("west") == 10);
}

TEST_CASE("a set outlives the death of the agent, and of the broker") {
  ChoosingSite site;
  site.wants("north", 2);
  site.kill_agent("west");
  site.lose("west");
  site.hello("west");
  site.settle();
  CHECK(site.asked_of("west") == 2);
  site.restart_broker();
  for (const char* name : {"east", "west", "north", "south"}) site.hello(name);
  site.settle();
  CHECK(site.asked_of("west") == 2);
  site.end_work("west", 0, 2, 2);
  site.cycle();
  CHECK(site.held_at("north", 0, 2) == 2);
  CHECK(site.held("west") == 10);
}

TEST_CASE(
    "a host that must be given back whatever the plan says is named, the rest may be chosen") {
  ChoosingSite site;
  OperatorCommand close;
  close.command = Command::close;
  close.cluster = "east";
  close.host = "h1";
  close.reclaim = true;
  close.by = "test";
  site.wants("north", 2);
  site.step(close);
  site.settle();
  site.cycle();
  const Agent& west = site.agents["west"];
  CHECK(west.groups.at(site.generation(0)).rows[1].shrink_to == 0);
  for (const AgentSet& held : west.sets)
    for (const wire::SetHost& host : held.set.hosts) CHECK(host.host != 1);
}

TEST_CASE("a claimant's requirement says which hosts are in the set") {
  Plan plan = halves();
  plan.consumers[1].select = "mem>100";
  BrokerConfig config = plan_config(plan, 3, kSlots);
  ChoosingSite site(config, 3);
  for (wire::HostFacts& host : site.agents["east"].hosts) host.mem_mb = host.name == "h0" ? 0 : 200;
  site.hello("east");
  site.settle();
  site.wants("north", 2);
  REQUIRE(site.agents["west"].sets.size() == 1);
  const std::vector<wire::SetHost>& hosts = site.agents["west"].sets[0].set.hosts;
  CHECK(hosts.size() == 2);
  for (const wire::SetHost& host : hosts) CHECK(host.host != 0);
}

TEST_CASE("claimants that can use different hosts: one of them gets its hosts by name") {
  Plan plan = plan_of({{"/A", "west", 0, 60'000}, {"/B", "north", 6, 0}, {"/C", "south", 6, 0}});
  plan.consumers[1].select = "mem>100";
  ChoosingSite site(plan_config(plan, 3, kSlots), 3);
  for (wire::HostFacts& host : site.agents["east"].hosts) host.mem_mb = host.name == "h0" ? 0 : 200;
  site.hello("east");
  site.settle();
  site.agents["south"].pending = 2;
  site.report("south");
  site.wants("north", 2);
  const Agent& west = site.agents["west"];
  REQUIRE(west.sets.size() == 1);
  int64_t named = 0;
  for (const AgentRow& row : west.groups.at(site.generation(0)).rows)
    named += row.shrink_to >= 0 ? row.limit - row.shrink_to : 0;
  CHECK(site.asked_of("west") + named == 4);
  CHECK(named == 2);
  // Both get theirs, whatever the agent gives of the set.
  for (uint32_t row = 0; row < 3; ++row) {
    AgentRow& at = site.agents["west"].groups.at(site.generation(0)).rows[row];
    at.used = std::max(0, at.used - 2);
    if (at.shrink_to >= 0) at.limit = std::max(at.shrink_to, std::min(at.limit, at.used));
    Site::give_to_sets(site.agents["west"]);
  }
  site.settle();
  site.cycle();
  CHECK(site.held("north") == 2);
  CHECK(site.held("south") == 2);
  CHECK(site.held("west") == 8);
}

TEST_CASE("under exclusive placement whole hosts are asked for, whichever") {
  Plan plan = plan_of({{"/A", "west", 8, 60'000}, {"/B", "north", 4, 0}});
  plan.placement = Placement::exclusive;
  ChoosingSite site(plan);
  REQUIRE(site.held("west") == 12);
  site.wants("north", 4);
  REQUIRE(site.agents["west"].sets.size() == 1);
  CHECK(site.agents["west"].sets[0].set.whole_hosts);
  CHECK(site.agents["west"].sets[0].set.hosts.size() == 3);
  CHECK(site.asked_of("west") == 4);
  site.end_work("west", 0, 1, 4);
  site.cycle();
  CHECK(site.held_at("north", 0, 1) == 4);
  CHECK(site.held_at("west", 0, 0) == 4);
  CHECK(site.held_at("west", 0, 2) == 4);
  CHECK(site.asked_of("west") == 0);
}

TEST_CASE("the provider's own leaf gives up slots of whichever of its hosts, as any other") {
  ChoosingSite site(
      plan_config(plan_of({{"/A", "east", 6, 60'000}, {"/B", "north", 6, 0}}), 3, kSlots), 3);
  site.agents["east"].chooses = true;
  site.hello("east");
  site.settle();
  site.fill("east");
  REQUIRE(site.held("east") == 12);
  site.wants("north", 2);
  REQUIRE(site.asked_of("east") == 2);
  site.end_work("east", 0, 2, 2);
  CHECK(site.held_at("north", 0, 2) == 2);
  CHECK(site.held("east") == 10);
}

TEST_CASE("the provider's own leaf gets slots of whichever host its borrower chose") {
  ChoosingSite site(
      plan_config(plan_of({{"/A", "west", 6, 60'000}, {"/B", "east", 6, 0}}), 3, kSlots), 3);
  REQUIRE(site.held("west") == 12);
  site.wants("east", 2);
  REQUIRE(site.asked_of("west") == 2);
  site.end_work("west", 0, 2, 2);
  CHECK(site.held_at("east", 0, 2) == 2);
  CHECK(site.held("west") == 10);
}

TEST_CASE("a host that its owner calls down is in no set") {
  ChoosingSite site;
  site.agents["east"].hosts[2].up = false;
  site.step(InventoryReported{"east", site.agents["east"].session, site.agents["east"].hosts});
  site.settle();
  site.wants("north", 2);
  for (const AgentSet& held : site.agents["west"].sets)
    for (const wire::SetHost& host : held.set.hosts) CHECK(host.host != 2);
  CHECK(site.asked_of("west") == 2);
}

TEST_CASE("frozen leases ask for nothing, thawed ones for what is still missing") {
  ChoosingSite site;
  site.wants("north", 2);
  OperatorCommand command;
  command.by = "test";
  command.command = Command::freeze;
  site.step(command);
  site.settle();
  CHECK(site.asked_of("west") == 0);
  command.command = Command::thaw;
  site.step(command);
  site.settle();
  CHECK(site.asked_of("west") == 2);
}

TEST_CASE("history tells of one reclaim, whichever hosts it came from") {
  ChoosingSite site;
  const auto count = [&](RecordKind kind) { return site.count(kind); };
  const int started = count(RecordKind::transfer_started);
  const int done = count(RecordKind::transfer_done);
  site.wants("north", 2);
  CHECK(left_to_agent(site.pool(), site.pool().transfers.front()));
  site.end_work("west", 0, 2, 1);
  site.end_work("west", 0, 1, 1);
  CHECK(count(RecordKind::transfer_started) == started + 1);
  CHECK(count(RecordKind::transfer_done) == done + 1);
}

TEST_CASE("of two orders in one batch only the later is sent, to each group and with its sets") {
  const auto sent = [](Command first, Command second) {
    ChoosingSite site(two_policies(halves()), 2);
    site.wants("north", 6);
    Effects batch;
    for (const Command what : {first, second}) {
      OperatorCommand command;
      command.command = what;
      command.by = "test";
      step(site.state, command, site.now, batch);
    }
    std::map<uint64_t, int> named;
    size_t sets = 0;
    for (const SendOrder& made : batch.orders) {
      if (made.generation == 0 || made.cluster != find_cluster(site.state, "west")) continue;
      wire::Order order;
      batch.write(made, 1, order);
      ++named[order.generation];
      for (const wire::OrderPart& part : order.parts) ++named[part.generation];
      sets += order.sets.size();
    }
    for (const auto& [generation, times] : named) CHECK(times == 1);
    CHECK(named.size() == 2);
    return sets;
  };
  CHECK(sent(Command::freeze, Command::thaw) == 1);
  CHECK(sent(Command::thaw, Command::freeze) == 0);
  CHECK(sent(Command::thaw, Command::thaw) == 1);
}
