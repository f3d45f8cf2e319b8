#include "broker/rules/demand_aware/decide.hpp"

#include <algorithm>
#include <optional>

#include "broker/rules/demand_aware/back_off.hpp"
#include "broker/rules/demand_aware/claim.hpp"
#include "broker/rules/demand_aware/grants.hpp"
#include "broker/rules/demand_aware/own_ends.hpp"
#include "broker/rules/demand_aware/unmet.hpp"
#include "broker/rules/demand_aware/wide.hpp"
#include "common/canary.hpp"

namespace leasehold::demand_aware {

namespace {

/// A job that is too wide for what is idle has waited so long before slots are kept for it although
/// others could use them.
constexpr int64_t kWideAgeMs = 300'000;

class Deciding {
 public:
  Deciding(const View& view, const Ledger& before) : view_(view) {
    answer_.ledger = before;
    for (const IdleRow& row : view.rows) {
      for (const uint8_t m : {kProvider, kConsumer}) idle_[m] += row.idle[m];
      in_use_ += row.in_use;
      on_way_ += row.on_way;
    }
  }

  Answer decide() {
    count_unmet(view_, ledger());
    end_grants(view_, ledger(), on_way_);
    if (std::optional<Answer> served = served_with_unused()) return std::move(*served);
    if (!provider_reclaims()) give_back();
    return answer_.moves.empty() ? move_slots() : done();
  }

 private:
  /// Moves slots to whoever has work waiting, or home.
  Answer move_slots() {
    end_gathering();
    for (const uint8_t m : {kProvider, kConsumer}) {
      const bool kept = ledger().gathering.member == other(m);
      const std::vector<Waiting> brief =
          kept ? short_enough(view_, m, ledger()) : std::vector<Waiting>{};
      const std::vector<Waiting>& waiting = kept ? brief : view_.sides[m].waiting;
      claims_[m] = claim(m, waiting);
      leave_to_ends(m, waiting);
    }
    if (begin_gathering(kWideAgeMs)) {
      gather();
    } else if (const uint8_t winner = choose(); winner != kNobody) {
      serve(winner);
    } else if (gathers(ledger()) || (put_off_ == Reason::none && begin_gathering(0))) {
      gather();
    } else {
      send_home();
    }
    return done();
  }

  Ledger& ledger() { return answer_.ledger; }

  Answer done() {
    ledger().evaluated_at = view_.now;
    return std::move(answer_);
  }

  /// Slots in use that the provider's work is to have at this evaluation do not wait for idle ones:
  /// a consumer that is slow to answer would keep them for as long as it is.
  bool provider_reclaims() {
    const bool asks = view_.settings.provider_first && ledger().left_unused > 0;
    return asks && !claim(kProvider, view_.sides[kProvider].waiting).reclaims.empty();
  }

  /// Serves work with the slots left unused and those moved to it now together: the former would go
  /// back and be moved again for it. It does not if work waits at the provider, whose slots they
  /// are, or if the work needs only a part of them: the rest would count as left unused by that
  /// work.
  std::optional<Answer> served_with_unused() const {
    const Ledger& known = answer_.ledger;
    const bool alone = view_.sides[kProvider].waiting.empty() && !view_.settings.provider_first &&
                       known.gathering.member == kNobody;
    if (known.left_unused == 0 || !alone) return std::nullopt;
    Deciding tried(*this);
    tried.with_unused_ = true;
    Answer answer = tried.move_slots();
    const bool all = answer.ledger.left_unused == 0;
    return all ? std::optional(std::move(answer)) : std::nullopt;
  }

  /// They are that work's from now on, as long as what is moved to it. Whether it used them is
  /// judged by those.
  void keep_unused(int64_t slots) {
    const auto kept = static_cast<int32_t>(std::min<int64_t>(slots, ledger().left_unused));
    if (kept == 0) return;
    ledger().left_unused -= kept;
    replace_grant(view_, ledger(), {kConsumer, kept, kept, view_.now, {}});
  }

  /// Asks for what was left unused, at each evaluation until it is back: a move may fail, and slots
  /// of a host that is down cannot move. The back-off was decided once, when the grant ended.
  void give_back() {
    int32_t& left = ledger().left_unused;
    if (left == 0) return;
    move_idle(kProvider, left, Reason::grant_unused);
    left -= static_cast<int32_t>(answer_.slots());
    if (LEASEHOLD_CANARY(gives_back_once)) left = 0;
  }

  /// Moves so many idle slots of the other, from the last row on.
  void move_idle(uint8_t to, int64_t slots, Reason reason) {
    answer_.reason = reason;
    answer_.moves = last_idle(view_, other(to), slots);
    if (answer_.moves.empty()) return;
    answer_.to = to;
    ledger().moved_at = view_.now;
  }

