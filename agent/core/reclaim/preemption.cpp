#include "agent/core/reclaim/preemption.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "agent/core/reclaim/preemption_sum.hpp"
#include "agent/core/reclaim/victims_bundle.hpp"
#include "common/canary.hpp"

namespace leasehold::agent {

namespace {

/// What one taker may end, and what is left of everybody's excess.
class Preempter {
 public:
  Preempter(const PreemptionRequest& request, std::span<const WorkUnit> units,
            const WorkSessions& sessions, const SchedulingSettings& settings, Instant now)
      : request_(request),
        sessions_(sessions),
        settings_(settings),
        tie_(settings.random_seed),
        bundles_(bundles_of(units, sessions, Importance::rank, now)),
        gone_(bundles_.size(), false),
        slots_idle_(request.slots_idle) {
    for (const WorkSession& session : sessions.all) excess_.push_back(session.excess());
    note_usable(units);
  }

  std::vector<Preemption> choose() {
    std::vector<Preemption> made;
    for (const size_t taker : takers()) {
      const WorkSession& session = sessions_.all[taker];
      int64_t wanted = std::min(session.pending, -session.excess());
      const int64_t free = std::clamp<int64_t>(slots_idle_, 0, wanted);
      slots_idle_ -= free;
      Preemption step{taker, take(taker, wanted - free)};
      if (!step.units.empty()) made.push_back(std::move(step));
    }
    return made;
  }

 private:
  /// A part of the host's work that can only end together, with what the taker gains by it.
  struct Offer {
    const Bundle* bundle = nullptr;
    std::vector<size_t> parts;  // positions in bundles_
    int64_t gain = 0;
  };

  std::vector<size_t> takers() const {
    std::vector<size_t> found;
    for (size_t i = 0; i < sessions_.all.size(); ++i) {
      const WorkSession& session = sessions_.all[i];
      if (session.preemptive && session.excess() < 0 && session.pending > 0) found.push_back(i);
    }
    std::sort(found.begin(), found.end(), [this](size_t a, size_t b) {
      const WorkSession& x = sessions_.all[a];
      const WorkSession& y = sessions_.all[b];
      return std::tie(y.rank, x.started, x.key) < std::tie(x.rank, y.started, y.key);
    });
    return found;
  }

  std::vector<size_t> take(size_t taker, int64_t wanted) {
    std::vector<size_t> ended;
    while (wanted > 0) {
      const std::vector<Offer> offers = offers_to(taker);
      if (offers.empty()) break;
      wanted -= take_of(giver(offers), offers, wanted, ended);
    }
    return ended;
  }

  void note_usable(std::span<const WorkUnit> units) {
    usable_.assign(sessions_.all.size(), std::set<std::string>{});
    std::set<std::pair<size_t, const void*>> noted;  // jobs that want the same share their hosts
    for (size_t i = 0; i < units.size(); ++i) {
      if (units[i].running() || units[i].kept_back()) continue;
      std::optional<std::set<std::string>>& hosts = usable_[sessions_.of_unit[i]];
      if (!units[i].fits)
        hosts.reset();
      else if (hosts && noted.emplace(sessions_.of_unit[i], units[i].fits.get()).second)
        hosts->insert(units[i].fits->begin(), units[i].fits->end());
    }
  }

  bool usable(size_t taker, const std::string& host) const {
    if (LEASEHOLD_CANARY(ignores_verdicts)) return true;
    return !usable_[taker] || usable_[taker]->contains(host);
  }

  /// Rank and excess allow it: of the session it is counted as, and of each that loses by it.
  bool may_take(const WorkSession& taker, const Bundle& bundle) const {
    const bool lower_only = settings_.preemption_scope == PreemptionScope::lower;
    if (bundle.importance > taker.rank - (lower_only ? 1 : 0)) return false;
    return losses_fit(bundle);
  }

  /// "Preemption will not cause any session to become under-allocated."
  bool losses_fit(const Bundle& bundle) const {
    return std::all_of(bundle.taken.begin(), bundle.taken.end(),
                       [this](const auto& loss) { return loss.second <= excess_[loss.first]; });
  }

  std::vector<Offer> offers_to(size_t index) {
    const WorkSession& taker = sessions_.all[index];
    std::vector<Offer> offers = taker.exclusive_host ? whole_hosts() : single_bundles();
    for (Offer& offer : offers)
      for (const auto& [host, slots] : offer.bundle->slots)
        if (usable(index, host)) offer.gain += slots;
    std::erase_if(offers, [&](const Offer& offer) {
      return offer.gain == 0 || !may_take(taker, *offer.bundle);
    });
    const auto again = [](const Offer& offer) { return !offer.bundle->for_good; };
    if (std::any_of(offers.begin(), offers.end(), again))
      std::erase_if(offers, [](const Offer& offer) { return offer.bundle->for_good; });
    return offers;
  }

