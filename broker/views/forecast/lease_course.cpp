// Projects a lease: work ends, waiting work takes slots, and each evaluation moves what the rule
// says.
#include <algorithm>
#include <functional>
#include <utility>

#include "broker/rules/demand_aware/grants.hpp"
#include "broker/rules/exclusive.hpp"
#include "broker/views/forecast/lease.hpp"

namespace leasehold::forecasting {

namespace {

/// Evaluations of a rule that reads work; what happens after them is not known.
constexpr int kEvaluationsMost = 512;

class LeaseCourse {
 public:
  LeaseCourse(const LeaseCourseInput& input, int64_t slots, Outlook outlook)
      : input_(input),
        outlook_(outlook),
        sides_{side(kProvider), side(kConsumer)},
        job_(asked().one_job(input.like, slots)),
        evaluation_ms_(evaluated_after(input.next_ms)) {
    moves_ = outlook == Outlook::early ? input.moves_in_early_outlook : input.moves;
    for (const size_t member : {kProvider, kConsumer}) {
      if (input.coming[member].empty()) continue;
      under_way_ = {transfer_ms(), member, input.coming[member], {}, &Course::in_transfer};
    }
    if (by_work() && input.group.demand) ledger_ = *input.group.demand;
    list_closings();
    if (reacts()) look_at(taker_ms(0));
  }

  Course run() {
    course_.idle = asked().idle();
    if (asked().starts(job_)) return finish_course(course_, 0, asked());
    for (int step = 0; step < kStepsMost; ++step) {
      const int64_t now_ms = next();
      if (now_ms > kHorizonMs || (input_.asked == kConsumer && now_ms >= input_.ends_ms)) break;
      if (go_to(now_ms)) return finish_course(course_, now_ms, asked());
    }
    return course_;
  }

 private:
  struct UnderWay {
    int64_t at_ms = kNotAtAll;
    size_t to = 0;
    std::vector<OnHost> slots = {};
    std::vector<OnHost> reclaimed = {};  // with the one who gives them until then
    int64_t Course::*counts_as = &Course::moved;
  };

  Work side(size_t member) const {
    WorkHosts hosts;
    for (const LeaseHost& host : input_.hosts) hosts.leased.push_back(host.of[member]);
    hosts.own = input_.own[member];
    return {input_.cluster(member), std::move(hosts), outlook_, input_.now};
  }
  Work& asked() { return sides_[input_.asked]; }
  Work& other() { return sides_[1 - input_.asked]; }

  bool by_work() const { return input_.of_work != nullptr && !input_.exclusive; }
  /// A report of waiting work has the rule asked at once.
  bool reacts() const { return by_work() && outlook_ != Outlook::late; }

  /// An answer is at most transfer_timeout late.
  int64_t transfer_ms() const {
    return outlook_ == Outlook::late ? input_.state.config.transfer_timeout_ms : 0;
  }

  /// In the latest outlook the other side's new work takes the slots that its work leaves.
  bool other_goes_on() const { return outlook_ != Outlook::late || input_.returns_to_provider; }

  void list_closings() {
    for (const LeaseHost& host : input_.hosts) {
      for (const int64_t at_ms : host.closed_ms) {
        if (at_ms < kNotAtAll) closings_.push_back(at_ms);
      }
    }
    std::sort(closings_.begin(), closings_.end(), std::greater<>());
  }
  bool closes() const { return !closings_.empty() || closed_; }

  int64_t next() {
    int64_t soonest = std::min(asked().next_end(), under_way_.at_ms);
    if (other_goes_on()) soonest = std::min(soonest, other().next_end());
    if (!closings_.empty()) soonest = std::min(soonest, closings_.back());
    if (moves_) soonest = std::min(soonest, wake_ms_);
    if (changed_ && moves_) soonest = std::min(soonest, evaluation_ms_);
    return soonest;
  }

  /// Advances to `now_ms`. Returns true if the slots are available.
  bool go_to(int64_t now_ms) {
    const bool wakes = wake_ms_ <= now_ms;
    if (wakes) wake_ms_ = kNotAtAll;
    const bool news = wakes || changes_by(now_ms);
    if (news && !changed_) evaluation_ms_ = evaluated_after(now_ms);
    changed_ = changed_ || news;
    asked().advance(now_ms);
    if (outlook_ == Outlook::late) asked().overtake();
    if (other_goes_on()) other().advance(now_ms);
    arrive(now_ms);
    if (input_.returns_to_provider) go_home();
    close_hosts(now_ms);
    start(now_ms);
    if (asked().starts(job_)) return true;
    if (reacts() && news) look_at(wakes ? now_ms : taker_ms(now_ms));
    if (!moves_ || now_ms < evaluation_ms_) return false;
    evaluate(now_ms);
    arrive(now_ms);
    start(now_ms);
    return asked().starts(job_);
  }