  void end_gathering() {
    Gathering& gathering = ledger().gathering;
    if (gathering.member == kNobody) return;
    const bool waits = std::any_of(
        view_.sides[gathering.member].waiting.begin(), view_.sides[gathering.member].waiting.end(),
        [&](const Waiting& waiting) { return waiting.shape == gathering.shape; });
    if (!waits || view_.now >= gathering.until) rest_from_gathering();
  }

  /// Nobody gathers before its `until`.
  void rest_from_gathering() { ledger().gathering = {kNobody, {}, view_.now + kGatherMs}; }

  /// Returns the granted slots that the other member's work may not have.
  int64_t fresh(uint8_t member) const {
    return member == kConsumer && view_.settings.provider_first
               ? 0
               : still_granted(answer_.ledger, member);
  }

  bool held_back(uint8_t member) const {
    const Instant moved = answer_.ledger.moved_at;
    return member == kConsumer && moved.ms != INT64_MIN &&
           view_.now < moved + view_.settings.min_hold_ms;
  }

  Claim claim(uint8_t member, const std::vector<Waiting>& waiting) {
    const bool takes_used = member == kProvider && view_.settings.provider_first && in_use_ > 0;
    if (waiting.empty() || (idle_[other(member)] == 0 && !takes_used)) return {};
    Claim claim = claim_of(view_, ledger(), {member, takes_used, fresh(other(member))}, waiting);
    waits_off_[member] = waits_off_[member] || claim.waits_off;
    return claim;
  }

  static std::vector<Waiting> left_by(OwnEnds& ends, std::vector<Waiting> waiting) {
    for (Waiting& one : waiting) one.jobs -= ends.take(one);
    std::erase_if(waiting, [](const Waiting& one) { return one.jobs == 0; });
    return waiting;
  }

  /// Returns the longest wait for work to end: a move would take about as long.
  int64_t wait_ms() const { return std::min(answer_.ledger.pace.move_ms, view_.settings.delay_ms); }

  /// Nothing is moved for jobs that own work makes room for as soon. Where it did not, in time, it
  /// is not believed again for a delay.
  void leave_to_ends(uint8_t member, const std::vector<Waiting>& waiting) {
    Instant& until = ledger().pace.until[member];
    const bool waits = view_.now < until;
    const bool rests =
        !waits && until.ms != INT64_MIN && view_.now < until + view_.settings.delay_ms;
    Claim& all = claims_[member];
    OwnEnds ends(view_.sides[member], all.slots == 0 || rests ? 0 : wait_ms());
    const bool counts = !ends.none();
    Claim rest = counts ? claim(member, left_by(ends, waiting)) : Claim{};
    if (!counts || rest.slots >= all.slots) {
      if (waits) until = Instant{INT64_MIN};
      return;
    }
    if (!waits) until = view_.now + wait_ms();
    rest.fit = std::move(all.fit);
    all = std::move(rest);
    if (all.slots == 0) put_off_ = Reason::ends_soon;
  }

  /// Picks the claim to serve; notes a claim that min_hold puts off as the reason.
  uint8_t choose() {
    std::array<bool, 2> may{};
    for (const uint8_t m : {kProvider, kConsumer}) {
      if (claims_[m].slots == 0) continue;
      may[m] = !held_back(m);
      if (!may[m]) put_off_ = Reason::min_hold;
    }
    if (gathers(ledger()) && may[ledger().gathering.member]) return ledger().gathering.member;
    const bool first = view_.settings.provider_first;
    if (may[kProvider] && may[kConsumer]) return first ? kProvider : longer_waiting();
    if (may[kProvider]) return kProvider;
    return may[kConsumer] ? kConsumer : kNobody;
  }

  /// Picks the larger unmet demand; the provider if both are the same. The winner's count starts
  /// again at 0, so that the other one is next in the end, whatever is claimed.
  uint8_t longer_waiting() {
    std::array<int64_t, 2>& waited = ledger().waited_slot_s;
    const uint8_t winner = waited[kConsumer] > waited[kProvider] ? kConsumer : kProvider;
    waited[winner] = 0;
    return winner;
  }

  void serve(uint8_t winner) {
    Claim& claim = claims_[winner];
    answer_.to = winner;
    answer_.reason = winner == kConsumer   ? Reason::consumer_waits
                     : claim.moves.empty() ? Reason::provider_first
                                           : Reason::provider_waits;
    answer_.moves = std::move(claim.moves);
    answer_.reclaims = std::move(claim.reclaims);
    ledger().moved_at = view_.now;
    const auto slots = static_cast<int32_t>(claim.slots);
    if (with_unused_) keep_unused(claim.beside);
    replace_grant(view_, ledger(), {winner, slots, slots, view_.now, std::move(claim.shapes)});
    ledger().pace.moving = answer_.reclaims.empty() ? view_.now : Instant{INT64_MIN};
    if (ledger().gathering.member == winner) rest_from_gathering();
  }

