// Random walks under a resource plan: two providers, three leaves, one of them a provider itself
// (walker.hpp). In some of them agents tell the shapes of their work.
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/plan/snapshot.hpp"
#include "broker/core/plan/take_snapshot.hpp"
#include "broker/rules/plan/evaluate.hpp"
#include "tests/support/plan_work_checks.hpp"
#include "tests/unit/core/plan/site.hpp"
#include "tests/unit/core/walker.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int32_t kSlots = 4;

/// Agents tell nothing of the slots that wait, that each is a job, or jobs of two on a host, which
/// they are not.
enum class Tells : uint8_t { nothing, narrow, wide };

wire::Demand shapes_of(Tells tells, int64_t pending) {
  wire::DemandBucket bucket;
  bucket.slots_per_host = tells == Tells::wide ? 2 : 1;
  bucket.jobs = pending / bucket.slots_per_host;
  bucket.slots = bucket.jobs * bucket.slots_per_host;
  return bucket.jobs > 0 ? wire::Demand{bucket} : wire::Demand{};
}

/// east and north export; /A is west, /B north itself, /C south; numbers by the walk's choice.
BrokerConfig two_providers(Plan plan) {
  BrokerConfig config = plan_config(std::move(plan), 2, kSlots);
  ExportPolicy more = config.policies.front();
  more.name = "more";
  more.provider = "north";
  more.hosts = {"h0"};
  more.slots_per_host = 3;
  config.policies.push_back(more);
  config.resource_groups.front().policies.push_back("more");
  config.resource_groups.front().use_by_ms = 20'000;  // agents use what they have as it happens
  return config;
}

class PlanWalk : public Walker {
 public:
  explicit PlanWalk(uint64_t seed)
      : Walker(seed, two_providers(plan_of(leaves(3, 3, 3))), {"east", "west", "north", "south"}),
        policy_(static_cast<PlanPolicy>(seed % 3)),
        tells_(static_cast<Tells>(seed / 3 % 3)) {
    site_.state.config = two_providers(any_plan());
    for (const std::string& cluster : clusters_) site_.agent(cluster).chooses = below(2) == 0;
    site_.add_hosts("east", 2, kSlots);
    site_.add_hosts("north", 1, kSlots);
    site_.recorder = [this](const Event&, std::span<const Record>) { watch(); };
    site_.start();
  }

  int sets_ordered() const { return sets_; }
  int misfits() const { return misfits_; }
  int unused() const { return unused_; }

  void count_moves(std::map<Reason, int>& moved) const {
    for (const Record& row : site_.history) {
      const bool consumer = row.kind == RecordKind::consumer && row.slots != 0;
      if (consumer || row.kind == RecordKind::transfer_started) ++moved[row.reason];
    }
  }

 private:
  void watch() {
    plan_work_.look(site_.state);
    if (!plan_work_.ended_in_vain.empty()) FAIL(plan_work_.ended_in_vain);
    if (!plan_work_.kept_unused.empty()) FAIL(plan_work_.kept_unused);
  }

