#include "agent/core/victims.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "agent/core/victims_bundle.hpp"

namespace leasehold::agent {

namespace {

class Chooser {
 public:
  Chooser(const VictimRequest& request, std::span<const WorkUnit> units,
          const WorkSessions& sessions, const SchedulingSettings& settings, Instant now)
      : request_(request),
        units_(units),
        sessions_(sessions),
        settings_(settings),
        tie_(settings.random_seed),
        bundles_(bundles_of(units, sessions, by(settings.policy), now)),
        chosen_(bundles_.size(), false) {
    for (const HostNeed& need : request.hosts) {
      wanted_.emplace(need.host, need.slots);
      order_.push_back(need.host);
    }
    std::sort(order_.begin(), order_.end(), [this](const std::string& a, const std::string& b) {
      return tie_.host_before(a, b);
    });
    for (const Bundle& bundle : bundles_)
      for (const auto& [host, slots] : bundle.slots)
        most_on_[host] = std::max(most_on_[host], bundle.importance);
  }

  std::vector<size_t> choose() {
    take_told();
    while (gained() < request_.slots) {
      const size_t best = least_important();
      if (best == bundles_.size()) break;
      take(best);
    }
    leave_superfluous();
    std::vector<size_t> victims;
    for (const std::vector<size_t>& pick : picks_)
      for (const size_t bundle : pick)
        victims.insert(victims.end(), bundles_[bundle].units.begin(), bundles_[bundle].units.end());
    return victims;
  }

 private:
  static Importance by(SchedulingPolicy policy) {
    return policy == SchedulingPolicy::priority ? Importance::priority : Importance::rank;
  }

  /// Slots wanted that come free so far, on the hosts that are asked for.
  int64_t gained() const {
    int64_t sum = 0;
    for (const auto& [host, slots] : wanted_) {
      const auto freed = freed_.find(host);
      if (freed == freed_.end() || (request_.whole_hosts && !emptied(host))) continue;
      sum += std::min<int64_t>(slots, freed->second);
    }
    return sum;
  }

  bool emptied(const std::string& host) const {
    for (size_t i = 0; i < bundles_.size(); ++i)
      if (!chosen_[i] && bundles_[i].slots.contains(host)) return false;
    return true;
  }

  bool lacks(const std::string& host) const {
    const auto wanted = wanted_.find(host);
    if (wanted == wanted_.end()) return false;
    if (request_.whole_hosts) return wanted->second > 0 && !emptied(host);
    const auto freed = freed_.find(host);
    return freed == freed_.end() ? wanted->second > 0 : freed->second < wanted->second;
  }

  bool gives(size_t bundle) const {
    const auto& slots = bundles_[bundle].slots;
    return !chosen_[bundle] && std::any_of(slots.begin(), slots.end(), [this](const auto& on) {
      return on.second > 0 && lacks(on.first);
    });
  }

  std::vector<size_t> all_that_give(const std::string* host) const {
    std::vector<size_t> found;
    if (host != nullptr && !lacks(*host)) return found;
    for (size_t i = 0; i < bundles_.size(); ++i)
      if (gives(i) && (host == nullptr || bundles_[i].slots.contains(*host))) found.push_back(i);
    return found;
  }

  std::vector<size_t> candidates() const {
    if (selective(settings_)) return all_that_give(nullptr);
    std::vector<size_t> found;
    for (size_t i = 0; i < order_.size() && found.empty(); ++i) found = all_that_give(&order_[i]);
    return found;
  }

  /// "Treat all sessions on a host as if they had the same rank as the most important session."
  int64_t importance(size_t index) const {
    int64_t most = bundles_[index].importance;
    if (!request_.whole_hosts) return most;
    for (const auto& [host, slots] : bundles_[index].slots)
      if (wanted_.contains(host)) most = std::max(most, most_on_.at(host));
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

  /// What is less goes first; the rest is TieOrder's.
  std::tuple<int64_t, int64_t, int64_t> standing(size_t index) const {
    const Bundle& bundle = bundles_[index];
    const bool priority = settings_.policy == SchedulingPolicy::priority;
    const int64_t last_session = priority ? -sessions_.all[bundle.session].started.ms : 0;
    const bool recent = settings_.criteria == Criteria::most_recent_task;
    const int64_t most_over = priority ? 0 : -excess(bundle);
    return {importance(index), last_session, recent ? bundle.run_ms : most_over};
  }

  /// bundles_.size(): there is nothing more to end.
  size_t least_important() const {
    size_t best = bundles_.size();
    std::tuple<int64_t, int64_t, int64_t> least;
    for (const size_t i : candidates()) {
      const auto here = standing(i);
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
      for (size_t i = 0; i < bundles_.size(); ++i)
        if (i != bundle && !chosen_[i] && share_wanted_host(bundles_[bundle], bundles_[i]))
          pick.push_back(i);
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

  void take_told() {
    std::map<std::string, size_t> bundle_of;
    for (size_t i = 0; i < bundles_.size(); ++i)
      for (const size_t unit : bundles_[i].units) bundle_of.emplace(units_[unit].id, i);
    for (const std::string& id : request_.told) {
      if (gained() >= request_.slots) break;
      const auto found = bundle_of.find(id);
      if (found != bundle_of.end() && gives(found->second)) take(found->second);
    }
    picks_told_ = picks_.size();
  }

  /// The last one chosen is never superfluous, and who was told stays told.
  void leave_superfluous() {
    for (size_t i = picks_.size(); i-- > picks_told_;) {
      for (const size_t bundle : picks_[i]) count(bundle, false);
      if (gained() >= request_.slots) {
        picks_[i].clear();
      } else {
        for (const size_t bundle : picks_[i]) count(bundle, true);
      }
    }
  }

  const VictimRequest& request_;
  std::span<const WorkUnit> units_;
  const WorkSessions& sessions_;
  const SchedulingSettings& settings_;
  TieOrder tie_;
  std::map<std::string, int32_t> wanted_;
  std::vector<std::string> order_;
  std::map<std::string, int64_t> most_on_;  // importance, on each host
  std::vector<Bundle> bundles_;
  std::vector<bool> chosen_;
  std::vector<std::vector<size_t>> picks_;
  size_t picks_told_ = 0;
  std::map<std::string, int64_t> freed_;
  std::map<size_t, int64_t> taken_;
};

}  // namespace

std::vector<size_t> choose_victims(const VictimRequest& request, std::span<const WorkUnit> units,
                                   const WorkSessions& sessions, const SchedulingSettings& settings,
                                   Instant now) {
  return Chooser(request, units, sessions, settings, now).choose();
}

}  // namespace leasehold::agent
