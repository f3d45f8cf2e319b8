// Projects a lease: work ends, waiting work takes slots, and each evaluation moves what the rule
// says.
#include <algorithm>

#include "broker/rules/exclusive.hpp"
#include "broker/views/forecast/lease.hpp"

namespace leasehold::forecasting {

namespace {

class LeaseCourse {
 public:
  LeaseCourse(const LeaseCourseInput& input, int64_t slots, Outlook outlook)
      : input_(input),
        slots_(slots),
        outlook_(outlook),
        sides_{side(kProvider), side(kConsumer)},
        evaluation_ms_(evaluated_after(input.next_ms)) {
    moves_ = outlook == Outlook::early ? input.moves_in_early_outlook : input.moves;
    for (const size_t member : {kProvider, kConsumer}) {
      if (input.coming[member] == 0) continue;
      under_way_ = {transfer_ms(), member, input.coming[member], &Course::in_transfer};
    }
  }

  Course run() {
    course_.idle = asked().idle();
    if (asked().idle() >= slots_) return finish_course(course_, 0, asked());
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
    int64_t slots = 0;
    int64_t Course::*counts_as = &Course::moved;
  };

  Work side(size_t member) const {
    return {input_.cluster(member), input_.held[member], input_.used[member], outlook_};
  }
  Work& asked() { return sides_[input_.asked]; }
  Work& other() { return sides_[1 - input_.asked]; }

  /// An answer is at most transfer_timeout late.
  int64_t transfer_ms() const {
    return outlook_ == Outlook::late ? input_.state.config.transfer_timeout_ms : 0;
  }

  /// In the latest outlook the other side's new work takes the slots that its work leaves.
  bool other_goes_on() const { return outlook_ != Outlook::late || input_.returns_to_provider; }

  int64_t next() {
    int64_t soonest = std::min(asked().next_end(), under_way_.at_ms);
    if (other_goes_on()) soonest = std::min(soonest, other().next_end());
    if (changed_ && moves_) soonest = std::min(soonest, evaluation_ms_);
    return soonest;
  }

  /// Advances to `now_ms`. Returns true if the slots are available.
  bool go_to(int64_t now_ms) {
    const bool news = changes_by(now_ms);
    changed_ = changed_ || news;
    asked().advance(now_ms);
    if (outlook_ == Outlook::late) asked().overtake();
    if (other_goes_on()) other().advance(now_ms);
    arrive(now_ms);
    if (input_.returns_to_provider) go_home();
    for (Work& work : sides_) work.start(now_ms);
    if (asked().idle() >= slots_) return true;
    if (!moves_ || now_ms < evaluation_ms_) return false;
    evaluate(now_ms);
    arrive(now_ms);
    for (Work& work : sides_) work.start(now_ms);
    return asked().idle() >= slots_;
  }

  bool changes_by(int64_t now_ms) {
    const bool ends = other_goes_on() && other().next_end() <= now_ms;
    if (!ends && asked().next_end() > now_ms && under_way_.at_ms > now_ms) return false;
    if (!changed_) evaluation_ms_ = evaluated_after(now_ms);
    return true;
  }

  int64_t evaluated_after(int64_t at_ms) const {
    return on_grid_unless_frozen(input_.next_ms, input_.delay_ms, at_ms, input_.freeze);
  }

  void arrive(int64_t now_ms) {
    if (under_way_.at_ms > now_ms) return;
    sides_[under_way_.to].gain(under_way_.slots);
    if (under_way_.to == input_.asked) course_.*under_way_.counts_as += under_way_.slots;
    under_way_ = {};
  }

  void move(size_t from, int64_t slots, int64_t at_ms) {
    sides_[from].give(slots);
    under_way_ = {at_ms, 1 - from, slots, &Course::moved};
    if (from == input_.asked) course_.lost += slots;
    changed_ = true;
  }

  void go_home() {
    const int64_t idle = sides_[kConsumer].idle();
    sides_[kConsumer].give(idle);
    sides_[kProvider].gain(idle);
    (input_.asked == kProvider ? course_.moved : course_.lost) += idle;
  }

  void evaluate(int64_t now_ms) {
    evaluation_ms_ = evaluated_after(now_ms + 1);
    changed_ = false;
    if (under_way_.at_ms != kNotAtAll) {  // an inactive lease is skipped
      changed_ = true;
      return;
    }
    if (input_.exclusive) return give_due(now_ms);
    if (outlook_ == Outlook::early) return give_all(now_ms);
    const auto count = [](int64_t slots) { return static_cast<int32_t>(slots); };
    const RuleAnswer answer =
        input_.of_totals({count(sides_[0].held()), count(sides_[0].held() - sides_[0].idle()),
                          count(sides_[1].held()), count(sides_[1].held() - sides_[1].idle())});
    if (answer.slots == 0) return;
    move(answer.to_consumer ? kProvider : kConsumer, answer.slots, now_ms + transfer_ms());
  }

  /// In the earliest outlook the comparison is in favour of the asking side, whatever starts or
  /// ends until then.
  void give_all(int64_t now_ms) {
    if (other().idle() > 0) move(1 - input_.asked, other().idle(), now_ms);
  }

  void give_due(int64_t now_ms) {
    const int64_t missing = exclusive_missing(static_cast<int32_t>(input_.due),
                                              static_cast<int32_t>(sides_[kConsumer].held()));
    const int64_t slots = std::min(missing, sides_[kProvider].idle());
    if (slots > 0) move(kProvider, slots, now_ms + transfer_ms());
  }

  const LeaseCourseInput& input_;
  const int64_t slots_;
  const Outlook outlook_;
  std::array<Work, 2> sides_;
  int64_t evaluation_ms_;
  UnderWay under_way_;
  bool moves_ = false;
  bool changed_ = true;  // something changed since the last evaluation
  Course course_;
};

}  // namespace

Course lease_course(const LeaseCourseInput& input, int64_t slots, Outlook outlook) {
  return LeaseCourse(input, slots, outlook).run();
}

}  // namespace leasehold::forecasting
