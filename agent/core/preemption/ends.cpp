#include "agent/core/preemption/ends.hpp"

#include <algorithm>

#include "agent/core/preemption/sum.hpp"
#include "common/canary.hpp"

namespace leasehold::agent {

PreemptionEnds::PreemptionEnds(const PreemptionRequest& request, std::span<const WorkUnit> units,
                               const WorkSessions& sessions, const SchedulingSettings& settings,
                               Instant now)
    : request_(request),
      units_(units),
      sessions_(sessions),
      settings_(settings),
      tie_(settings.random_seed),
      index_(index_of(units, sessions, Importance::rank, now)),
      gone_(bundles().size(), false) {
  for (const WorkSession& session : sessions.all) excess_.push_back(session.excess());
  fill_rooms();
  leave_what_goes();
}

void PreemptionEnds::fill_rooms() {
  Rooms::Hosts hosts;
  for (const auto& [host, slots] : request_.usable) hosts[host].left = slots;
  for (const Bundle& bundle : bundles()) {
    for (const auto& [host, slots] : bundle.slots) hosts[host].in_use += slots;
  }
  for (auto& [host, room] : hosts) {
    if (request_.usable.contains(host)) room.left -= room.in_use;
  }
  for (const WorkUnit& unit : units_) {
    for (const UnitHost& on : unit.hosts) {
      if (unit.whole_hosts) hosts[on.host].left = std::min<int64_t>(0, hosts[on.host].left);
    }
  }
  rooms_ = Rooms(std::move(hosts));
}

/// Work that ends anyhow is not chosen, and its slots count as free.
void PreemptionEnds::leave_what_goes() {
  const std::set<size_t> going(request_.going.begin(), request_.going.end());
  for (size_t i = 0; i < bundles().size(); ++i) {
    const std::vector<size_t>& units = bundles()[i].units;
    if (std::all_of(units.begin(), units.end(),
                    [&](size_t unit) { return units_[unit].ending || going.contains(unit); })) {
      mark(i, true);
    }
  }
}

void PreemptionEnds::end_for(size_t taker, const WorkUnit& unit, const std::string* host,
                             int64_t wanted) {
  while (wanted > 0) {
    const std::vector<Offer> offers = offers_to(taker, unit, host);
    if (offers.empty()) return;
    const int64_t gained = take_of(giver(offers), offers, wanted);
    if (gained <= 0) return;
    wanted -= gained;
  }
}

bool PreemptionEnds::may_start(const WorkUnit& unit, const std::string& host) {
  if (!unit.fits || LEASEHOLD_CANARY(ignores_verdicts)) return true;
  const auto [hosts, fresh] = fits_.try_emplace(unit.fits.get());
  if (fresh) hosts->second.insert(unit.fits->begin(), unit.fits->end());
  return hosts->second.contains(host);
}

/// True if the rank of the bundle's session and the excess of each session that loses by it allow
/// that.
bool PreemptionEnds::may_take(const WorkSession& taker, const Bundle& bundle) const {
  const bool lower_only = settings_.preemption_scope == PreemptionScope::lower;
  if (bundle.importance > taker.rank - (lower_only ? 1 : 0)) return false;
  return losses_fit(bundle);
}

/// "Preemption will not cause any session to become under-allocated."
bool PreemptionEnds::losses_fit(const Bundle& bundle) const {
  return std::all_of(bundle.taken.begin(), bundle.taken.end(),
                     [this](const auto& loss) { return loss.second <= excess_[loss.first]; });
}

std::vector<PreemptionEnds::Offer> PreemptionEnds::offers_to(size_t index, const WorkUnit& unit,
                                                             const std::string* only) {
  const WorkSession& taker = sessions_.all[index];
  std::vector<Offer> offers = taker.exclusive_host ? whole_hosts(only) : single_bundles(only);
  for (Offer& offer : offers) {
    for (const auto& [host, slots] : offer.bundle->slots) {
      if (only != nullptr ? host == *only : may_start(unit, host)) {
        offer.gain += gain_of(host, slots);
      }
    }
  }
  std::erase_if(offers, [&](const Offer& offer) {
    return offer.gain == 0 || !may_take(taker, *offer.bundle);
  });
  const auto again = [](const Offer& offer) { return !offer.bundle->for_good; };
  if (std::any_of(offers.begin(), offers.end(), again)) {
    std::erase_if(offers, [](const Offer& offer) { return offer.bundle->for_good; });
  }
  return offers;
}

/// Slots that a host has to give back come before anything that could start there.
int64_t PreemptionEnds::gain_of(const std::string& host, int64_t slots) const {
  const int64_t left = rooms_.of(host).left;
  return std::max<int64_t>(0, left + slots) - std::max<int64_t>(0, left);
}

std::vector<PreemptionEnds::Offer> PreemptionEnds::single_bundles(const std::string* only) const {
  std::vector<Offer> offers;
  const auto add = [&](size_t i) {
    if (!gone_[i]) offers.push_back({&bundles()[i], {i}, 0});
  };
  if (only != nullptr) {
    for (const size_t i : index_.on_host.at(*only)) add(i);
  } else {
    for (size_t i = 0; i < bundles().size(); ++i) add(i);
  }
  return offers;
}

std::vector<PreemptionEnds::Offer> PreemptionEnds::whole_hosts(const std::string* only) {
  hosts_.clear();
  std::vector<Offer> offers;
  for (const auto& [host, all] : index_.on_host) {
    if (only != nullptr && host != *only) continue;
    std::vector<size_t> parts = all;
    std::erase_if(parts, [this](size_t part) { return gone_[part]; });
    if (parts.empty()) continue;
    std::vector<const Bundle*> together;
    for (const size_t i : parts) together.push_back(&bundles()[i]);
    Bundle& whole = hosts_.emplace_back(joined(together, sessions_));
    std::erase_if(whole.slots, [&host](const auto& on) { return on.first != host; });
    offers.push_back({&whole, std::move(parts), 0});
  }
  return offers;
}

/// Lowest rank, then by criteria; between equal sessions the tie order of their work decides.
size_t PreemptionEnds::giver(const std::vector<Offer>& offers) const {
  const Offer* best = nullptr;
  for (const Offer& offer : offers) {
    if (best == nullptr || gives_before(*offer.bundle, *best->bundle)) best = &offer;
  }
  return best->bundle->session;
}

bool PreemptionEnds::gives_before(const Bundle& a, const Bundle& b) const {
  if (a.importance != b.importance) return a.importance < b.importance;
  const bool recent = settings_.criteria == Criteria::most_recent_task;
  const int64_t first = recent ? a.run_ms : -excess_[a.session];
  const int64_t second = recent ? b.run_ms : -excess_[b.session];
  return first != second ? first < second : tie_.before(a, b);
}

/// Returns the slots that the taker gains. Units of this session alone come first, by the smallest
/// sum; then the offers in which others lose too, one by one.
int64_t PreemptionEnds::take_of(size_t session, const std::vector<Offer>& offers, int64_t wanted) {
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
  for (const Offer* offer : alone) {
    tasks.push_back({offer->gain, std::max<int64_t>(offer->bundle->run_ms, 0)});
  }
  int64_t gained = 0;
  for (const size_t i : smallest_sum(tasks, wanted, excess_[session])) gained += end(*alone[i]);
  for (const Offer* offer : mixed) {
    if (gained < wanted && still_fits(*offer)) gained += end(*offer);
  }
  return gained;
}

/// False if an earlier choice ended a part of the offer or left its sessions too little to lose.
bool PreemptionEnds::still_fits(const Offer& offer) const {
  return std::none_of(offer.parts.begin(), offer.parts.end(),
                      [this](size_t part) { return gone_[part]; }) &&
         losses_fit(*offer.bundle);
}

int64_t PreemptionEnds::end(const Offer& offer) {
  for (const size_t part : offer.parts) mark(part, true);
  ended_.insert(ended_.end(), offer.parts.begin(), offer.parts.end());
  return offer.gain;
}

void PreemptionEnds::spare(size_t taker, const WorkUnit& unit, size_t from, int64_t tasks) {
  if (sessions_.all[taker].exclusive_host) return;
  for (size_t at = from; at < ended_.size();) {
    const size_t bundle = ended_[at];
    mark(bundle, false);
    if (rooms_.startable(unit, tasks) >= tasks) {
      ended_.erase(ended_.begin() + static_cast<std::ptrdiff_t>(at));
      continue;
    }
    mark(bundle, true);
    ++at;
  }
}

/// Marks the bundle as ending, or as going on after all.
void PreemptionEnds::mark(size_t bundle, bool gone) {
  gone_[bundle] = gone;
  const int64_t sign = gone ? 1 : -1;
  for (const auto& [session, slots] : bundles()[bundle].taken) excess_[session] -= sign * slots;
  for (const auto& [host, slots] : bundles()[bundle].slots) rooms_.free(host, sign * slots);
}

void PreemptionEnds::undo(size_t from) {
  for (size_t i = from; i < ended_.size(); ++i) mark(ended_[i], false);
  ended_.resize(from);
}

PreemptionEnds::Cost PreemptionEnds::cost(size_t from) const {
  Cost cost{false, INT64_MIN, 0};
  auto& [for_good, rank, run_ms] = cost;
  for (size_t i = from; i < ended_.size(); ++i) {
    const Bundle& bundle = bundles()[ended_[i]];
    for_good = for_good || bundle.for_good;
    rank = std::max(rank, bundle.importance);
    run_ms += bundle.run_ms;
  }
  return cost;
}

std::vector<size_t> PreemptionEnds::take() {
  std::vector<size_t> units;
  for (const size_t i : ended_) {
    units.insert(units.end(), bundles()[i].units.begin(), bundles()[i].units.end());
  }
  ended_.clear();
  return units;
}

}  // namespace leasehold::agent
