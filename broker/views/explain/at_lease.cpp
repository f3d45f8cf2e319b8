// The reason why a waiting job of a lease's provider or consumer does not start on its slots.
#include <optional>

#include "broker/core/lease/owner_work.hpp"
#include "broker/core/model/queries/being_served.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "broker/rules/demand_aware/back_off.hpp"
#include "broker/views/explain/hindrances.hpp"
#include "broker/views/leases/first_slots.hpp"
#include "broker/views/rows.hpp"

namespace leasehold::explanation {

namespace {

using rows::count_of;

class OfLease {
 public:
  OfLease(const AtLease& at, const SlotsSeen& seen, const wire::DemandBucket& bucket)
      : at_(at),
        bucket_(bucket),
        policy_(at.state.policies[at.group.policy].config),
        rule_(rule_in_force(policy_)),
        own_(rows::cluster_name(at.state, at.group, at.member)),
        other_(rows::cluster_name(at.state, at.group, 1 - at.member)),
        found_(find_obstacle(seen, bucket)) {}

  Hindrance say() {
    out_.of = at_.id;
    out_.role = provides() ? "provider" : "consumer";
    put_off();
    out_.what = found_.what;
    out_.sentence = words();
    return std::move(out_);
  }

 private:
  bool provides() const { return at_.member == kProvider; }
  bool by_work() const { return rule_.of_work != nullptr; }

  /// Looks for what keeps slots of the lease from work that they would start.
  void put_off() {
    if (found_.what != Obstacle::idle_of_other && found_.what != Obstacle::in_use) return;
    if (at_.group.demand) find_back_off();
    if (until_ != kNever) found_.what = Obstacle::unused_before;
    const bool to_be_made = at_.group.phase == Phase::offered && !provides();
    const bool one_offer = !by_work() && !is_exclusive(rule_.type);
    if (!to_be_made || !one_offer) return;
    const std::optional<demand_aware::Waiting> job =
        waiting_in_group(at_.state, at_.group, bucket_);
    if (!job || starts_on_first_slots(at_.state, at_.group, *job, policy_.initial_slots)) return;
    least_offer_ = fewest_first_slots(at_.state, at_.group, *job);
    if (least_offer_) found_.what = Obstacle::offer;
  }

  void find_back_off() {
    const demand_aware::Shape shape = waiting_of_bucket({}, bucket_).shape;
    const auto look = [&](const demand_aware::BackOffs& all) {
      if (!demand_aware::waits_off(all, at_.member, shape, at_.state.now)) return;
      for (const demand_aware::BackOff& one : all) {
        if (one.member == at_.member && one.shape == shape) until_ = one.until;
      }
    };
    look(at_.group.demand->back_offs);
    const Instant all_wait = at_.group.demand->in_vain.until;
    all_wait_ = !provides() && all_wait > at_.state.now && (until_ == kNever || all_wait > until_);
    if (all_wait_) until_ = all_wait;
    if (provides()) look(at_.group.demand->owner_trial.back_offs);
  }

  std::string words() {
    const Obstacle what = found_.what;
    if (what == Obstacle::idle_of_other) return idle_of_other();
    if (what == Obstacle::offer) return offered();
    if (what == Obstacle::unused_before) {
      const std::string which = all_wait_ ? "one kind of work after another" : "such work";
      return which + " left slots unused that it was given: it gets none before " +
             format_utc(until_);
    }
    if (what == Obstacle::in_use) return provides() ? lent() : in_use_words(found_);
    if (what == Obstacle::host_down) {
      return "each host of " + at_.id + " that would do is down, or closed to " + own_;
    }
    if (is_too_small(what) && !provides()) {
      change(larger_words(found_, bucket_, "policy " + policy_.name) + ", then leasectl reload");
    }
    return is_too_small(what) ? too_small_words(found_, bucket_, at_.id) : own_words(what, own_);
  }