  static std::vector<LeafSpec> leaves(int64_t a, int64_t b, int64_t c) {
    return {{"/A", "west", a, 0}, {"/B", "north", b, 0}, {"/C", "south", c, 20'000}};
  }

  Plan any_plan() {
    Plan plan = plan_of(leaves(below(5), below(5), below(5)), policy_);
    plan.placement = static_cast<Placement>(below(3));
    plan.reclaim_shared = below(4) > 0;
    plan.evenly_distribute = policy_ == PlanPolicy::hybrid && below(3) == 0;
    for (PlanConsumer& consumer : plan.consumers) {
      consumer.rank = below(3);
      if (below(3) == 0) consumer.limit = below(9);
      if (policy_ == PlanPolicy::ownership && below(2) == 0) {
        consumer.lend_limit = below(4);
        consumer.borrow_from = ConsumerList{true, {}, {}};
      }
    }
    if (below(4) == 0) plan.consumers.pop_back();
    if (below(2) == 0) put_into_branch(plan);
    return plan;
  }

  /// The first two leaves become those of a branch.
  void put_into_branch(Plan& plan) {
    PlanConsumer branch;
    branch.path = "/lab";
    if (below(3) == 0) branch.limit = below(12);
    plan.consumers.insert(plan.consumers.begin(), branch);
    for (const size_t leaf : {1, 2}) {
      plan.consumers[leaf].parent = 0;
      plan.consumers[leaf].path = "/lab" + plan.consumers[leaf].path;
    }
  }

  BrokerConfig any_config() override {
    BrokerConfig config = two_providers(any_plan());
    Plan& plan = config.resource_groups.front().variants.front();
    if (below(3) == 0) {
      put_off_moves(plan);
      plan.dead_zone_slots = below(2);
    }
    config.policies.back().slots_per_host = 1 + below(4);
    if (below(5) == 0) {
      config.resource_groups.front().policies.pop_back();  // then a lease of nobody
    }
    if (below(6) == 0) config.policies.front().hosts.pop_back();
    if (below(8) == 0) config.resource_groups.clear();
    return config;
  }

  /// Anti-flap settings that only delay a move.
  void put_off_moves(Plan& plan) {
    plan.min_hold_ms = 15'000 * below(3);
    plan.max_share_moved_ppm = 1'000'000 >> below(3);
    plan.reclaim_backoff_ms = 20'000 * below(2);
  }

  BrokerConfig last_config() override {
    Plan plan = any_plan();
    if (below(3) == 0) put_off_moves(plan);
    return two_providers(std::move(plan));
  }

  void move_own(Agent& agent) override {
    for (const AgentSet& held : agent.sets) sets_ += held.set.hosts.size() > 1 ? 1 : 0;
    if (below(6) == 0) agent.pending = below(10);
    tell(agent);
  }

  void tell(Agent& agent) {
    if (tells_ != Tells::nothing) agent.demand = shapes_of(tells_, agent.pending);
    for (const ResourceGroupLedger& group : site_.state.resource_groups) {
      for (const PlanConsumerLedger& leaf : group.consumers) {
        misfits_ += leaf.reason == Reason::shape_misfit ? 1 : 0;
        unused_ += leaf.reason == Reason::grant_unused ? 1 : 0;
      }
    }
  }

  /// Demands stay; jobs end wherever slots are asked back, and new ones take what is free.
  void work(Agent& agent, int32_t wanted) {
    for (auto& [generation, group] : agent.groups) {
      for (const bool asked : {false, true}) {
        for (uint32_t at = 0; at < group.rows.size(); ++at) {
          AgentRow& row = group.rows[at];
          const auto chosen = static_cast<int32_t>(Site::asked(agent, generation, at));
          if ((row.shrink_to >= 0 || chosen > 0) != asked) continue;
          const int32_t kept = row.shrink_to >= 0 ? std::min(row.limit, row.shrink_to) : row.limit;
          row.used = std::max(0, std::min(wanted, kept - chosen));
          wanted -= row.used;
          if (row.shrink_to >= 0) {
            row.limit = std::max(row.shrink_to, std::min(row.limit, row.used));
          }
          Site::give_to_sets(agent);
        }
      }
    }
    agent.pending = wanted;
    tell(agent);
  }

  void connect_all_idle() override {
    std::map<std::string, int32_t> wanted;
    for (const char* name : {"west", "north", "south"}) wanted[name] = below(12);
    for (int i = 0; i < 40; ++i) {
      for (auto& [name, agent] : site_.agents) work(agent, wanted[name]);
      site_.run_until_idle();
      site_.pass(10'000);
      check();
    }
    the_plan_is_met();
  }

  /// Checks that members hold what they are due, and that the plan asks for nothing more: no slot
  /// stays with one leaf, or with none, that another is due.
  void the_plan_is_met() {
    for (const SlotGroup& group : site_.state.slot_groups) {
      if (group.resource_group == kNoIndex || group.phase == Phase::closed) continue;
      for (uint32_t row = 0; row < group.hosts.size(); ++row) {
        for (size_t m = kProvider; m < group.members.size(); ++m) {
          INFO(site_.state.clusters[group.members[m].cluster].name << " row " << row);
          REQUIRE(group.at(row, m).held == group.at(row, m).due);
        }
      }
    }
    const PlanSnapshot snapshot = take_snapshot(site_.state, 0);
    REQUIRE(snapshot.plan != nullptr);
    const PlanAnswer answer = evaluate_plan(*snapshot.plan, snapshot.state);
    if (snapshot.in_slots) return;      // whole hosts: some claims wait
    if (tells_ == Tells::wide) return;  // what is used in parts leaves no room for two at once
    for (const PlanMove& move : answer.moves) {
      CAPTURE(move.from, move.to, move.slots, token(move.reason));
      REQUIRE(false);
    }
    for (const PlanRow& row : answer.rows) REQUIRE(row.shrink == 0);
  }

  const PlanPolicy policy_;
  const Tells tells_;
  PlanWorkWatch plan_work_;
  int misfits_ = 0;  // how often a leaf was seen of whose work nothing would start
  int unused_ = 0;   // and one that gave back what it left unused
  int sets_ = 0;     // orders that left the choice of hosts to an agent
};

}  // namespace

TEST_CASE("plan: no slot is enforced twice on any walk, and quotas are met once the faults stop",
          "[walk]") {
  std::map<Reason, int> moved;
  int sets = 0;
  int misfits = 0;
  int unused = 0;
  for (uint64_t seed = 1; seed <= walks_to_run(600); ++seed) {
    INFO("seed " << seed);
    PlanWalk walk(seed);
    walk.run(400);
    walk.count_moves(moved);
    sets += walk.sets_ordered();
    misfits += walk.misfits();
    unused += walk.unused();
  }
  CHECK(sets > 0);
  CHECK(misfits > 0);
  CHECK(unused > 0);
  // A walk that moves nothing shows nothing.
  for (const Reason reason : {Reason::below_quota, Reason::reclaim_quota, Reason::over_limit,
                              Reason::over_owned, Reason::own_idle, Reason::borrow}) {
    INFO(token(reason));
    CHECK(moved[reason] > 0);
  }
}

namespace {

/// Three leaves that all choose among the hosts of one provider, and want more and less all the
/// time.
class ChoosingWalk : public Walker {
 public:
  explicit ChoosingWalk(uint64_t seed)
      : Walker(seed, config_of(static_cast<PlanPolicy>(seed % 3), seed % 4 == 0),
               {"east", "west", "north", "south"}),
        config_(site_.state.config) {
    for (const std::string& cluster : clusters_) site_.agent(cluster).chooses = true;
    site_.add_hosts("east", 3, kSlots);
    site_.start();
  }

  /// Faults are rarer than elsewhere: a plan has to be carried out for reclaims to meet them.
  void walk(int moves) {
    for (const std::string& cluster : clusters_) site_.hello(cluster);
    site_.run_until_idle();
    for (int i = 0; i < moves; ++i) {
      below(12) == 0 ? move() : work_on();
      check();
    }
    heal();
  }

  int chosen() const { return chosen_; }

 private:
  static BrokerConfig config_of(PlanPolicy policy, bool exclusive) {
    Plan plan = plan_of(
        {{"/A", "west", 5, 20'000}, {"/B", "north", 4, 0}, {"/C", "south", 3, 20'000}}, policy);
    plan.placement = exclusive ? Placement::exclusive : Placement::stacked;
    if (policy == PlanPolicy::ownership) {
      for (PlanConsumer& consumer : plan.consumers) {
        consumer.lend_limit = consumer.owned;
        consumer.borrow_from = ConsumerList{true, {}, {}};
      }
    }
    return plan_config(std::move(plan), 3, kSlots);
  }

  BrokerConfig any_config() override { return config_; }
  BrokerConfig last_config() override { return config_; }

  void move_own(Agent& agent) override {
    for (const AgentSet& held : agent.sets) {
      const bool open =
          site_.asked(agent, held.set.hosts.front().generation, held.set.hosts.front().host) > 0;
      chosen_ += open && held.set.hosts.size() > 1 ? 1 : 0;
    }
    if (below(3) == 0) agent.pending = below(3) == 0 ? 0 : below(14);
  }

  void work_on() {
    site_.now = site_.now + below(2'000);
    const std::string cluster = any_cluster();
    Agent& agent = site_.agent(cluster);
    site_.live();
    move_own(agent);
    const int what = below(10);
    if (what < 5) {
      site_.take_one(cluster);
    } else if (what < 7) {
      change_use(agent);
      site_.report(cluster);
    } else if (what < 9) {
      site_.now = std::max(site_.now, next_deadline(site_.state));
      site_.step(Tick{});
    } else if (!agent.connected) {
      site_.hello(cluster);
    }
  }

  /// Mostly all is in use that may be, so that a reclaim has to wait; now and then some work ends.
  void change_use(Agent& agent) override {
    if (below(5) == 0) return Walker::change_use(agent);
    for (auto& [generation, group] : agent.groups) {
      for (uint32_t at = 0; at < group.rows.size(); ++at) {
        AgentRow& row = group.rows[at];
        if (row.closed || row.shrink_to >= 0 || Site::asked(agent, generation, at) > 0) continue;
        row.used = row.limit;
        group.ever_used = group.ever_used || row.used > 0;
      }
    }
  }

  void connect_all_idle() override {
    for (int i = 0; i < 40; ++i) {
      for (auto& [name, agent] : site_.agents) {
        agent.pending = 0;
        idle(agent);
        Site::give_to_sets(agent);
      }
      site_.run_until_idle();
      site_.pass(10'000);
      check();
    }
    for (const SlotGroup& group : site_.state.slot_groups) {
      if (group.phase != Phase::closed) CHECK(group.transfers.empty());
    }
  }

  const BrokerConfig config_;
  int chosen_ = 0;
};

}  // namespace

TEST_CASE("plan: agents that choose hosts take nothing twice and lose nothing on any walk",
          "[walk]") {
  int chosen = 0;
  for (uint64_t seed = 1; seed <= walks_to_run(300); ++seed) {
    INFO("seed " << seed);
    ChoosingWalk walk(seed);
    walk.walk(600);
    chosen += walk.chosen();
  }
  CHECK(chosen > 100);  // how often such a set was open
}
