#include "tests/demand/proof/plans/prove.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>

#include "tests/demand/proof/plans/course.hpp"
#include "tests/demand/proof/plans/states.hpp"

namespace leasehold::demand_aware::proof::plans {

namespace {

/// These sizes run with the other tests.
constexpr std::array kShort{Size{1, 2, 2}, Size{2, 2, 2}};
constexpr std::array kLong{Size{1, 4, 2}, Size{2, 2, 2}, Size{2, 3, 2},
                           Size{3, 2, 2}, Size{1, 3, 3}, Size{2, 2, 3}};

struct Counts {
  int64_t states = 0;
  int64_t evaluations = 0;
  int64_t moved = 0;
  int64_t ended = 0;
  int64_t left_unused = 0;
  int64_t restless = 0;      // while slots come back only as work ends
  int64_t unused_stays = 0;  // likewise
  int64_t beside_idle = 0;   // a job waits whose leaf has idle slots that do not start it
  int last_move = 0;         // of those at rest where every grant was used
  std::map<std::string, int64_t> wrong;
};

std::string text(const std::vector<HostState>& hosts, const std::vector<Queue>& waiting) {
  std::string said = "idle, used by leaf:";
  for (const HostState& host : hosts) {
    for (const LeafSlots& leaf : host) {
      said += " " + std::to_string(leaf.idle) + "," + std::to_string(leaf.used);
    }
    said += ";";
  }
  for (const Queue& queue : waiting) {
    said += " waits:";
    for (const Waiting& one : queue) {
      said += " " + std::to_string(one.jobs) + "x(" + std::to_string(one.shape.slots_per_host) +
              "," + std::to_string(one.shape.hosts) + "," + std::to_string(one.shape.slots) + ")";
    }
  }
  return said;
}

class Part {
 public:
  Part(Kind kind, const Size& size)
      : base_(base_of(kind, size)), as_work_ends_(kind == Kind::as_work_ends) {}

  void count(const std::vector<HostState>& hosts, const std::vector<Queue>& waiting) {
    const Site site(base_, hosts, waiting);
    const Course course = play(site);
    const Course unused = leave_unused(site);
    add(course, unused);
    std::string wrong = wrong_of(course, unused);
    if (wrong.empty() && !alike_in_another_order(site, hosts, waiting)) {
      wrong = "buckets in another order: other slots";
    }
    if (wrong.empty() || ++counts.wrong[wrong] > 3) return;
    std::printf("  %s: %s\n", wrong.c_str(), text(hosts, waiting).c_str());
  }

  Counts counts;

 private:
  std::string wrong_of(const Course& course, const Course& unused) const {
    if (!course.wrong.empty()) return course.wrong;
    if (!unused.wrong.empty()) return unused.wrong;
    if (course.starving == Starving::yes) return "a job waits though it is entitled to its slots";
    if (course.restless && !as_work_ends_) return "does not come to rest";
    const bool stays = unused.unused_stays && !unused.shrinks && !as_work_ends_;
    return stays ? "unused slots stay" : "";
  }

  void add(const Course& course, const Course& unused) {
    ++counts.states;
    counts.evaluations += course.evaluations + unused.evaluations;
    counts.unused_stays += unused.unused_stays ? 1 : 0;
    counts.beside_idle += course.starving == Starving::beside_idle ? 1 : 0;
    counts.moved += course.last_move > 0 ? 1 : 0;
    counts.ended += course.ended ? 1 : 0;
    counts.left_unused += course.left_unused ? 1 : 0;
    counts.restless += course.restless ? 1 : 0;
    const bool rests = !course.left_unused && !course.restless;
    if (rests) counts.last_move = std::max(counts.last_move, course.last_move);
  }

  bool alike_in_another_order(const Site& site, const std::vector<HostState>& hosts,
                              const std::vector<Queue>& waiting) const {
    std::vector<Queue> reversed = waiting;
    for (Queue& queue : reversed) std::reverse(queue.begin(), queue.end());
    const bool same = std::all_of(waiting.begin(), waiting.end(),
                                  [](const Queue& queue) { return queue.size() < 2; });
    return same || alike(site, Site(base_, hosts, reversed));
  }

  const State base_;
  const bool as_work_ends_;
};

void with_queues(Part& part, const std::vector<HostState>& hosts, std::vector<Queue>& waiting,
                 const std::vector<Queue>& queues, size_t leaf = 0) {
  if (leaf == waiting.size()) return part.count(hosts, waiting);
  for (const Queue& queue : queues) {
    waiting[leaf] = queue;
    with_queues(part, hosts, waiting, queues, leaf + 1);
  }
}

bool prove(Kind kind, const Size& size, const std::vector<Queue>& queues, const Share& share) {
  Part part(kind, size);
  each_holding(host_states(kind, size), size.hosts,
               [&](int64_t number, const std::vector<HostState>& hosts) {
                 if (number % share.of != share.at) return;
                 std::vector<Queue> waiting(size.leaves);
                 with_queues(part, hosts, waiting, queues);
               });
  const Counts& counts = part.counts;
  std::printf(
      "plan, %-12s %zu leaves, %zu hosts of %d: %9lld states, %10lld evaluations, %9lld moved, "
      "%9lld ended work; last move at evaluation %d; left unused %lld, beside idle slots %lld, "
      "as work ends: restless %lld, unused %lld\n",
      std::string(name_of(kind)).c_str(), size.leaves, size.hosts, size.slots,
      static_cast<long long>(counts.states), static_cast<long long>(counts.evaluations),
      static_cast<long long>(counts.moved), static_cast<long long>(counts.ended), counts.last_move,
      static_cast<long long>(counts.left_unused), static_cast<long long>(counts.beside_idle),
      static_cast<long long>(counts.restless), static_cast<long long>(counts.unused_stays));
  for (const auto& [what, times] : counts.wrong) {
    std::printf("  WRONG: %s: %lld states\n", what.c_str(), static_cast<long long>(times));
  }
  std::fflush(stdout);
  return counts.wrong.empty();
}

}  // namespace

bool prove(bool longer, const Share& share) {
  bool right = true;
  const auto all = [&](const auto& sizes) {
    for (const Size& size : sizes) {
      for (int kind = 0; kind < kKinds; ++kind) {
        const bool all_queues = longer && size.leaves == 2;
        const std::vector<Queue>& waiting = all_queues ? queues() : few_queues();
        right = prove(static_cast<Kind>(kind), size, waiting, share) && right;
      }
    }
  };
  longer ? all(kLong) : all(kShort);
  return right;
}

}  // namespace leasehold::demand_aware::proof::plans
