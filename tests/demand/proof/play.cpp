#include "tests/demand/proof/play.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "tests/demand/proof/taker.hpp"

namespace leasehold::demand_aware::proof {

namespace {

/// The limit leaves room for many gatherings and their rests, and a backoff of some doublings.
constexpr int kEvaluationsMost = 48;
/// A lease that has not come to rest by then does not do so: its moves are counted in the last 32
/// evaluations, which are eight times 20 minutes.
constexpr int kRestlessFrom = 16;
constexpr int kMovesInTurnsMost = 2 * 8 + 1;

bool goes_home(const Answer& answer) {
  return answer.reason == Reason::grant_unused ||
         (answer.reason == Reason::provider_first && answer.reclaims.empty());
}

/// Nothing that an evaluation remembers will make another one of the same state say otherwise.
bool over(const Ledger& ledger, Instant now) {
  return ledger.grant.to == kNobody && ledger.gathering.member == kNobody &&
         ledger.gathering.until <= now &&
         std::all_of(ledger.back_offs.begin(), ledger.back_offs.end(),
                     [&](const BackOff& one) { return one.until <= now; });
}

/// A grant's unused part became a part of the next one.
bool keeps_unused(const Answer& answer, Instant now) {
  const std::vector<Grant>& earlier = answer.ledger.earlier;
  return std::any_of(earlier.begin(), earlier.end(),
                     [now](const Grant& one) { return one.at == now && one.shapes.empty(); });
}

class Playing {
 public:
  explicit Playing(Site site) : site_(std::move(site)) {}

  /// Slots idle in another lease are no use to work that waits: else it would have started.
  Course play() {
    if (site_.leases.size() > 1) start_all();
    while (course_.wrong.empty() && course_.evaluations < kEvaluationsMost) {
      ++course_.evaluations;
      bool still = true;
      moved_this_time_ = false;
      for (size_t lease = 0; lease < site_.leases.size(); ++lease) {
        still = !evaluate(lease) && still;
      }
      if (start_all() > 0) still = false;
      note_use();
      if (still && at_rest()) return course_;
      site_.now = site_.now + site_.settings.delay_ms;
    }
    if (course_.wrong.empty()) judge_restless();
    return course_;
  }

 private:
  void wrong(const std::string& what) {
    if (course_.wrong.empty()) course_.wrong = what;
  }

  bool at_rest() const {
    return std::all_of(site_.leases.begin(), site_.leases.end(),
                       [this](const Lease& lease) { return over(lease.ledger, site_.now); });
  }

  int64_t start_all() {
    int64_t started = start(site_, 0, kProvider);
    for (size_t i = 0; i < site_.leases.size(); ++i) started += start(site_, i, kConsumer);
    return started;
  }

  void note_use() {
    for (Lease& lease : site_.leases) {
      for (const uint8_t m : {kProvider, kConsumer}) {
        int64_t idle = 0;
        for (const HostSlots& host : lease.hosts) idle += host.idle[m];
        noted_use(lease.ledger, m, idle);
      }
    }
  }

  /// Evaluates the lease. True: something moved.
  bool evaluate(size_t lease) {
    const Answer answer = decide(view_of(site_, lease), site_.leases[lease].ledger);
    const bool moves = !answer.moves.empty() || !answer.reclaims.empty();
    course_.first_waits = course_.first_waits || first_waits(lease, answer);
    if (moves) look_at(lease, answer);
    site_.leases[lease].ledger = answer.ledger;
    const bool unused = answer.reason == Reason::grant_unused || keeps_unused(answer, site_.now);
    if (unused || !answer.ledger.back_offs.empty()) course_.left_unused = true;
    if (!moves) return false;
    if (course_.evaluations > kRestlessFrom) {
      ++late_moves_;
      const bool turn = answer.reason == Reason::gathering || goes_home(answer);
      others_late_ = others_late_ || !turn;
    }
    moved_this_time_ = true;
    course_.last_move = course_.evaluations;
    ++course_.moves;
    return true;
  }

  /// Idle slots are gathered for the consumer though work of the provider would start on them.
  bool first_waits(size_t lease, const Answer& answer) const {
    const bool kept = site_.settings.provider_first && answer.reason == Reason::gathering &&
                      answer.ledger.gathering.member == kConsumer;
    if (!kept || site_.waiting.empty()) return false;
    const Idle own = site_.idle(lease, kProvider);
    Idle all = site_.idle(lease, kConsumer);
    for (size_t h = 0; h < all.size(); ++h) all[h] += own[h];
    return most_started(site_.waiting, all) > most_started(site_.waiting, own);
  }

