// RefusedRate limits the rows of refused attempts in the history. Each asker's first ones in a row
// get a row each; then one a minute does, which counts those since. Pure: time comes in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/time/instant.hpp"

namespace leasehold {

class RefusedRate {
 public:
  static constexpr int64_t kInARow = 10;
  static constexpr int64_t kEvery_ms = 60'000;
  /// Askers that are counted one by one; the others share one count.
  static constexpr size_t kAskersMax = 64;

  /// Counts one attempt. The number of attempts that the row to be written stands for; nullopt: no
  /// row is written now.
  std::optional<int64_t> count(const std::string& asker, Instant now);

 private:
  struct Asker {
    int64_t left = kInARow;
    int64_t silent = 0;
    Instant written{INT64_MIN / 2};
  };
  std::map<std::string, Asker> askers_;
};

}  // namespace leasehold
