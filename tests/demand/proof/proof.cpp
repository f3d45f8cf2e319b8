// Plays every small state of the rule demand-aware until it is at rest: prints a line for each kind
// of site, and exits with 1 where something is not as tests/demand/README.md, "The proof", says.
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "tests/demand/proof/plans/prove.hpp"
#include "tests/demand/proof/play.hpp"
#include "tests/demand/proof/states.hpp"

using namespace leasehold::demand_aware;
using namespace leasehold::demand_aware::proof;

namespace {

struct Part {
  Kind kind;
  size_t hosts;
  int32_t slots_least;  // of a host, in each lease
  int32_t slots_most;
};

/// These parts run with the other tests.
constexpr Part kShort[] = {
    {Kind::plain, 1, 1, 4},          {Kind::plain, 2, 1, 4},
    {Kind::plain, 3, 1, 2},          {Kind::whole_hosts, 1, 1, 4},
    {Kind::whole_hosts, 2, 1, 4},    {Kind::provider_first, 1, 1, 4},
    {Kind::provider_first, 2, 3, 4}, {Kind::provider_first, 3, 2, 2},
    {Kind::two_leases, 1, 1, 2},     {Kind::two_leases, 2, 2, 2},
};
constexpr Part kLong[] = {
    {Kind::plain, 1, 1, 4},          {Kind::plain, 2, 1, 4},
    {Kind::plain, 3, 1, 4},          {Kind::plain, 4, 1, 4},
    {Kind::whole_hosts, 1, 1, 4},    {Kind::whole_hosts, 2, 1, 4},
    {Kind::whole_hosts, 3, 1, 4},    {Kind::whole_hosts, 4, 1, 4},
    {Kind::provider_first, 1, 1, 4}, {Kind::provider_first, 2, 1, 4},
    {Kind::provider_first, 3, 1, 4}, {Kind::provider_first, 4, 4, 4},
    {Kind::two_leases, 1, 1, 4},     {Kind::two_leases, 2, 1, 2},
    {Kind::two_leases, 3, 1, 2},     {Kind::two_leases, 4, 2, 2},
};

struct Counts {
  int64_t states = 0;
  int64_t evaluations = 0;
  int64_t moved = 0;
  int64_t in_turns = 0;
  int64_t left_unused = 0;
  int64_t served_twice = 0;
  int64_t one_as_two = 0;
  int64_t first_waits = 0;
  int64_t by_order = 0;        // other hosts, were they in another order
  int64_t by_order_slots = 0;  // not as many slots
  int last_move = 0;           // of those at rest where every grant was used
  std::map<std::string, int64_t> wrong;
};

std::string text(const Site& site) {
  std::string said;
  const auto say = [&said](const Queue& queue) {
    for (const Waiting& one : queue) {
      said += " " + std::to_string(one.jobs) + "x(" + std::to_string(one.shape.slots_per_host) +
              "," + std::to_string(one.shape.hosts) + "," + std::to_string(one.shape.slots) + ")";
    }
  };
  said += "provider waits:";
  say(site.waiting);
  for (const Lease& lease : site.leases) {
    said += "; idle, used (provider consumer):";
    for (const HostSlots& host : lease.hosts) {
      said += " " + std::to_string(host.idle[0]) + " " + std::to_string(host.idle[1]) + "," +
              std::to_string(host.used[0]) + " " + std::to_string(host.used[1]);
    }
    said += "; consumer waits:";
    say(lease.waiting);
  }
  return said;
}

/// For one job a side the answer is one, host for host. Another one has of two hosts that the first
/// left alike the one that stands first, whatever these are in other respects; and where slots in
/// use may be taken, also one whose used slots a third could have had with it.
void look_at_orders(const Site& site, Counts& counts, std::string& wrong) {
  const Orders orders = orders_of(site);
  const bool several = site.waiting.size() > 1 || site.leases[0].waiting.size() > 1;
  const auto many = [](const Queue& queue) { return !queue.empty() && queue.front().jobs > 1; };
  const bool free =
      several || many(site.waiting) || many(site.leases[0].waiting) || site.settings.provider_first;
  counts.by_order += orders.hosts ? 0 : 1;
  counts.by_order_slots += orders.wrong.empty() ? 0 : 1;
  if (!wrong.empty()) return;
  if (!orders.hosts && !free) wrong = "hosts in another order: other hosts";
  if (!orders.wrong.empty() && !(several && site.settings.provider_first)) {
    wrong = "hosts in another order: " + orders.wrong;
  }
}

void count(const Site& site, Counts& counts) {
  const Course course = play(site);
  std::string wrong = course.wrong;
  if (wrong.empty()) wrong = other_way_round(site);
  look_at_orders(site, counts, wrong);
  ++counts.states;
  counts.evaluations += course.evaluations;
  counts.moved += course.moves > 0 ? 1 : 0;
  counts.in_turns += course.in_turns ? 1 : 0;
  counts.left_unused += course.left_unused && !course.in_turns ? 1 : 0;
  counts.served_twice += course.served_twice ? 1 : 0;
  counts.one_as_two += course.one_as_two ? 1 : 0;
  counts.first_waits += course.first_waits ? 1 : 0;
  if (!course.in_turns && !course.left_unused) {
    counts.last_move = std::max(counts.last_move, course.last_move);
  }
  if (wrong.empty()) return;
  if (++counts.wrong[wrong] <= 3) std::printf("  %s: %s\n", wrong.c_str(), text(site).c_str());
}

/// The consumers of two leases are alike: to swap them makes no difference.
void with_queues(const Site& bare, Counts& counts) {
  const bool two = bare.leases.size() > 1;
  const std::vector<Queue>& all = two ? few_queues() : queues();
  for (const Queue& provider : all) {
    for (const Queue& first : all) {
      for (const Queue& second : two ? all : std::vector<Queue>{{}}) {
        Site site = bare;
        site.waiting = provider;
        site.leases[0].waiting = first;
        if (two) site.leases[1].waiting = second;
        count(site, counts);
      }
    }
  }
}

bool play_part(const Part& part, int64_t share, int64_t shares) {
  Counts counts;
  int64_t sites = 0;
  each_site(part.kind, host_states(part.kind, part.slots_least, part.slots_most), part.hosts,
            [&](int64_t number, const Site& site) {
              if (number % shares != share) return;
              ++sites;
              with_queues(site, counts);
            });
  std::printf(
      "%-14s %zu hosts of %d to %d: %9lld sites, %10lld states, %10lld evaluations, %9lld moved; "
      "at rest by evaluation %d; gathers in turns %lld, left unused %lld, "
      "served twice %lld, one host as two %lld, kept from the provider %lld, other hosts by their "
      "order %lld, other slots %lld\n",
      std::string(name_of(part.kind)).c_str(), part.hosts, part.slots_least, part.slots_most,
      static_cast<long long>(sites), static_cast<long long>(counts.states),
      static_cast<long long>(counts.evaluations), static_cast<long long>(counts.moved),
      counts.last_move, static_cast<long long>(counts.in_turns),
      static_cast<long long>(counts.left_unused), static_cast<long long>(counts.served_twice),
      static_cast<long long>(counts.one_as_two), static_cast<long long>(counts.first_waits),
      static_cast<long long>(counts.by_order), static_cast<long long>(counts.by_order_slots));
  for (const auto& [what, times] : counts.wrong) {
    std::printf("  WRONG: %s: %lld states\n", what.c_str(), static_cast<long long>(times));
  }
  std::fflush(stdout);
  return counts.wrong.empty();
}

}  // namespace

/// demand_proof [--long] [--share N/M]: every M-th site, from the N-th on.
int main(int count_of, char** words) {
  bool longer = false;
  long long share = 0;
  long long shares = 1;
  for (int i = 1; i < count_of; ++i) {
    if (std::strcmp(words[i], "--long") == 0) longer = true;
    if (std::strcmp(words[i], "--share") == 0 && i + 1 < count_of) {
      if (std::sscanf(words[i + 1], "%lld/%lld", &share, &shares) != 2 || shares < 1) return 2;
    }
  }
  bool right = true;
  const auto all = [&](const auto& parts) {
    for (const Part& part : parts) right = play_part(part, share, shares) && right;
  };
  longer ? all(kLong) : all(kShort);
  right = plans::prove(longer, {share, shares}) && right;
  return right ? 0 : 1;
}