  /// Carries the answer out, and notes whom it is for.
  void look_at(size_t lease, const Answer& answer) {
    const Queue queue = site_.queue(lease, answer.to);
    const int64_t before = most_started(queue, site_.idle(lease, answer.to));
    const int64_t before_by_lease = most_started(queue, site_.idle_by_lease(lease, answer.to));
    if (!carry_out(site_, lease, answer)) wrong("takes slots that are not there");
    if (goes_home(answer)) return;
    if (queue.empty()) return wrong("moves slots to where nobody waits");
    if (answer.reason == Reason::gathering) return;
    if (most_started(queue, site_.idle(lease, answer.to)) > before) return;
    if (moved_this_time_) {
      course_.served_twice = true;  // by another lease before
    } else if (most_started(queue, site_.idle_by_lease(lease, answer.to)) > before_by_lease) {
      course_.one_as_two = true;
    } else {
      wrong("moves without a taker");
    }
  }

  void judge_restless() {
    const auto leases = static_cast<int>(site_.leases.size());
    if (late_moves_ == 0) return;
    course_.in_turns = !others_late_ && late_moves_ <= kMovesInTurnsMost * leases;
    if (!course_.in_turns && !course_.left_unused) wrong("does not come to rest");
  }

  Site site_;
  Course course_;
  bool moved_this_time_ = false;  // by a lease before, at this evaluation
  int late_moves_ = 0;
  bool others_late_ = false;  // of those some neither gather nor go home
};

/// The effects of an answer on each host, in an order of their own.
using Effects = std::vector<std::tuple<int32_t, int32_t, int32_t>>;
Effects effects_of(const View& view, const Answer& answer, bool mirrored) {
  Effects effects;
  for (uint32_t row = 0; row < view.rows.size(); ++row) {
    const auto of = [row](const std::vector<RowSlots>& all) {
      const auto at = std::find_if(all.begin(), all.end(),
                                   [row](const RowSlots& one) { return one.row == row; });
      return at == all.end() ? 0 : at->slots;
    };
    const IdleRow& idle = view.rows[row];
    effects.emplace_back(idle.idle[mirrored ? 1 : 0], idle.idle[mirrored ? 0 : 1],
                         of(answer.moves));
  }
  std::sort(effects.begin(), effects.end());
  return effects;
}

int64_t slots_taken(const Answer& answer) {
  int64_t slots = answer.slots();
  for (const RowSlots& row : answer.reclaims) slots += row.slots;
  return slots;
}

View permuted_by(const View& view, const std::vector<uint32_t>& order) {
  View other_view = view;
  for (size_t i = 0; i < order.size(); ++i) {
    other_view.rows[i] = view.rows[order[i]];
    other_view.exported[i] = view.exported[order[i]];
  }
  return other_view;
}

View mirror(const View& view) {
  View mirrored = view;
  std::swap(mirrored.sides[kProvider], mirrored.sides[kConsumer]);
  for (IdleRow& row : mirrored.rows) {
    std::swap(row.idle[kProvider], row.idle[kConsumer]);
    std::swap(row.beside[kProvider], row.beside[kConsumer]);
  }
  return mirrored;
}

}  // namespace

Course play(Site site) {
  return Playing(std::move(site)).play();
}

namespace {

std::string difference(const Answer& one, const Answer& two) {
  if (two.to != one.to) return "another side";
  if (slots_taken(two) != slots_taken(one)) return "as many slots not";
  const bool reason = two.reason == one.reason;
  return reason || !one.reclaims.empty() ? "" : "another reason";
}

}  // namespace

namespace {

/// Every other order of up to three hosts; of four each two neighbours the other way round, and
/// all.
std::vector<std::vector<uint32_t>> other_orders(size_t hosts) {
  std::vector<uint32_t> order(hosts);
  for (uint32_t row = 0; row < hosts; ++row) order[row] = row;
  std::vector<std::vector<uint32_t>> orders;
  if (hosts < 4) {
    while (std::next_permutation(order.begin(), order.end())) orders.push_back(order);
    return orders;
  }
  for (size_t row = 0; row + 1 < hosts; ++row) {
    orders.push_back(order);
    std::swap(orders.back()[row], orders.back()[row + 1]);
  }
  std::reverse(order.begin(), order.end());
  orders.push_back(order);
  return orders;
}

}  // namespace

Orders orders_of(const Site& site) {
  const View view = view_of(site, 0);
  const Answer one = decide(view, {});
  const Effects effects = effects_of(view, one, false);
  Orders found;
  for (const std::vector<uint32_t>& order : other_orders(view.rows.size())) {
    if (!found.wrong.empty()) break;
    const View permuted = permuted_by(view, order);
    const Answer two = decide(permuted, {});
    found.hosts = found.hosts && effects_of(permuted, two, false) == effects;
    found.wrong = difference(one, two);
  }
  return found;
}

std::string other_way_round(const Site& site) {
  const View view = view_of(site, 0);
  const bool one_side =
      view.sides[kProvider].waiting.empty() != view.sides[kConsumer].waiting.empty();
  if (!one_side || view.settings.provider_first || site.leases.size() > 1) return "";
  const Answer one = decide(view, {});
  const View mirrored = mirror(view);
  const Answer two = decide(mirrored, {});
  const bool same =
      effects_of(mirrored, two, true) == effects_of(view, one, false) && two.slots() == one.slots();
  return same ? "" : "sides the other way round: other slots";
}

}  // namespace leasehold::demand_aware::proof
