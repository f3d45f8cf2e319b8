#include "broker/rules/demand_aware/first_offer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "broker/rules/demand_aware/back_off.hpp"
#include "broker/rules/demand_aware/grants.hpp"
#include "broker/rules/demand_aware/packing.hpp"

namespace leasehold::demand_aware {

namespace {

/// One job, and the slots on which it would start.
struct Fit {
  Shape shape;
  int64_t slots = 0;            // of the group
  std::vector<RowSlots> moves;  // of those: the provider's
  std::vector<RowSlots> kept;   // and the consumer's own
};

/// Puts one job beside what is put already.
bool put_one(Packing& packing, const Waiting& waiting) {
  Waiting one = waiting;
  one.jobs = 1;
  return packing.put(one).jobs > 0;
}

/// `packing`: of the jobs that start on what the consumer has.
std::optional<Fit> fit_of(const View& view, Packing packing, const Waiting& waiting) {
  if (!put_one(packing, waiting)) return std::nullopt;
  return Fit{waiting.shape, packing.own_taken() + packing.slots_moved(), packing.moves(),
             packing.kept(view.rows)};
}

class Offering {
 public:
  Offering(const View& view, const Ledger& before, int64_t first) : view_(view), first_(first) {
    answer_.ledger = before;
    for (const IdleRow& row : view.rows) idle_ += row.idle[kConsumer];
  }

  Answer offer() {
    end_grants(view_, ledger(), 0);
    ledger().evaluated_at = view_.now;
    give_back();
    if (answer_.moves.empty()) give();
    return std::move(answer_);
  }

 private:
  Ledger& ledger() { return answer_.ledger; }

  void give_back() {
    int32_t& left = ledger().left_unused;
    left = static_cast<int32_t>(std::clamp<int64_t>(idle_ - first_, 0, left));
    answer_.moves = last_idle(view_, kConsumer, left);
    if (answer_.moves.empty()) return;
    left -= static_cast<int32_t>(answer_.slots());
    answer_.to = kProvider;
    answer_.reason = Reason::grant_unused;
    ledger().moved_at = view_.now;
  }

  void give() {
    if (ledger().grant.to != kNobody) return;  // until it is seen what becomes of it
    std::optional<Fit> smallest = find_smallest();
    if (!smallest) return;
    const Instant moved = ledger().moved_at;
    if (moved.ms != INT64_MIN && view_.now < moved + view_.settings.min_hold_ms) {
      answer_.reason = Reason::min_hold;
      return;
    }
    answer_.to = kConsumer;
    answer_.reason = Reason::consumer_waits;
    answer_.moves = std::move(smallest->moves);
    send_rest_home(*smallest);
    const auto slots = static_cast<int32_t>(answer_.slots());
    ledger().moved_at = view_.now;
    ledger().grant = {kConsumer, slots, slots, view_.now, {smallest->shape}};
  }

  /// Jobs that start on what the consumer has are put there first: one that does not start all the
  /// same keeps no other waiting.
  std::optional<Fit> find_smallest() {
    Packing own(kConsumer, view_.rows, view_.sides[kConsumer].elsewhere, 0);
    std::vector<const Waiting*> others;
    answer_.reason = Reason::shape_misfit;
    for (const Waiting& waiting : view_.sides[kConsumer].waiting) {
      if (waits_off(ledger(), kConsumer, waiting.shape, view_.now)) {
        answer_.reason = Reason::unused_before;
        continue;
      }
      Packing with = own;
      if (put_one(with, waiting) && with.slots_moved() == 0) {
        own = std::move(with);
      } else {
        others.push_back(&waiting);
      }
    }
    return smallest_of(others, own);
  }

  /// The first in the list, of several as small.
  std::optional<Fit> smallest_of(const std::vector<const Waiting*>& jobs,
                                 const Packing& own) const {
    std::optional<Fit> smallest;
    for (const Waiting* waiting : jobs) {
      std::optional<Fit> fit = fit_of(view_, own, *waiting);
      const bool any = fit && !fit->moves.empty();
      if (any && (!smallest || fit->slots < smallest->slots)) smallest = std::move(fit);
    }
    return smallest;
  }

  /// Else they would count as left unused.
  void send_rest_home(const Fit& fit) {
    View rest = view_;
    int64_t kept = 0;
    for (const RowSlots& one : fit.kept) {
      rest.rows[one.row].idle[kConsumer] -= one.slots;
      kept += one.slots;
    }
    const int64_t has = kept + answer_.slots();
    answer_.reclaims =
        last_idle(rest, kConsumer, idle_ - kept - std::max<int64_t>(0, first_ - has));
  }

  const View& view_;
  const int64_t first_;
  int64_t idle_ = 0;  // with the consumer
  Answer answer_;
};

}  // namespace

Answer first_offer(const View& view, const Ledger& ledger, int64_t first) {
  return Offering(view, ledger, first).offer();
}

}  // namespace leasehold::demand_aware
