// A model of reclaims for sets of hosts, walked at random: one broker's ledger, one agent with the
// limits and sets of agent/core, and between them orders and statements that are late, doubled,
// lost and out of turn. At every step the agent lets its cluster use no more than the ledger says
// that it holds, and gives up no more than was asked; once the faults stop, all that was asked is
// there.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <deque>
#include <random>

#include "agent/core/reclaim/sets.hpp"

namespace leasehold::agent {
namespace {

constexpr int kGroups = 2;
constexpr uint32_t kHosts = 2;
constexpr int32_t kSlots = 4;

uint64_t generation_of(int group) {
  return 7 + static_cast<uint64_t>(group);
}

/// A statement is all that an agent says of a group under one number.
struct Statement {
  int group = 0;
  uint64_t seq = 0;
  std::vector<int32_t> limits;
};

class ModelAgent {
 public:
  ModelAgent() {
    wire::Configuration configuration;
    std::vector<GroupLimits> limits;
    for (int g = 0; g < kGroups; ++g) {
      wire::ConfiguredGroup group;
      group.generation = generation_of(g);
      group.role = wire::Role::consumer;
      group.peer = "west";
      GroupLimits known;
      known.generation = group.generation;
      known.role = group.role;
      known.hosts.resize(kHosts);
      for (uint32_t h = 0; h < kHosts; ++h) {
        group.hosts.push_back({"h" + std::to_string(g) + std::to_string(h), kSlots, false});
        known.hosts[h].limit = kSlots;
      }
      configuration.groups.push_back(group);
      limits.push_back(known);
      used[g].assign(kHosts, 0);
    }
    book.restore(configuration, limits, {});
  }

  GroupLimits& limits(int group) { return book.find(generation_of(group))->limits; }

  /// Takes effect at once: fences hold, use is read, limits are on disk.
  void take(const wire::Order& order) {
    std::vector<wire::Order> parts{order};
    for (const wire::OrderPart& more : order.parts) {
      parts.push_back(order);
      parts.back().generation = more.generation;
      parts.back().hosts = more.hosts;
    }
    if (!order.sets.empty() && !late(parts)) {
      REQUIRE(check_sets(order));
      sets.take(order);
    }
    for (const wire::Order& part : parts) apply(part);
    mind();
  }

  bool late(const std::vector<wire::Order>& parts) {
    return std::any_of(parts.begin(), parts.end(), [&](const wire::Order& part) {
      return limits(static_cast<int>(part.generation - 7)).seq >= part.seq;
    });
  }

  void apply(const wire::Order& part) {
    const int g = static_cast<int>(part.generation - 7);
    if (judge(limits(g), part.seq) != Verdict::applies) return;
    LeasedGroup& group = *book.find(part.generation);
    group.limits = finish_order(begin_order(group.limits, group.configured, part), part, used[g]);
  }

  void mind() {
    sets.drop_ended(book, {});
    sets.withhold(book);
  }

  /// A look: what came free is given up.
  void look() {
    mind();
    UseByGeneration by_generation;
    for (int g = 0; g < kGroups; ++g) {
      lower_to_use(limits(g), used[g]);
      by_generation.emplace(generation_of(g), used[g]);
    }
    sets.lower(book, by_generation);
    mind();
  }

  /// The process ends and begins again with what is on disk.
  void restart() {
    for (int g = 0; g < kGroups; ++g) {
      for (HostLimit& host : limits(g).hosts) host.withheld = 0;
    }
    mind();
  }

  Book book{HostNames{}};
  ReclaimSets sets;
  std::vector<int32_t> used[kGroups];
};

class Model {
 public:
  explicit Model(uint64_t seed) : random_(seed) {
    for (int g = 0; g < kGroups; ++g) held_[g].assign(kHosts, kSlots);
    order();
    deliver_all();
  }

  void run(int moves) {
    for (int i = 0; i < moves; ++i) {
      move();
      check();
    }
    heal();
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<uint64_t>(limit)); }

  void move() {
    switch (below(12)) {
      case 0:
        want_ += below(3);  // a reclaim, or one more during the first
        return order();
      case 1:
        want_ = below(static_cast<int>(want_) + 1);  // cancelled, all or in part
        return order();
      case 2:
        return order();  // said again, with a new number
      case 3:
        return grant_back();
      case 4:
        return agent_.restart();
      case 5:
        return shuffle(orders_);
      case 6:
        return shuffle(statements_);
      case 7:
        return use_anew();
      case 8:
        agent_.look();
        return state();
      case 9:
      case 10:
        return deliver_order();
      default:
        return deliver_statement();
    }
  }

  /// Lost, doubled or late.
  template <class T>
  void shuffle(std::deque<T>& queue) {
    if (queue.empty()) return;
    const T message = queue.front();
    const int what = below(3);
    if (what != 1) queue.pop_front();
    if (what != 0) queue.push_back(message);
  }

  int64_t sum() const {
    int64_t slots = 0;
    for (const auto& group : held_) {
      for (const int32_t held : group) slots += held;
    }
    return slots;
  }

