#include "agent/core/reclaim/victims.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace leasehold::agent {

namespace {

const std::vector<size_t> kNone;

class Chooser {
 public:
  Chooser(const VictimRequest& request, const BundleIndex& index, const WorkSessions& sessions,
          const SchedulingSettings& settings)
      : request_(request),
        index_(index),
        bundles_(index.bundles),
        sessions_(sessions),
        settings_(settings),
        tie_(settings.random_seed),
        chosen_(bundles_.size(), false) {
    for (const std::string& id : request.ends) chosen_[index.of_unit.at(id)] = true;
    for (const HostNeed& need : request.hosts) {
      if (need.slots <= 0) continue;
      wanted_.emplace(need.host, need.slots);
      order_.push_back(need.host);
      for (const size_t i : on(need.host)) {
        near_.push_back(i);
        most_on_[need.host] = std::max(most_on_[need.host], bundles_[i].importance);
      }
    }
    std::sort(near_.begin(), near_.end());
    near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
    std::sort(order_.begin(), order_.end(), [this](const std::string& a, const std::string& b) {
      return tie_.host_before(a, b);
    });
  }

  std::vector<size_t> choose() {
    take_under_reclaim();
    while (slots_gained() < request_.slots) {
      const size_t best = least_important();
      if (best == bundles_.size()) break;
      take(best);
    }
    leave_superfluous();
    std::vector<size_t> victims;
    for (const std::vector<size_t>& pick : picks_) {
      for (const size_t bundle : pick) {
        victims.insert(victims.end(), bundles_[bundle].units.begin(), bundles_[bundle].units.end());
      }
    }
    return victims;
  }

 private:
  const std::vector<size_t>& on(const std::string& host) const {
    const auto found = index_.on_host.find(host);
    return found == index_.on_host.end() ? kNone : found->second;
  }

  /// Returns the slots wanted that come free so far, on the hosts that are asked for.
  int64_t slots_gained() const {
    int64_t sum = 0;
    for (const auto& [host, slots] : wanted_) {
      const auto freed = freed_.find(host);
      if (freed == freed_.end() || (request_.whole_hosts && !emptied(host))) continue;
      sum += std::min<int64_t>(slots, freed->second);
    }
    return sum;
  }

  bool emptied(const std::string& host) const {
    const std::vector<size_t>& here = on(host);
    return std::all_of(here.begin(), here.end(), [this](size_t i) { return chosen_[i]; });
  }

  bool lacks(const std::string& host) const {
    const auto wanted = wanted_.find(host);
    if (wanted == wanted_.end()) return false;
    if (request_.whole_hosts) return !emptied(host);
    const auto freed = freed_.find(host);
    return freed == freed_.end() || freed->second < wanted->second;
  }

  bool gives(size_t bundle) const {
    const auto& slots = bundles_[bundle].slots;
    return !chosen_[bundle] && std::any_of(slots.begin(), slots.end(), [this](const auto& on) {
      return on.second > 0 && lacks(on.first);
    });
  }

  std::vector<size_t> that_give(const std::vector<size_t>& bundles) const {
    std::vector<size_t> found;
    for (const size_t i : bundles) {
      if (gives(i)) found.push_back(i);
    }
    return found;
  }

  /// True if it ends work for good: on a host that must be given whole, any work that runs there.
  bool ends_for_good(size_t bundle) const {
    if (!request_.whole_hosts) return bundles_[bundle].for_good;
    return std::any_of(near_.begin(), near_.end(), [this, bundle](size_t i) {
      return bundles_[i].for_good &&
             (i == bundle || share_wanted_host(bundles_[bundle], bundles_[i]));
    });
  }

  /// Returns those that can be queued again, unless there are none.
  std::vector<size_t> to_be_queued_again(std::vector<size_t> bundles) const {
    std::vector<size_t> found;
    for (const size_t i : bundles) {
      if (!ends_for_good(i)) found.push_back(i);
    }
    return found.empty() ? bundles : found;
  }

  std::vector<size_t> candidates() const {
    const std::vector<size_t> all = to_be_queued_again(that_give(near_));
    if (selective(settings_)) return all;
    for (const std::string& host : order_) {
      if (!lacks(host)) continue;
      std::vector<size_t> here;
      for (const size_t i : all) {
        if (bundles_[i].slots.contains(host)) here.push_back(i);
      }
      if (!here.empty()) return here;
    }
    return {};
  }

  /// "Treat all sessions on a host as if they had the same rank as the most important session."
  int64_t importance(size_t index) const {
    int64_t most = bundles_[index].importance;
    if (!request_.whole_hosts) return most;
    for (const auto& [host, slots] : bundles_[index].slots) {
      if (wanted_.contains(host)) most = std::max(most, most_on_.at(host));
    }
    return most;
  }

