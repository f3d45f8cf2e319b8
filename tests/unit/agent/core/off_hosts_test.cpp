// Which hosts that are switched off are switched on, how many at once, and when again.
#include "agent/core/off_hosts.hpp"

#include <catch2/catch.hpp>

namespace leasehold::agent {
namespace {

using Names = std::vector<std::string>;

View all_asleep(const Names& names) {
  View view;
  for (const std::string& name : names) {
    wire::HostFacts host;
    host.name = name;
    host.slots = 4;
    host.up = false;
    host.not_up = wire::NotUp::asleep;
    view.hosts.push_back(host);
    HostLoad load;
    load.host = name;
    view.loads.push_back(load);
  }
  return view;
}

struct AnsweredHosts {
  OffHosts hosts;
  uint64_t number = 0;

  void hear(const Names& wake, const Names& unused = {}) {
    wire::HeartbeatAnswer answer{1, ++number, false};
    answer.wake = wake;
    answer.unused = unused;
    hosts.take_answer(answer);
  }
  Names wake(const Names& named, const View& view, int64_t now_ms) {
    hear(named);
    Names found = hosts.to_wake(view, now_ms);
    for (const std::string& host : found) hosts.tried(host, now_ms);
    return found;
  }
};

TEST_CASE("only hosts that are asleep, and may be lent, are woken, once for each answer") {
  AnsweredHosts answered;
  View view = all_asleep({"a", "b", "c", "d"});
  view.hosts[1].up = true;
  view.hosts[2].not_up = wire::NotUp::waking;
  view.loads[3].lendable = false;
  answered.hear({"a", "b", "c", "d", "strange"});
  CHECK(answered.hosts.to_wake(view, 0) == Names{"a"});
  CHECK(answered.hosts.to_wake(view, 0).empty());
}

TEST_CASE("a few hosts are switched on at once, the next when those are up or long due") {
  AnsweredHosts answered;
  const Names all{"a", "b", "c", "d", "e", "f"};
  View view = all_asleep(all);
  CHECK(answered.wake(all, view, 0) == Names{"a", "b", "c", "d"});
  CHECK(answered.wake(all, view, 1'000).empty());
  for (int i = 0; i < 4; ++i) view.hosts[i].not_up = wire::NotUp::waking;
  CHECK(answered.wake(all, view, kFirstWakeAgainMs).empty());
  view.hosts[0].up = view.hosts[1].up = true;
  CHECK(answered.wake(all, view, kFirstWakeAgainMs) == Names{"e", "f"});
}

TEST_CASE("a host that does not come up, or was lent nothing, is woken after longer times") {
  AnsweredHosts answered;
  const View view = all_asleep({"a"});
  int64_t now_ms = 0;
  REQUIRE(answered.wake({"a"}, view, now_ms) == Names{"a"});
  for (int64_t wait_ms = kFirstWakeAgainMs; wait_ms < kLastWakeAgainMs; wait_ms *= 2) {
    CHECK(answered.wake({"a"}, view, now_ms + wait_ms - 1).empty());
    now_ms += wait_ms;
    REQUIRE(answered.wake({"a"}, view, now_ms) == Names{"a"});
  }
  CHECK(answered.wake({"a"}, view, now_ms + kLastWakeAgainMs - 1).empty());
  SECTION("at once where it was lent") {
    answered.hosts.lent("a");
    CHECK(answered.wake({"a"}, view, now_ms + 1) == Names{"a"});
  }
  SECTION("as if for the first time, when that was long ago") {
    now_ms += 3 * kLastWakeAgainMs;
    REQUIRE(answered.wake({"a"}, view, now_ms) == Names{"a"});
    CHECK(answered.wake({"a"}, view, now_ms + kFirstWakeAgainMs) == Names{"a"});
  }
}

TEST_CASE("an agent that starts again wakes no host sooner, nor more of them at once") {
  AnsweredHosts answered;
  const Names all{"a", "b", "c", "d", "e"};
  View view = all_asleep(all);
  int64_t now_ms = 10 * kLastWakeAgainMs;
  REQUIRE(answered.wake(all, view, now_ms) == Names{"a", "b", "c", "d"});
  const bool same_boot = GENERATE(true, false);
  AnsweredHosts again;
  again.hosts.restore(answered.hosts.save(now_ms), same_boot, now_ms + 60'000);
  now_ms += kFirstWakeAgainMs + (same_boot ? 0 : 60'000);
  CHECK(again.wake(all, view, now_ms - 1).empty());
  CHECK(again.wake({"a"}, view, now_ms) == Names{"a"});
  CHECK(again.wake({"a"}, view, now_ms + 2 * kFirstWakeAgainMs - 1).empty());
}

TEST_CASE("a try that was so long ago that it delays nothing is not kept") {
  AnsweredHosts answered;
  const int64_t now_ms = 10 * kLastWakeAgainMs;
  const int64_t last_ms = now_ms + 2 * kLastWakeAgainMs;
  REQUIRE(answered.wake({"a"}, all_asleep({"a"}), now_ms) == Names{"a"});
  const std::vector<SavedWake> saved = answered.hosts.save(last_ms);
  CHECK(saved.size() == 1);
  CHECK(answered.hosts.save(last_ms + 1).empty());
  OffHosts again;
  again.restore(saved, true, last_ms + 1);
  CHECK(again.save(now_ms).empty());
  again.restore(saved, true, last_ms);
  CHECK(again.save(now_ms) == saved);
}

TEST_CASE("hosts that come up for ever kept all others asleep") {
  AnsweredHosts answered;
  const Names all{"a", "b", "c", "d", "e"};
  View view = all_asleep(all);
  REQUIRE(answered.wake(all, view, 0).size() == kWakingMost);
  for (size_t i = 0; i < kWakingMost; ++i) view.hosts[i].not_up = wire::NotUp::waking;
  CHECK(answered.wake(all, view, kLastWakeAgainMs - 1).empty());
  CHECK(answered.wake(all, view, kLastWakeAgainMs) == Names{"e"});
}

TEST_CASE("a host that is drained while it comes up is not woken, nor counted as one that comes") {
  AnsweredHosts answered;
  const Names all{"a", "b", "c", "d", "e"};
  View view = all_asleep(all);
  REQUIRE(answered.wake(all, view, 0).size() == kWakingMost);
  view.hosts[0].not_up = wire::NotUp::unsaid;
  CHECK(answered.wake(all, view, 1) == Names{"e"});
  CHECK(answered.wake({"a"}, view, kLastWakeAgainMs).empty());
}

TEST_CASE("what was said of hosts before they were told anew is forgotten, also if it comes late") {
  AnsweredHosts answered;
  answered.hear({"a"}, {"b"});
  CHECK(answered.hosts.unused() == Names{"b"});
  answered.hosts.sent_inventory(answered.number);
  CHECK(answered.hosts.unused().empty());
  CHECK(answered.hosts.to_wake(all_asleep({"a"}), 0).empty());
  wire::HeartbeatAnswer late{1, answered.number, false};
  late.unused = {"b"};
  answered.hosts.take_answer(late);
  CHECK(answered.hosts.unused().empty());
  answered.hear({}, {"b"});
  CHECK(answered.hosts.unused() == Names{"b"});
  answered.hosts.take_answer({1, ++answered.number, false});  // the list is not said: there is none
  CHECK(answered.hosts.unused().empty());
}

}  // namespace
}  // namespace leasehold::agent
