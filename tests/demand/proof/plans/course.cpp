#include "tests/demand/proof/plans/course.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/demand/proof/taker.hpp"

namespace leasehold::demand_aware::proof::plans {

namespace {

constexpr int64_t kStepMs = 30'000;  // between two evaluations
constexpr int kEvaluationsMost = 40;
constexpr int kUnusedEvaluations = 9;  // a grant, its end, the back-off's, and the same again

using Dues = std::vector<int32_t>;  // by host and leaf

Dues dues_of(const Site& site) {
  Dues dues;
  for (size_t leaf = 0; leaf < site.leaves(); ++leaf) {
    for (size_t h = 0; h < site.hosts(); ++h) dues.push_back(site.due(leaf, h));
  }
  return dues;
}

int64_t sum_of(const Idle& slots) {
  return std::accumulate(slots.begin(), slots.end(), int64_t{0});
}

/// True if less of the leaf's waiting work would start without the slots that others' work is
/// ended for. Of a host that comes whole there would be none.
bool has_a_starter(const Site& site, size_t leaf, const Idle& ended) {
  const Idle idle = site.idle(leaf);
  const Idle coming = site.coming(leaf);
  Idle with{};
  Idle without{};
  for (size_t h = 0; h < with.size(); ++h) {
    with[h] = idle[h] + coming[h];
    const int32_t gone = site.in_whole_hosts() && ended[h] > 0 ? coming[h] : ended[h];
    without[h] = std::max(0, with[h] - gone);
  }
  const Queue queue = site.counting(leaf);
  return most_started(queue, with) > most_started(queue, without);
}

class Evaluations {
 public:
  explicit Evaluations(Site& site) : site_(site) {}

  /// True: something moved.
  bool next() {
    ++course.evaluations;
    const Dues before = dues_of(site_);
    site_.evaluate();
    for (size_t leaf = 0; leaf < site_.leaves(); ++leaf) {
      const Idle ended = site_.to_end_for(leaf);
      if (sum_of(ended) == 0) continue;
      if (site_.due(leaf) <= site_.reserved(leaf)) continue;  // given, wanted or not
      course.ended = true;
      if (!has_a_starter(site_, leaf, ended)) wrong("work ends, and none starts for it");
    }
    course.shrinks = course.shrinks || site_.to_shrink() > 0;
    const bool moved = dues_of(site_) != before;
    if (moved) course.last_move = course.evaluations;
    return moved;
  }

  void wrong(const std::string& what) {
    if (course.wrong.empty()) course.wrong = what;
  }

  Course course;

 private:
  Site& site_;
};

/// Slots that came to a leaf and that it has not lost again, the oldest first.
class Came {
 public:
  explicit Came(int64_t due) : due_(due) {}

  /// `given`: slots that came for work just now, after others may have gone back.
  void change(int64_t due, int64_t given, int64_t now_ms) {
    const int64_t before = std::exchange(due_, due);
    const int64_t came = std::max(given, due - before);
    for (int64_t lost = before + came - due; lost > 0 && !came_.empty();) {
      const int64_t part = std::min(lost, came_.front().second);
      came_.front().second -= part;
      lost -= part;
      if (came_.front().second == 0) came_.erase(came_.begin());
    }
    if (came > 0) came_.emplace_back(now_ms, came);
  }
  int64_t before(int64_t ms) const {
    int64_t slots = 0;
    for (const auto& [came_ms, some] : came_) slots += came_ms <= ms ? some : 0;
    return slots;
  }

 private:
  int64_t due_;
  std::vector<std::pair<int64_t, int64_t>> came_;
};

}  // namespace

Course play(Site site) {
  Evaluations evaluations(site);
  Course& course = evaluations.course;
  while (course.wrong.empty() && course.evaluations < kEvaluationsMost) {
    bool moved = evaluations.next();
    site.carry_out();
    moved = site.start_work() > 0 || moved;
    site.note_use();
    course.left_unused = course.left_unused || site.waits_off();
    if (!moved && !site.remembers()) {
      course.starving = starving(site);
      return course;
    }
    site.pass(kStepMs);
  }
  course.restless = course.wrong.empty();
  return course;
}

Course leave_unused(Site site) {
  Evaluations evaluations(site);
  std::vector<Came> came;
  for (size_t leaf = 0; leaf < site.leaves(); ++leaf) came.emplace_back(site.due(leaf));
  while (evaluations.course.wrong.empty() && evaluations.course.evaluations < kUnusedEvaluations) {
    evaluations.next();
    const int64_t now_ms = site.state().now.ms;
    for (size_t leaf = 0; leaf < site.leaves(); ++leaf) {
      came[leaf].change(site.due(leaf), site.just_given(leaf), now_ms);
      // Slots that a provider is to exchange for some of its own hosts do not go back.
      const Instant last{now_ms - kDemandUseByMs};
      const bool provides = site.provides(leaf);
      const int64_t late = provides ? site.granted_before(leaf, last) : came[leaf].before(last.ms);
      if (late > site.reserved(leaf)) evaluations.course.unused_stays = true;
    }
    site.carry_out();
    site.note_use();
    site.pass(kStepMs);
  }
  return evaluations.course;
}

bool alike(Site one, Site two) {
  one.evaluate();
  two.evaluate();
  return dues_of(one) == dues_of(two);
}

}  // namespace leasehold::demand_aware::proof::plans