  bool share_wanted_host(const Bundle& a, const Bundle& b) const {
    return std::any_of(a.slots.begin(), a.slots.end(), [&](const auto& on) {
      return wanted_.contains(on.first) && b.slots.contains(on.first);
    });
  }

  int64_t excess(const Bundle& bundle) const {
    const auto taken = taken_.find(bundle.session);
    return sessions_.all[bundle.session].excess() - (taken == taken_.end() ? 0 : taken->second);
  }

  /// Returns the bundle's key: the least one goes first, and TieOrder decides between equal ones.
  std::tuple<int64_t, int64_t, int64_t> order_key(size_t index) const {
    const Bundle& bundle = bundles_[index];
    const bool priority = settings_.policy == SchedulingPolicy::priority;
    const int64_t last_session = priority ? -sessions_.all[bundle.session].started.ms : 0;
    const bool recent = settings_.criteria == Criteria::most_recent_task;
    const int64_t most_over = priority ? 0 : -excess(bundle);
    return {importance(index), last_session, recent ? bundle.run_ms : most_over};
  }

  /// Returns bundles_.size() if there is nothing more to end.
  size_t least_important() const {
    size_t best = bundles_.size();
    std::tuple<int64_t, int64_t, int64_t> least;
    for (const size_t i : candidates()) {
      const auto here = order_key(i);
      if (best == bundles_.size() || here < least ||
          (here == least && tie_.before(bundles_[i], bundles_[best]))) {
        best = i;
        least = here;
      }
    }
    return best;
  }

  void take(size_t bundle) {
    std::vector<size_t> pick{bundle};
    if (request_.whole_hosts) {
      for (const size_t i : near_) {
        if (i != bundle && !chosen_[i] && share_wanted_host(bundles_[bundle], bundles_[i])) {
          pick.push_back(i);
        }
      }
    }
    for (const size_t i : pick) count(i, true);
    picks_.push_back(std::move(pick));
  }

  void count(size_t bundle, bool chosen) {
    const int32_t sign = chosen ? 1 : -1;
    chosen_[bundle] = chosen;
    for (const auto& [host, slots] : bundles_[bundle].slots) freed_[host] += sign * slots;
    for (const auto& [session, slots] : bundles_[bundle].taken) taken_[session] += sign * slots;
  }

  void take_under_reclaim() {
    for (const std::string& id : request_.under_reclaim) {
      if (slots_gained() >= request_.slots) break;
      const auto found = index_.of_unit.find(id);
      if (found != index_.of_unit.end() && gives(found->second)) take(found->second);
    }
    picks_under_reclaim_ = picks_.size();
  }

  /// Leaves out picks without which as much comes free as is asked for, or as can be had. Units
  /// that were interrupted already stay chosen.
  void leave_superfluous() {
    const int64_t enough = std::min(request_.slots, slots_gained());
    for (size_t i = picks_.size(); i-- > picks_under_reclaim_;) {
      for (const size_t bundle : picks_[i]) count(bundle, false);
      if (slots_gained() >= enough) {
        picks_[i].clear();
      } else {
        for (const size_t bundle : picks_[i]) count(bundle, true);
      }
    }
  }

  const VictimRequest& request_;
  const BundleIndex& index_;
  const std::vector<Bundle>& bundles_;
  const WorkSessions& sessions_;
  const SchedulingSettings& settings_;
  TieOrder tie_;
  std::map<std::string, int32_t> wanted_;
  std::vector<std::string> order_;
  std::map<std::string, int64_t> most_on_;  // importance, on each host
  std::vector<size_t> near_;                // bundles on these hosts
  std::vector<bool> chosen_;
  std::vector<std::vector<size_t>> picks_;
  size_t picks_under_reclaim_ = 0;
  std::map<std::string, int64_t> freed_;
  std::map<size_t, int64_t> taken_;
};

}  // namespace

VictimChooser::VictimChooser(std::span<const WorkUnit> units, const WorkSessions& sessions,
                             const SchedulingSettings& settings, Instant now)
    : sessions_(sessions),
      settings_(settings),
      index_(index_of(
          units, sessions,
          settings.policy == SchedulingPolicy::priority ? Importance::priority : Importance::rank,
          now)) {}

std::vector<size_t> VictimChooser::choose(const VictimRequest& request) const {
  return Chooser(request, index_, sessions_, settings_).choose();
}

std::map<std::string, int64_t> VictimChooser::freed_by(const std::vector<size_t>& units) const {
  const std::set<size_t> ending(units.begin(), units.end());
  std::map<std::string, int64_t> freed;
  for (const Bundle& bundle : index_.bundles) {
    const bool ends = std::all_of(bundle.units.begin(), bundle.units.end(),
                                  [&ending](size_t unit) { return ending.contains(unit); });
    if (!ends) continue;
    for (const auto& [host, slots] : bundle.slots) freed[host] += slots;
  }
  return freed;
}

}  // namespace leasehold::agent