  std::vector<Offer> single_bundles() const {
    std::vector<Offer> offers;
    for (size_t i = 0; i < bundles_.size(); ++i)
      if (!gone_[i]) offers.push_back({&bundles_[i], {i}, 0});
    return offers;
  }

  std::vector<Offer> whole_hosts() {
    hosts_.clear();
    std::map<std::string, std::vector<size_t>> on_host;
    for (size_t i = 0; i < bundles_.size(); ++i)
      for (const auto& [host, slots] : bundles_[i].slots)
        if (!gone_[i]) on_host[host].push_back(i);
    std::vector<Offer> offers;
    for (auto& [host, parts] : on_host) {
      std::vector<const Bundle*> bundles;
      for (const size_t i : parts) bundles.push_back(&bundles_[i]);
      Bundle& whole = hosts_.emplace_back(joined(bundles, sessions_));
      std::erase_if(whole.slots, [&host](const auto& on) { return on.first != host; });
      offers.push_back({&whole, std::move(parts), 0});
    }
    return offers;
  }

  /// Lowest rank, then by criteria; between equal sessions the tie order of their work decides.
  size_t giver(const std::vector<Offer>& offers) const {
    const Offer* best = nullptr;
    for (const Offer& offer : offers)
      if (best == nullptr || gives_before(*offer.bundle, *best->bundle)) best = &offer;
    return best->bundle->session;
  }

  bool gives_before(const Bundle& a, const Bundle& b) const {
    if (a.importance != b.importance) return a.importance < b.importance;
    const bool recent = settings_.criteria == Criteria::most_recent_task;
    const int64_t first = recent ? a.run_ms : -excess_[a.session];
    const int64_t second = recent ? b.run_ms : -excess_[b.session];
    return first != second ? first < second : tie_.before(a, b);
  }

  /// What the taker gains. Units of this session alone: the smallest sum; then the offers in which
  /// others lose too, one by one.
  int64_t take_of(size_t session, const std::vector<Offer>& offers, int64_t wanted,
                  std::vector<size_t>& ended) {
    std::vector<const Offer*> alone;
    std::vector<const Offer*> mixed;
    for (const Offer& offer : offers) {
      if (offer.bundle->session != session) continue;
      const bool simple = offer.parts.size() == 1 && offer.bundle->taken.size() == 1 &&
                          offer.bundle->taken.at(session) == offer.gain;
      (simple ? alone : mixed).push_back(&offer);
    }
    const auto in_order = [this](const Offer* a, const Offer* b) {
      if (a->bundle->run_ms != b->bundle->run_ms) return a->bundle->run_ms < b->bundle->run_ms;
      return tie_.before(*a->bundle, *b->bundle);
    };
    std::sort(alone.begin(), alone.end(), in_order);
    std::sort(mixed.begin(), mixed.end(), in_order);
    std::vector<Elapsed> tasks;
    for (const Offer* offer : alone)
      tasks.push_back({offer->gain, std::max<int64_t>(offer->bundle->run_ms, 0)});
    int64_t gained = 0;
    for (const size_t i : smallest_sum(tasks, wanted, excess_[session]))
      gained += end(*alone[i], ended);
    for (const Offer* offer : mixed)
      if (gained < wanted && still_fits(*offer)) gained += end(*offer, ended);
    return gained;
  }

  /// What was taken before it may have left too little, or ended a part of it.
  bool still_fits(const Offer& offer) const {
    return std::none_of(offer.parts.begin(), offer.parts.end(),
                        [this](size_t part) { return gone_[part]; }) &&
           losses_fit(*offer.bundle);
  }

  int64_t end(const Offer& offer, std::vector<size_t>& ended) {
    for (const size_t part : offer.parts) gone_[part] = true;
    for (const auto& [session, slots] : offer.bundle->taken) excess_[session] -= slots;
    ended.insert(ended.end(), offer.bundle->units.begin(), offer.bundle->units.end());
    return offer.gain;
  }

  const PreemptionRequest& request_;
  const WorkSessions& sessions_;
  const SchedulingSettings& settings_;
  TieOrder tie_;
  std::vector<Bundle> bundles_;
  std::deque<Bundle> hosts_;  // whole ones that the last offers point to
  std::vector<bool> gone_;
  /// The hosts on which some of a session's waiting work could start, by session; nullopt: any.
  std::vector<std::optional<std::set<std::string>>> usable_;
  std::vector<int64_t> excess_;
  int64_t slots_idle_;
};

}  // namespace

std::vector<Preemption> choose_preemptions(const PreemptionRequest& request,
                                           std::span<const WorkUnit> units,
                                           const WorkSessions& sessions,
                                           const SchedulingSettings& settings, Instant now) {
  return Preempter(request, units, sessions, settings, now).choose();
}

}  // namespace leasehold::agent
