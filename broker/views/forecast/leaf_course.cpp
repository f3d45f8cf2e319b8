// Projects a plan: work ends, waiting work takes slots, and each cycle moves what the plan says.
#include <algorithm>

#include "broker/core/model/queries/plans.hpp"
#include "broker/rules/plan/evaluate.hpp"
#include "broker/views/forecast/leaf_hosts.hpp"
#include "broker/views/plan/lookup.hpp"

namespace leasehold::forecasting {

namespace {

class LeafCourse {
 public:
  LeafCourse(const LeafCourseInput& input, const Forecast& forecast, Outlook outlook)
      : input_(input),
        forecast_(forecast),
        outlook_(outlook),
        then_{plan_at(0), input.snapshot.ready->compiled},
        hosts_(input),
        now_(input.slots),
        shrinking_(input.slots.leaves.size(), 0),
        evaluation_ms_(first_evaluation()) {
    static const Cluster nobody;
    for (size_t c = 0; c < now_.leaves.size(); ++c) {
      const uint32_t cluster = find_cluster(input.state, then_.plan->consumers[c].cluster);
      works_.emplace_back(cluster == kNoIndex ? nobody : input.state.clusters[cluster],
                          WorkHosts{hosts_.held_by(uint32_t(c)), own(cluster)}, outlook, input.now);
    }
    job_ = asked().one_job(forecast.like, forecast.slots);
    if (then_.plan != input.snapshot.plan) then_.compiled = compile(*then_.plan);
    evaluations_left_ = std::clamp<int64_t>(200'000 / static_cast<int64_t>(works_.size()), 16, 512);
  }

  Course run() {
    close_hosts(0);
    course_ = {};
    course_.idle = asked().idle();
    if (asked().starts(job_)) return finish_course(course_, 0, asked());
    for (int step = 0; step < kStepsMost; ++step) {
      const int64_t now_ms = next();
      if (now_ms > kHorizonMs) break;
      if (go_to(now_ms)) return finish_course(course_, now_ms, asked());
    }
    return course_;
  }

 private:
  struct Coming {
    int64_t at_ms = 0;
    uint32_t to = 0;
    OnHost slots;
  };
  /// Slots that a leaf has to give up; `to` may be nobody.
  struct Owed {
    uint32_t from = 0;
    uint32_t to = 0;
    OnHost slots;
    int64_t end_ms = 0;  // the work on them is ended then
  };

  Work& asked() { return works_[input_.consumer]; }

  /// Work goes by hosts where the agent tells shapes.
  std::vector<HostSlots> own(uint32_t cluster) const {
    if (!input_.by_host || cluster == kNoIndex) return {};
    std::vector<uint32_t> exported;
    for (const auto& [g, row] : input_.snapshot.rows) {
      const SlotGroup& group = input_.state.slot_groups[g];
      if (group.members[kProvider].cluster != cluster) continue;
      exported.push_back(group.hosts[row].host);
    }
    return own_hosts(input_.state.clusters[cluster], exported);
  }

  const Plan* plan_at(int64_t now_ms) const {
    const ResourceGroup* group = resource_group(input_.state, input_.ledger.name);
    const uint32_t variant = variant_at(input_.state, input_.ledger.name, forecast_.now + now_ms);
    return variant < group->variants.size() ? &group->variants[variant] : input_.snapshot.plan;
  }

  int64_t first_evaluation() const { return input_.waits ? evaluated_after(0) : evaluated_from(0); }

  /// The earliest outlook reacts at once to a report of demand that idle slots can meet; the others
  /// wait for the next cycle.
  int64_t evaluated_from(int64_t at_ms) const {
    const bool at_once = outlook_ == Outlook::early && !input_.freeze.covers(at_ms);
    return at_once ? at_ms : evaluated_after(at_ms);
  }

  int64_t evaluated_after(int64_t at_ms) const {
    return on_grid_unless_frozen(input_.next_ms, input_.delay_ms, at_ms, input_.freeze);
  }

  int64_t transfer_ms() const {
    return outlook_ == Outlook::late ? input_.state.config.transfer_timeout_ms : 0;
  }

  /// Returns for how long settings against flapping may put slots off; 0 except for the latest
  /// outlook.
  int64_t put_off_ms() const {
    if (outlook_ != Outlook::late) return 0;
    return std::max(then_.plan->min_hold_ms, then_.plan->reclaim_backoff_ms);
  }

  int64_t next() const {
    int64_t soonest = kNotAtAll;
    for (const Work& work : works_) soonest = std::min(soonest, work.next_end());
    for (const Coming& coming : coming_) soonest = std::min(soonest, coming.at_ms);
    for (const Owed& owed : owed_) soonest = std::min(soonest, owed.end_ms);
    soonest = std::min(soonest, hosts_.next_close());
    const bool evaluates = changed_ && input_.moves && evaluations_left_ > 0;
    return evaluates ? std::min(soonest, evaluation_ms_) : soonest;
  }

  /// Advances to `now_ms`. Returns true if the slots are available.
  bool go_to(int64_t now_ms) {
    if (!changed_) evaluation_ms_ = evaluated_from(now_ms);
    for (uint32_t c = 0; c < works_.size(); ++c) advance(c, now_ms);
    close_hosts(now_ms);
    move_slots(now_ms);
    if (asked().starts(job_)) return true;
    if (!changed_ || !input_.moves || now_ms < evaluation_ms_ || evaluations_left_ == 0) {
      return false;
    }
    evaluate(now_ms);
    move_slots(now_ms);
    return asked().starts(job_);
  }

  void advance(uint32_t c, int64_t now_ms) {
    Work& work = works_[c];
    if (work.next_end() > now_ms) return;
    const int64_t before = work.idle();
    work.advance(now_ms);
    int64_t left = work.idle() - before;
    const int64_t shrunk = std::min(left, shrinking_[c]);
    shrink(c, shrunk);
    left -= shrunk;
    for (const Owed& owed : owed_) left -= owed.from == c ? std::min(left, owed.slots.slots) : 0;
    changed_ = true;
    if (outlook_ != Outlook::late) return;
    if (c == input_.consumer) return work.overtake();
    work.occupy(left);  // slots that others' work leaves are taken by their new work
  }

  /// Under ownership only shared slots shrink.
  void shrink(uint32_t c, int64_t slots) {
    LeafState& leaf = now_.leaves[c];
    const int64_t given = give_idle(c, slots);
    leaf.allocated = std::max<int64_t>(0, leaf.allocated - given);
    if (leaf.shared) *leaf.shared = std::max<int64_t>(0, *leaf.shared - given);
    shrinking_[c] -= given;
  }

  /// The leaf is due so many of its idle slots no more, or all that it is due of them.
  int64_t give_idle(uint32_t c, int64_t slots) {
    int64_t left = slots;
    for (uint32_t h = 0; h < works_[c].leased().size() && left > 0; ++h) {
      left -= give_there(c, h, left);
    }
    return slots - left;
  }
  int64_t give_there(uint32_t c, uint32_t host, int64_t most) {
    const int64_t idle = works_[c].leased()[host].idle();
    const int64_t slots = std::min({most, idle, hosts_.due(c, host)});
    if (slots <= 0) return 0;
    give(c, {host, slots});
    hosts_.add_due(c, {host, -slots});
    return slots;
  }

  /// No new work starts on hosts that are reserved, or soon will be.
  void close_hosts(int64_t now_ms) {
    changed_ = changed_ || hosts_.next_close() <= now_ms;
    for (const HostCloses& closes : hosts_.close(now_ms)) {
      for (uint32_t c = 0; c < works_.size(); ++c) {
        if (closes.consumer != c && closes.consumer != kNoIndex) continue;
        now_.leaves[c].allocated -= give_there(c, closes.host, kMostSlots);
      }
      if (closes.consumer == kNoIndex && now_.slots) *now_.slots -= hosts_.drop_free(closes.host);
    }
  }

  void move_slots(int64_t now_ms) {
    for (const Coming& coming : coming_) {
      if (coming.at_ms <= now_ms) gain(coming.to, coming.slots);
    }
    std::erase_if(coming_, [now_ms](const Coming& coming) { return coming.at_ms <= now_ms; });
    for (Owed& owed : owed_) give_up(owed, now_ms);
    std::erase_if(owed_, [](const Owed& owed) { return owed.slots.slots == 0; });
    for (Work& work : works_) work.start(now_ms);
  }

  void give_up(Owed& owed, int64_t now_ms) {
    Work& from = works_[owed.from];
    const HostSlots& there = from.leased()[owed.slots.host];
    const bool ends = now_ms >= owed.end_ms;
    const OnHost slots{owed.slots.host,
                       std::min(owed.slots.slots, ends ? there.held : there.idle())};
    from.give_up(slots);
    if (owed.from == input_.consumer) course_.lost += slots.slots;
    owed.slots.slots = ends ? 0 : owed.slots.slots - slots.slots;
    if (slots.slots > 0 && owed.to != kNoIndex) bring(owed.to, slots, now_ms);
  }

  void give(uint32_t from, const OnHost& slots) {
    works_[from].give(slots);
    if (from == input_.consumer) course_.lost += slots.slots;
  }

  void gain(uint32_t to, const OnHost& slots) {
    works_[to].gain({&slots, 1});
    if (to == input_.consumer) course_.moved += slots.slots;
  }

  void bring(uint32_t to, const OnHost& slots, int64_t now_ms) {
    if (transfer_ms() == 0) return gain(to, slots);
    coming_.push_back({now_ms + transfer_ms(), to, slots});
  }

  /// Counts demand as a report of that instant would.
  void count_demand() {
    for (uint32_t c = 0; c < works_.size(); ++c) {
      LeafState& leaf = now_.leaves[c];
      if (!leaf.connected) continue;
      const int64_t more = c == input_.consumer ? forecast_.slots : 0;
      leaf.demand = std::min(kMostSlots, works_[c].used() + works_[c].waiting() + more);
    }
  }

  void evaluate(int64_t now_ms) {
    --evaluations_left_;
    changed_ = false;
    evaluation_ms_ = evaluated_from(now_ms + 1);
    if (const Plan* plan = plan_at(now_ms); plan != then_.plan) then_ = {plan, compile(*plan)};
    count_demand();
    hosts_.count_demand(then_, works_, {input_.consumer, job_}, now_ms, now_);
    for (uint32_t c = 0; c < works_.size(); ++c) release_unneeded(c);
    const PlanAnswer answer = evaluate_plan(*then_.plan, then_.compiled, now_);
    for (const LeafMove& move : hosts_.place(then_, answer)) carry_out(move, now_ms);
    for (const PlanRow& row : answer.rows) take_row(row);
  }

  /// Under ownership a leaf's slots that it neither uses nor wants count as idle.
  void release_unneeded(uint32_t c) {
    LeafState& leaf = now_.leaves[c];
    const bool owner = policy_of(*then_.plan, c) == PlanPolicy::ownership;
    if (!owner || !leaf.connected || leaf.allocated <= leaf.demand) return;
    int64_t left = give_idle(c, leaf.allocated - leaf.demand);
    leaf.allocated -= left;
    if (!leaf.borrowed) return;
    const auto take = [&left](int64_t& has) {
      const int64_t part = std::min(has, left);
      has -= part;
      left -= part;
    };
    for (size_t l = leaf.borrowed->size(); l-- > 0;) take((*leaf.borrowed)[l].slots);
    if (leaf.shared) take(*leaf.shared);
  }

  void carry_out(const LeafMove& move, int64_t now_ms) {
    changed_ = true;
    const int64_t slots = move.slots.slots;
    if (move.to != kNoIndex) now_.leaves[move.to].allocated += slots;
    if (move.from == kNoIndex) return bring(move.to, move.slots, now_ms + put_off_ms());
    now_.leaves[move.from].allocated -= slots;
    owed_.push_back({move.from, move.to, move.slots, now_ms + until_ended_ms(move.grace_ms)});
  }

  int64_t until_ended_ms(int64_t grace_ms) const {
    if (outlook_ == Outlook::early) return 0;
    if (outlook_ == Outlook::likely) return grace_ms;
    return grace_ms + input_.state.config.leeway_ms + put_off_ms();
  }

  void take_row(const PlanRow& row) {
    if (row.consumer >= now_.leaves.size()) return;
    shrinking_[row.consumer] = row.shrink;
    if (policy_of(*then_.plan, row.consumer) != PlanPolicy::ownership) return;
    LeafState& leaf = now_.leaves[row.consumer];
    leaf.shared = row.shared;
    leaf.borrowed = row.loans;
    if (input_.by_host) keep_to_allocated(leaf);
  }

  /// A move that found no host that would do is no loan either.
  static void keep_to_allocated(LeafState& leaf) {
    int64_t left = leaf.allocated;
    const auto keep = [&left](int64_t& has) {
      has = std::clamp<int64_t>(has, 0, std::max<int64_t>(0, left));
      left -= has;
    };
    for (Loan& loan : *leaf.borrowed) keep(loan.slots);
    keep(*leaf.shared);
  }

  const LeafCourseInput& input_;
  const Forecast& forecast_;
  const Outlook outlook_;
  PlanThen then_;
  LeafHosts hosts_;
  PlanState now_;                   // `allocated` is what each leaf is due
  std::vector<int64_t> shrinking_;  // by consumer: slots given up to nobody as work ends
  std::vector<Work> works_;         // by consumer
  demand_aware::Waiting job_;       // that needs the slots
  std::vector<Coming> coming_;
  std::vector<Owed> owed_;
  int64_t evaluation_ms_;
  int64_t evaluations_left_ = 0;
  bool changed_ = true;  // something changed since the last evaluation
  Course course_;
};

}  // namespace

Course leaf_course(const LeafCourseInput& input, const Forecast& forecast, Outlook outlook) {
  return LeafCourse(input, forecast, outlook).run();
}

}  // namespace leasehold::forecasting
