// Some properties hold for every choice, on work made by chance; the seed fixes the order.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "agent/core/preemption/preemption.hpp"
#include "agent/core/reclaim/victims.hpp"
#include "agent/core/work/deserved.hpp"
#include "tests/unit/agent/core/reclaim/made_work.hpp"

namespace leasehold::agent {
namespace {

TEST_CASE("a random seed fixes another order, and always the same") {
  std::vector<WorkUnit> units;
  for (int i = 0; i < 20; ++i) {
    units.push_back(unit(std::string("j") + static_cast<char>('a' + i), "ann",
                         std::string("h") + static_cast<char>('a' + i % 4), 100));
  }
  const WorkSessions sessions = sessions_of(units, {{"ann", 1, 20}});
  const VictimRequest request{{{"ha", 9}, {"hb", 9}, {"hc", 9}, {"hd", 9}}, 20};
  SchedulingSettings settings;
  settings.criteria = Criteria::most_recent_task;
  const auto ends = [&] {
    return ids_of(VictimChooser(units, sessions, settings, {10'000}).choose(request), units);
  };
  std::vector<Ids> orders{ends()};
  CHECK(orders[0].front() == "ja");
  CHECK(orders[0][5] == "jb");  // host by host
  for (const uint64_t seed : {1u, 2u, 3u}) {
    settings.random_seed = seed;
    orders.push_back(ends());
    CHECK(ends() == orders.back());
    std::set<std::string> hosts;
    for (size_t i = 0; i < 5; ++i) {
      hosts.insert(std::find_if(units.begin(), units.end(),
                                [&](const WorkUnit& made) { return made.id == orders.back()[i]; })
                       ->hosts[0]
                       .host);
    }
    CHECK(hosts.size() == 1);  // still one host after the other
    Ids sorted = orders.back();
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted.size() == 20);
    CHECK(std::unique(sorted.begin(), sorted.end()) == sorted.end());
  }
  std::sort(orders.begin(), orders.end());
  CHECK(std::unique(orders.begin(), orders.end()) == orders.end());
}

/// Numbers by chance, the same for the same seed.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  int32_t roll(int32_t sides) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int32_t>((state_ >> 33) % static_cast<uint64_t>(sides));
  }

 private:
  uint64_t state_;
};

std::string with_number(const char* what, int32_t number) {
  return what + std::to_string(number);
}

std::vector<WorkUnit> work_of(Dice& dice) {
  std::vector<WorkUnit> units;
  const int32_t jobs = 1 + dice.roll(20);
  for (int32_t i = 0; i < jobs; ++i) {
    const std::string user = with_number("u", dice.roll(4));
    if (dice.roll(5) == 0) {
      units.push_back(waiting(with_number("p", i), user, 1 + dice.roll(6)));
      continue;
    }
    WorkUnit made =
        unit(with_number("j", i), user, with_number("h", dice.roll(3)), dice.roll(9'000));
    made.hosts[0].slots = 1 + dice.roll(3);
    if (dice.roll(4) == 0) {
      made.hosts.push_back({with_number("h", 3 + dice.roll(3)), 1 + dice.roll(3)});
    }
    if (dice.roll(5) == 0) {
      for (int32_t slot = 0; slot < made.hosts[0].slots; ++slot) {
        made.hosts[0].shared.push_back(slot);
      }
    }
    made.slots = 0;
    for (const UnitHost& on : made.hosts) made.slots += on.slots;
    units.push_back(std::move(made));
  }
  return units;
}

SchedulingSettings settings_of(Dice& dice) {
  SchedulingSettings settings;
  settings.policy = static_cast<SchedulingPolicy>(dice.roll(3));
  settings.criteria = static_cast<Criteria>(dice.roll(2));
  settings.selective_reclaim = dice.roll(2) == 0;
  settings.preemption_scope = static_cast<PreemptionScope>(dice.roll(2));
  if (dice.roll(2) == 0) settings.random_seed = static_cast<uint64_t>(dice.roll(1'000));
  return settings;
}

WorkSessions worth_of(Dice& dice, const std::vector<WorkUnit>& units,
                      const SchedulingSettings& settings) {
  WorkSessions sessions = note_sessions({}, units, {});
  for (WorkSession& session : sessions.all) {
    session.rank = 1 + dice.roll(3);
    session.priority = 1 + dice.roll(3);
    session.preemptive = dice.roll(2) == 0;
    session.exclusive_host = dice.roll(3) == 0;
    session.min_slots = dice.roll(3);
  }
  give_deserved(sessions.all, settings.policy, 5 + dice.roll(30));
  return sessions;
}

/// Slots of `host` that are free of the units in `gone`, less those that were free before.
int64_t freed(const std::vector<WorkUnit>& units, const std::set<size_t>& gone,
              const std::string& host) {
  int64_t own = 0;
  std::set<int32_t> ending;
  std::set<int32_t> staying;
  for (size_t i = 0; i < units.size(); ++i) {
    for (const UnitHost& on : units[i].hosts) {
      if (on.host != host) continue;
      if (on.shared.empty() && gone.contains(i)) own += on.slots;
      (gone.contains(i) ? ending : staying).insert(on.shared.begin(), on.shared.end());
    }
  }
  for (const int32_t slot : staying) ending.erase(slot);
  return own + static_cast<int64_t>(ending.size());
}

int64_t freed(const std::vector<WorkUnit>& units, const std::vector<size_t>& ended,
              const std::vector<HostNeed>& hosts) {
  const std::set<size_t> gone(ended.begin(), ended.end());
  int64_t sum = 0;
  for (const HostNeed& need : hosts) {
    sum += std::min<int64_t>(need.slots, freed(units, gone, need.host));
  }
  return sum;
}

TEST_CASE("what is chosen gives the slots that are asked for, or all there is") {
  for (uint64_t seed = 0; seed < 3'000; ++seed) {
    Dice dice(seed);
    const std::vector<WorkUnit> units = work_of(dice);
    const SchedulingSettings settings = settings_of(dice);
    const WorkSessions sessions = worth_of(dice, units, settings);
    VictimRequest request;
    for (int32_t host = 0; host < 4; ++host) {
      request.hosts.push_back({with_number("h", host), dice.roll(6)});
    }
    request.slots = dice.roll(9);
    INFO("seed " << seed);
    const std::vector<size_t> chosen =
        VictimChooser(units, sessions, settings, {9'999}).choose(request);
    std::vector<size_t> all;
    for (size_t i = 0; i < units.size(); ++i) {
      if (units[i].running()) all.push_back(i);
    }
    const int64_t possible = std::min(request.slots, freed(units, all, request.hosts));
    REQUIRE(freed(units, chosen, request.hosts) >= possible);
    REQUIRE(std::set<size_t>(chosen.begin(), chosen.end()).size() == chosen.size());
    for (const size_t spared : chosen) {  // without any one of them too little comes free
      if (!units[spared].hosts[0].shared.empty()) continue;  // ends with others, or not at all
      std::vector<size_t> fewer = chosen;
      std::erase(fewer, spared);
      REQUIRE(freed(units, fewer, request.hosts) < possible);
    }
  }
}

TEST_CASE("preemption leaves nobody under-allocated, and takes from no higher rank") {
  int taken = 0;
  for (uint64_t seed = 0; seed < 3'000; ++seed) {
    Dice dice(seed);
    const std::vector<WorkUnit> units = work_of(dice);
    const SchedulingSettings settings = settings_of(dice);
    const WorkSessions sessions = worth_of(dice, units, settings);
    INFO("seed " << seed);
    std::vector<WorkSession> after = sessions.all;
    std::set<size_t> ended;
    for (const Preemption& step : choose_preemptions({}, units, sessions, settings, {9'999})) {
      const WorkSession& taker = sessions.all[step.session];
      REQUIRE((taker.preemptive && taker.excess() < 0 && taker.pending > 0));
      for (const size_t i : step.units) {
        ++taken;
        REQUIRE(ended.insert(i).second);
        WorkSession& loser = after[sessions.of_unit[i]];
        loser.allocated -= units[i].slots;
        REQUIRE(loser.excess() >= 0);
        const bool lower = loser.rank < taker.rank;
        const bool equal = loser.rank == taker.rank;
        REQUIRE((lower || (equal && settings.preemption_scope == PreemptionScope::lower_or_equal)));
      }
    }
  }
  CHECK(taken > 300);  // it is not for want of cases
}

}  // namespace
}  // namespace leasehold::agent