  /// A job that fits nothing that is idle now, and would fit what the group and its own hosts have
  /// in all.
  const Waiting* too_wide_now(uint8_t member, int64_t age_least_ms) {
    const Side& side = view_.sides[member];
    for (const Waiting& waiting : side.waiting) {
      if (waiting.age_ms < age_least_ms) continue;
      const Shape& shape = waiting.shape;
      const std::vector<Shape>& fit = claims_[member].fit;
      if (std::count(fit.begin(), fit.end(), shape) > 0) continue;
      if (waits_off(ledger(), member, shape, view_.now)) continue;
      if (would_fit(view_, member, waiting)) return &waiting;
    }
    return nullptr;
  }

  /// All that is idle goes to the one for whom it is gathered, so that it is kept together.
  void gather() {
    const uint8_t member = ledger().gathering.member;
    answer_.reason = Reason::gathering;
    const int64_t free = idle_[other(member)] - fresh(other(member));
    if (!held_back(kConsumer) && free > 0) move_idle(member, free, Reason::gathering);
  }

  /// For the one who has waited longer, of those to whom the other's idle slots would be any use.
  bool begin_gathering(int64_t age_least_ms) {
    if (gathers(ledger()) || view_.now < ledger().gathering.until) return false;
    std::array<const Waiting*, 2> wide{};
    for (const uint8_t m : {kProvider, kConsumer}) {
      if (idle_[other(m)] > fresh(other(m))) wide[m] = too_wide_now(m, age_least_ms);
    }
    uint8_t member = kNobody;
    if (wide[kProvider] != nullptr) member = kProvider;
    if (wide[kConsumer] != nullptr) member = member == kNobody ? kConsumer : longer_waiting();
    if (member == kNobody) return false;
    ledger().gathering = {member, wide[member]->shape, view_.now + kGatherMs};
    return true;
  }

  void send_home() {
    const int64_t idle = idle_[kConsumer] - still_granted(ledger(), kConsumer);
    if (view_.settings.provider_first && idle > 0 && put_off_ != Reason::gathering) {
      return move_idle(kProvider, idle, Reason::provider_first);
    }
    answer_.reason = why_nothing();
  }

  Reason why_nothing() const {
    if (put_off_ != Reason::none) return put_off_;
    bool misfit = false;
    bool off = false;
    bool wanted = false;
    for (const uint8_t m : {kProvider, kConsumer}) {
      if (view_.sides[m].waiting.empty()) continue;
      wanted = true;
      misfit = misfit || idle_[other(m)] > 0;
      off = off || waits_off_[m];
    }
    if (off) return Reason::unused_before;
    if (misfit) return Reason::shape_misfit;
    return wanted ? Reason::none_idle : Reason::no_taker;
  }

  const View& view_;
  std::array<int64_t, 2> idle_{};
  int64_t in_use_ = 0;  // lent
  int64_t on_way_ = 0;  // home, from work
  std::array<bool, 2> waits_off_{};
  std::array<Claim, 2> claims_;
  Reason put_off_ = Reason::none;
  bool with_unused_ = false;
  Answer answer_;
};

}  // namespace

Answer decide(const View& view, const Ledger& ledger) {
  return Deciding(view, ledger).decide();
}

Instant next_end(const View& view, const Answer& answer) {
  const Ledger& ledger = answer.ledger;
  Instant next = view.served_until;
  const auto wake = [&](Instant at) {
    if (at > view.now) next = std::min(next, at);
  };
  if (ledger.grant.to != kNobody) wake(use_by(view.settings, ledger));
  for (const Grant& one : ledger.earlier) wake(use_by(view.settings, one));
  wake(ledger.gathering.until);  // of a gathering, or of the rest after it
  for (const Instant until : ledger.pace.until) wake(until);
  if (answer.reason == Reason::min_hold || answer.reason == Reason::gathering) {
    wake(ledger.moved_at + view.settings.min_hold_ms);
  }
  if (answer.reason != Reason::unused_before) return next;
  for (const BackOff& one : ledger.back_offs) wake(one.until);
  wake(ledger.in_vain.until);
  return next;
}

Ledger without_moves(const Ledger& before, const Answer& answer) {
  Ledger ledger = before;
  ledger.evaluated_at = answer.ledger.evaluated_at;
  ledger.wanted = answer.ledger.wanted;
  ledger.waited_slot_s = answer.ledger.waited_slot_s;
  return ledger;
}

}  // namespace leasehold::demand_aware
