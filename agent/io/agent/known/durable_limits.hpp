// DurableLimits: the agent's slot groups with their limits, and the sets of hosts from which it
// chooses itself what it gives back. A change is on disk before anything else follows; a change
// that cannot be written is not made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/limits/book.hpp"
#include "agent/core/reclaim/sets.hpp"
#include "agent/io/state/state_file.hpp"

namespace leasehold::agent {

class DurableLimits {
 public:
  /// `state`, of which `saved` was loaded, outlives it.
  DurableLimits(const HostNames& names, StateFile& state, const SavedState& saved)
      : book_(names), state_(state), state_id_(saved.state_id), lost_(saved.lost) {}

  Book& book() { return book_; }
  const Book& book() const { return book_; }
  const ReclaimSets& sets() const { return sets_; }
  uint64_t state_id() const { return state_id_; }
  /// True if no configuration was ever applied to the state.
  bool lost() const { return lost_; }

  /// Takes over what an earlier process held, and the fences that are found.
  void restore(const SavedState& saved, const View& found);
  /// Lets limits fall to the fences that are found (Book::adopt_fences), on disk too. False: that
  /// could not be written, and nobody may be notified of the lower limits yet.
  bool adopt_fences(const View& found, const std::set<std::string>& closing);
  /// Applies a configuration. nullopt: it could not be written.
  std::optional<Book::Adoption> adopt(const wire::Configuration& configuration,
                                      const std::vector<wire::HostFacts>& own_hosts);
  /// Writes the group's limits. False: the caller restores what they were.
  bool persist(const LeasedGroup& group);
  /// Gives up a host of a set, which changes and persists the limits of its group.
  bool give_up(const ChosenHost& chosen);

  /// Takes the sets of an order. False: they could not be written.
  bool take_sets(const wire::Order& order);
  /// Forgets sets that are over; on disk too, when the next ones are kept there. `begun`: the
  /// numbers of orders begun and not finished, by generation.
  void drop_ended_sets(const std::map<uint64_t, uint64_t>& begun);
  void withhold() { sets_.withhold(book_); }

 private:
  Book book_;
  ReclaimSets sets_;
  StateFile& state_;
  uint64_t state_id_;
  bool lost_;
  std::set<uint64_t> unsaved_;  // generations whose limits are lower than on disk
};

}  // namespace leasehold::agent
