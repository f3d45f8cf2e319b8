#include "agent/io/agent/known/durable_limits.hpp"

#include <algorithm>

#include "common/canary.hpp"

namespace leasehold::agent {

namespace {

bool written(const Status& saved) {
  if (!saved) log_not_written(saved.error(), "no order is carried out");
  return saved.has_value();
}

bool alike_on_disk(const GroupLimits& one, const GroupLimits& other) {
  return std::equal(one.hosts.begin(), one.hosts.end(), other.hosts.begin(), other.hosts.end(),
                    [](const HostLimit& a, const HostLimit& b) {
                      return a.limit == b.limit && a.exported == b.exported &&
                             a.lowering == b.lowering;
                    });
}

}  // namespace

void DurableLimits::restore(const SavedState& saved, const View& found) {
  if (!saved.lost) book_.restore(saved.configuration, saved.limits, found.hosts);
  adopt_fences(found, {});  // what cannot be written now is written before the hello
  sets_.restore(saved.sets);
}

bool DurableLimits::adopt_fences(const View& found, const std::set<std::string>& closing) {
  const std::vector<LeasedGroup> before = book_.groups();
  book_.adopt_fences(found.caps, closing);
  if (lost_) return true;  // no limit is on disk
  for (const LeasedGroup& group : before) {
    if (!alike_on_disk(group.limits, book_.find(group.limits.generation)->limits)) {
      unsaved_.insert(group.limits.generation);
    }
  }
  std::vector<GroupLimits> changed;
  for (const uint64_t generation : unsaved_) {
    const LeasedGroup* group = book_.find(generation);
    if (group != nullptr) changed.push_back(group->limits);
  }
  if (!changed.empty() && !written(state_.save(changed))) return false;
  unsaved_.clear();
  return true;
}

std::optional<Book::Adoption> DurableLimits::adopt(const wire::Configuration& configuration,
                                                   const std::vector<wire::HostFacts>& own_hosts) {
  Book before = book_;
  Book::Adoption adoption = book_.adopt(configuration, lost_ && !configuration.observe, own_hosts);
  std::vector<GroupLimits> changed;
  for (const uint64_t generation : adoption.changed) {
    changed.push_back(book_.find(generation)->limits);
  }
  if (!written(state_.save(configuration, changed, adoption.dropped))) {
    book_ = std::move(before);
    return std::nullopt;
  }
  lost_ = false;
  return adoption;
}

bool DurableLimits::persist(const LeasedGroup& group) {
  return LEASEHOLD_CANARY(forgets_limits) || written(state_.save(group.limits));
}

bool DurableLimits::give_up(const ChosenHost& chosen) {
  LeasedGroup& group = *book_.find(chosen.host.generation);
  GroupLimits before = group.limits;
  ReclaimSets::give_up(book_, chosen);
  if (persist(group)) return true;
  group.limits = std::move(before);
  return false;
}

bool DurableLimits::take_sets(const wire::Order& order) {
  ReclaimSets before = sets_;
  sets_.take(order);
  if (written(state_.save_sets(sets_.all()))) return true;
  sets_ = std::move(before);
  return false;
}

void DurableLimits::drop_ended_sets(const std::map<uint64_t, uint64_t>& begun) {
  sets_.drop_ended(book_, begun);
  sets_.withhold(book_);
}

}  // namespace leasehold::agent