  void start(int64_t now_ms) {
    for (Work& work : sides_) work.start(now_ms);
    if (!by_work()) return;
    for (const uint8_t m : {kProvider, kConsumer}) {
      const bool coming = under_way_.at_ms < kNotAtAll && under_way_.to == m;
      if (!coming) demand_aware::noted_use(ledger_, m, sides_[m].idle());
    }
  }

  bool changes_by(int64_t now_ms) {
    const bool ends = other_goes_on() && other().next_end() <= now_ms;
    const bool closes = !closings_.empty() && closings_.back() <= now_ms;
    return ends || closes || asked().next_end() <= now_ms || under_way_.at_ms <= now_ms;
  }

  int64_t evaluated_after(int64_t at_ms) const {
    return on_grid_unless_frozen(input_.next_ms, input_.delay_ms, at_ms, input_.freeze);
  }

  /// Returns when a report has the rule asked because somebody could take what is idle.
  int64_t taker_ms(int64_t now_ms) const {
    const auto waits = [this](size_t m) { return m == input_.asked || sides_[m].waiting() > 0; };
    if (waits(kProvider) && sides_[kConsumer].idle() > 0) return now_ms;
    if (!waits(kConsumer) || sides_[kProvider].idle() == 0) return kNotAtAll;
    if (ledger_.moved_at.ms == INT64_MIN) return now_ms;
    const Instant held = ledger_.moved_at + input_.view.settings.min_hold_ms;
    return std::max(now_ms, held - input_.now);
  }

  void look_at(int64_t at_ms) {
    const int64_t soonest = input_.freeze.behind(std::max(at_ms, input_.moves_from_ms));
    evaluation_ms_ = std::min(evaluation_ms_, soonest);
  }

  void arrive(int64_t now_ms) {
    if (under_way_.at_ms > now_ms) return;
    UnderWay came = std::exchange(under_way_, {});
    for (const OnHost& one : came.reclaimed) {
      sides_[1 - came.to].give_up(one);
      came.slots.push_back(one);
    }
    sides_[came.to].gain(came.slots);
    if (came.to == input_.asked) course_.*came.counts_as += slots_in_all(came.slots);
    if (by_work() && ledger_.grant.to == came.to) {
      demand_aware::noted_arrival(ledger_, input_.now + now_ms);
    }
  }

  /// `slots`: given by the other already.
  void move(size_t to, std::vector<OnHost> slots, std::vector<OnHost> reclaimed, int64_t at_ms) {
    if (to != input_.asked) course_.lost += slots_in_all(slots) + slots_in_all(reclaimed);
    under_way_ = {at_ms, to, std::move(slots), std::move(reclaimed), &Course::moved};
    changed_ = true;
  }

  void go_home() {
    const std::vector<OnHost> idle =
        sides_[kConsumer].give_idle(sides_[kConsumer].idle(), [](uint32_t) { return true; });
    sides_[kProvider].gain(idle);
    (input_.asked == kProvider ? course_.moved : course_.lost) += slots_in_all(idle);
  }

  bool is_closed(size_t member, uint32_t host, int64_t now_ms) const {
    return input_.hosts[host].closed_ms[member] <= now_ms;
  }

  /// No new work starts on a host that is reserved, or soon will be.
  void close_hosts(int64_t now_ms) {
    if (!closes()) return;
    for (; !closings_.empty() && closings_.back() <= now_ms; closings_.pop_back()) closed_ = true;
    for (const size_t m : {kConsumer, kProvider}) {
      const std::vector<OnHost> idle = sides_[m].give_idle(
          sides_[m].idle(), [&](uint32_t host) { return is_closed(m, host, now_ms); });
      if (m == input_.asked) course_.lost += slots_in_all(idle);
      if (m == kProvider) continue;
      sides_[kProvider].gain(idle);
      if (input_.asked == kProvider) course_.moved += slots_in_all(idle);
    }
  }

  /// Returns the provider's idle slots that the consumer must not have.
  int64_t kept_back(int64_t now_ms) const {
    int64_t slots = 0;
    for (uint32_t host = 0; closed_ && host < input_.hosts.size(); ++host) {
      if (!is_closed(kConsumer, host, now_ms)) continue;
      slots += sides_[kProvider].leased()[host].idle();
    }
    return slots;
  }

  void evaluate(int64_t now_ms) {
    evaluation_ms_ = evaluated_after(now_ms + 1);
    changed_ = false;
    if (under_way_.at_ms != kNotAtAll) {  // an inactive lease is skipped
      changed_ = true;
      return;
    }
    if (input_.exclusive) return give_due(now_ms);
    if (by_work()) return ask_rule(now_ms);
    if (outlook_ == Outlook::early) return give_all(now_ms);
    const auto count = [](int64_t slots) { return static_cast<int32_t>(slots); };
    const Work& home = sides_[kProvider];
    const Work& lent = sides_[kConsumer];
    const int64_t kept = kept_back(now_ms);
    const RuleAnswer answer =
        input_.of_totals({count(home.held() - kept), count(home.held() - home.idle()),
                          count(lent.held()), count(lent.held() - lent.idle())});
    if (answer.slots == 0) return;
    move_idle(answer.to_consumer ? kConsumer : kProvider, answer.slots, now_ms);
  }

