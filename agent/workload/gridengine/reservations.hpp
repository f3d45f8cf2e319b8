// ReservedSlots: the slots of queue instances that advance reservations have, now or later. Grid
// Engine refuses to lower an instance below the most that is reserved of it at any moment to come,
// so that no fence can close these slots, and nobody else may use them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/workload/gridengine/cell.hpp"
#include "agent/workload/support/unknown_words.hpp"
#include "common/wire/horizon.hpp"

namespace leasehold::agent {

class ReservedSlots {
 public:
  explicit ReservedSlots(const GridEngineCell& cell) : cell_(cell) {}

  /// Takes one call, and one more where a reservation is new. Reservations stay as last known where
  /// the cell does not tell.
  void refresh();
  /// Returns the most slots of the instance that are reserved at any moment from now on.
  int32_t on(const GridEngineInstance& instance) const;
  /// The same with the jobs that may run still when a reservation to come begins; `slots`: of the
  /// instance without a fence.
  int32_t taken(const GridEngineInstance& instance, int32_t slots, Instant now) const;
  /// Returns the first reservation from whose begin on all `slots` of the instance are reserved,
  /// until it ends.
  std::optional<wire::Horizon> horizon(const GridEngineInstance& instance, int32_t slots) const;
  /// Adds a sentence for each reservation of slots of this queue, and for what is not understood.
  void add_to(std::vector<std::string>& cautions) const;

 private:
  /// A moment at which a reservation begins, and all that is reserved from then on.
  struct Begin {
    std::string id;
    int64_t slots = 0;
  };

  Status learn();
  void count();

  const GridEngineCell& cell_;
  int looks_to_asking_ = 0;
  int looks_to_renewal_ = 0;
  std::map<std::string, GridEngineReservation> known_;  // by number
  std::map<std::string, std::vector<Begin>> begins_;    // by queue instance, in time
  UnknownWords unknown_;
};

}  // namespace leasehold::agent