  /// One order for all groups while slots are wanted; else one for any of them.
  void order() {
    want_ = std::min(want_, sum());
    wire::Order made;
    made.seq = ++seq_;
    if (want_ == 0 && below(2) == 0) {
      name(below(kGroups), made);
      orders_.push_back(made);
      made.parts.clear();
      made.seq = ++seq_;
    }
    for (int g = 0; g < kGroups; ++g) name(g, made);
    if (want_ > 0) {
      wire::ReclaimSet set;
      set.sum = sum() - want_;
      for (int g = 0; g < kGroups; ++g) {
        for (uint32_t h = 0; h < kHosts; ++h) set.hosts.push_back({generation_of(g), h});
      }
      made.sets.push_back(set);
    }
    orders_.push_back(made);
  }

  void name(int g, wire::Order& order) {
    std::vector<wire::OrderedHost> hosts;
    for (uint32_t h = 0; h < kHosts; ++h) {
      hosts.push_back({h, held_[g][h], wire::Lowering::release});
    }
    if (order.generation == 0 || order.generation == generation_of(g)) {
      order.generation = generation_of(g);
      order.hosts = hosts;
    } else {
      order.parts.push_back({generation_of(g), hosts});
    }
    latest_[g] = order.seq;
  }

  /// Slots that came free go to another; some of them come back.
  void grant_back() {
    for (int g = 0; g < kGroups; ++g) {
      for (uint32_t h = 0; h < kHosts; ++h) {
        if (held_[g][h] == kSlots || below(2) == 0) continue;
        ++held_[g][h];
        return order();
      }
    }
  }

  void use_anew() {
    for (int g = 0; g < kGroups; ++g) {
      for (uint32_t h = 0; h < kHosts; ++h) {
        const HostLimit& host = agent_.limits(g).hosts[h];
        int32_t& used = agent_.used[g][h];
        const int32_t open = std::max(used, enforced(host));  // nothing new starts above the fence
        used = below(open + 1);
      }
    }
  }

  void state() {
    for (int g = 0; g < kGroups; ++g) {
      Statement said{g, agent_.limits(g).seq, {}};
      for (const HostLimit& host : agent_.limits(g).hosts) said.limits.push_back(host.limit);
      statements_.push_back(said);
    }
  }

  void deliver_order() {
    if (orders_.empty()) return;
    const wire::Order order = orders_.front();
    orders_.pop_front();
    agent_.take(order);
    state();
  }

  /// The ledger is lowered only to what is stated under the latest number.
  void deliver_statement() {
    if (statements_.empty()) return;
    const Statement said = statements_.front();
    statements_.pop_front();
    if (said.seq != latest_[said.group]) return;
    for (uint32_t h = 0; h < kHosts; ++h) {
      const int32_t came = held_[said.group][h] - said.limits[h];
      REQUIRE(came >= 0);
      held_[said.group][h] = said.limits[h];
      want_ -= came;
    }
    INFO("more was given up than was asked for");
    REQUIRE(want_ >= 0);
  }

  void deliver_all() {
    while (!orders_.empty()) deliver_order();
    while (!statements_.empty()) deliver_statement();
  }

  /// Nothing is used that the ledger does not say is held: no slot twice.
  void check() {
    for (int g = 0; g < kGroups; ++g) {
      for (uint32_t h = 0; h < kHosts; ++h) {
        const HostLimit& host = agent_.limits(g).hosts[h];
        REQUIRE(host.limit <= held_[g][h]);
        REQUIRE(enforced(host) <= host.limit);
        REQUIRE(agent_.used[g][h] <= host.limit);
      }
    }
  }

  /// Everything arrives, and the work ends that has to: not one slot more than was asked.
  void heal() {
    orders_.clear();
    statements_.clear();
    order();
    deliver_all();
    const int64_t reached = sum() - want_;
    for (int round = 0; round < 40 && want_ > 0; ++round) {
      end_one();
      agent_.look();
      state();
      deliver_all();
      check();
    }
    REQUIRE(want_ == 0);
    REQUIRE(sum() == reached);
    for (int g = 0; g < kGroups; ++g) {
      for (uint32_t h = 0; h < kHosts; ++h) REQUIRE(agent_.limits(g).hosts[h].limit == held_[g][h]);
    }
  }

  void end_one() {
    for (int g = 0; g < kGroups; ++g) {
      for (int32_t& used : agent_.used[g]) {
        if (used == 0) continue;
        --used;
        return;
      }
    }
  }

  std::mt19937_64 random_;
  ModelAgent agent_;
  std::vector<int32_t> held_[kGroups];
  uint64_t latest_[kGroups] = {};
  uint64_t seq_ = 0;
  int64_t want_ = 0;
  std::deque<wire::Order> orders_;
  std::deque<Statement> statements_;
};

}  // namespace

TEST_CASE("sets of hosts: no slot twice, none lost, nothing taken twice on any walk", "[walk]") {
  const char* more = std::getenv("LEASEHOLD_WALKS");
  const uint64_t walks = more == nullptr ? 2'000 : std::strtoull(more, nullptr, 10);
  for (uint64_t seed = 1; seed <= walks; ++seed) {
    INFO("seed " << seed);
    Model(seed).run(150);
  }
}

}  // namespace leasehold::agent