  /// The rule is asked on the work and the slots of then, host by host.
  void ask_rule(int64_t now_ms) {
    const demand_aware::View view = view_at(now_ms);
    demand_aware::Answer answer = input_.of_work(view, ledger_);
    const Instant end = demand_aware::next_end(view, answer);
    wake_ms_ = end == kNever ? kNotAtAll : now_ms + (end - view.now);
    ledger_ = std::move(answer.ledger);
    if (--evaluations_left_ == 0) moves_ = false;
    if (answer.moves.empty() && answer.reclaims.empty()) return;
    std::vector<OnHost> slots;
    for (const demand_aware::RowSlots& row : answer.moves) {
      slots.push_back({row.row, row.slots});
      sides_[1 - answer.to].give(slots.back());
    }
    std::vector<OnHost> reclaimed;
    for (const demand_aware::RowSlots& row : answer.reclaims) {
      reclaimed.push_back({row.row, row.slots});
    }
    const int64_t end_ms = reclaimed.empty() ? 0 : until_ended_ms();
    move(answer.to, std::move(slots), std::move(reclaimed), now_ms + end_ms + transfer_ms());
  }

  int64_t until_ended_ms() const {
    if (outlook_ == Outlook::early) return 0;
    const bool late = outlook_ == Outlook::late;
    return input_.grace_ms + (late ? input_.state.config.leeway_ms : 0);
  }

  demand_aware::View view_at(int64_t now_ms) const {
    demand_aware::View view = input_.view;
    view.now = input_.now + now_ms;
    for (uint32_t host = 0; host < view.rows.size(); ++host) {
      if (input_.hosts[host].cap == 0 || is_closed(kConsumer, host, now_ms)) {
        view.exported[host] = 0;
        view.rows[host] = {.whole = view.rows[host].whole};
      } else {
        fill(host, view.rows[host], view.exported[host]);
      }
      view.slots += view.exported[host];
    }
    for (const size_t m : {kProvider, kConsumer}) {
      view.sides[m].waiting = sides_[m].waiting_at(now_ms);
    }
    demand_aware::Waiting job = job_;
    job.age_ms = now_ms;
    view.sides[input_.asked].waiting.push_back(std::move(job));
    return view;
  }

  /// A host that moves whole does so when all of it is idle at one side.
  void fill(uint32_t host, demand_aware::IdleRow& row, int32_t exported) const {
    for (const size_t m : {kProvider, kConsumer}) {
      const HostSlots& slots = sides_[m].leased()[host];
      const bool moves = !row.whole || (slots.used == 0 && slots.held == exported);
      (moves ? row.idle : row.beside)[m] = static_cast<int32_t>(slots.idle());
    }
    const auto lent = static_cast<int32_t>(sides_[kConsumer].leased()[host].held);
    row.in_use = std::max(0, lent - row.idle[kConsumer]);
  }

  /// In the earliest outlook the comparison is in favour of the asking side, whatever starts or
  /// ends until then.
  void give_all(int64_t now_ms) {
    if (other().idle() > 0) move_idle(input_.asked, other().idle(), now_ms);
  }

  void give_due(int64_t now_ms) {
    int64_t due = 0;
    for (uint32_t host = 0; host < input_.hosts.size(); ++host) {
      if (!is_closed(kConsumer, host, now_ms)) due += input_.hosts[host].cap;
    }
    const int64_t missing = exclusive_missing(static_cast<int32_t>(due),
                                              static_cast<int32_t>(sides_[kConsumer].held()));
    if (missing > 0 && sides_[kProvider].idle() > 0) move_idle(kConsumer, missing, now_ms);
  }

  void move_idle(size_t to, int64_t slots, int64_t now_ms) {
    std::vector<OnHost> idle = sides_[1 - to].give_idle(slots, [&](uint32_t host) {
      return to == kProvider || !is_closed(kConsumer, host, now_ms);
    });
    if (!idle.empty()) move(to, std::move(idle), {}, now_ms + transfer_ms());
  }

  const LeaseCourseInput& input_;
  const Outlook outlook_;
  std::array<Work, 2> sides_;
  const demand_aware::Waiting job_;  // that needs the slots
  int64_t evaluation_ms_;
  int64_t wake_ms_ = kNotAtAll;  // something that the rule remembers ends
  UnderWay under_way_;
  demand_aware::Ledger ledger_;    // of a rule that reads work
  std::vector<int64_t> closings_;  // still to come, the last one is the next
  bool closed_ = false;            // some host is closed for a reservation
  int evaluations_left_ = kEvaluationsMost;
  bool moves_ = false;
  bool changed_ = true;  // something changed since the last evaluation
  Course course_;
};

}  // namespace

Course lease_course(const LeaseCourseInput& input, int64_t slots, Outlook outlook) {
  return LeaseCourse(input, slots, outlook).run();
}

}  // namespace leasehold::forecasting