  std::string offered() {
    change("initial_slots = " + std::to_string(*least_offer_) + " in policy " + policy_.name +
           ", then leasectl reload");
    return "the lease is not made yet, and the " + count_of(policy_.initial_slots, "slot") +
           " offered first " + (policy_.initial_slots == 1 ? "does" : "do") + " not start it";
  }

  void change(std::string what) { out_.changes.push_back(std::move(what)); }

  void change_rule() {
    const std::string type = is_exclusive(rule_.type) ? " and type = \"shared\"" : "";
    change("rule = \"demand-aware\"" + type + " in policy " + policy_.name +
           ", then leasectl reload: slots go to work that they start");
  }

  std::string idle_of_other() {
    std::string text =
        count_of(found_.lacking, "idle slot") + " of " + other_ + " would start it; ";
    if (by_work() && !provides() && at_.group.phase == Phase::offered) {
      return text + "the lease is not made yet: it offers what starts the smallest job that fits";
    }
    if (!at_.waits_for.empty()) return text + "the lease waits for " + at_.waits_for;
    if (by_work()) {
      const Instant until = served_until();
      if (until == kNever) return text + "the rule decides on them at " + when();
      return text + "it has been given slots elsewhere, which are to start it by " +
             format_utc(until);
    }
    change_rule();
    if (!is_exclusive(rule_.type)) {
      return text + "the rule compares idle slots alone, whoever waits, at " + when();
    }
    return text + (provides() ? "the lease is exclusive: none comes back"
                              : "the lease is exclusive: all its slots go to " + own_);
  }

  /// Returns until when all such jobs are left to slots that they have elsewhere; kNever: some are
  /// not.
  Instant served_until() const {
    const uint32_t index = at_.group.members[at_.member].cluster;
    const std::optional<wire::Demand>& demand = at_.state.clusters[index].demand;
    const BeingServed served = being_served(at_.state, index, at_.group);
    for (size_t b = 0; demand && b < demand->size(); ++b) {
      if ((*demand)[b] == bucket_ && served.jobs_of(b) == bucket_.jobs) return served.until;
    }
    return kNever;
  }

  std::string when() const {
    const uint32_t grid = at_.group.grid;
    if (grid >= at_.state.grids.size() || at_.state.grids[grid].next == kNever) {
      return "the next evaluation";
    }
    return "the evaluation at " + format_utc(at_.state.grids[grid].next);
  }

  /// Slots that the provider lacks are in use, at the consumer or at itself.
  std::string lent() {
    const std::string text = "it lacks slots in use, of " + other_ + " or its own: ";
    if (!by_work()) {
      change_rule();
      return text + "the rule brings back none that are in use for it";
    }
    if (policy_.provider_first) return text + "lent ones are reclaimed for it at " + when();
    if (!is_wide(bucket_)) return text + "the rule gives it lent ones once they are idle";
    const std::optional<OwnerJob> job = as_owner();
    if (job && job->need.starts && !job->old_enough) {
      return text + "lent ones come back as work on them ends, from " +
             format_utc(job->starves_at) + " on";
    }
    return text + "if they are all lent, they come back as work on them ends";
  }

  std::optional<OwnerJob> as_owner() const {
    const OwnerRows all = owner_rows(at_.state, {at_.index});
    if (all.groups.empty()) return std::nullopt;
    return owner_job(at_.state, all, bucket_);
  }

  const AtLease& at_;
  const wire::DemandBucket& bucket_;
  const ExportPolicy& policy_;
  const Rule& rule_;
  const std::string& own_;
  const std::string& other_;
  Found found_;
  Instant until_ = kNever;
  bool all_wait_ = false;               // until then: all work of the consumer
  std::optional<int64_t> least_offer_;  // of Obstacle::offer
  Hindrance out_;
};

}  // namespace

Hindrance at_lease(const AtLease& at, const SlotsSeen& seen, const wire::DemandBucket& bucket) {
  return OfLease(at, seen, bucket).say();
}

}  // namespace leasehold::explanation
