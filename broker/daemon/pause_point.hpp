// PausePoint: a hidden debugging aid. `--pause-at grant:after-commit` makes the broker say so and
// sleep for ever when it first gets there, so that a test can kill it at that very place.
#pragma once

#include <span>
#include <string>

#include "broker/core/model/effect.hpp"
#include "common/result.hpp"

namespace leasehold {

class PausePoint {
 public:
  PausePoint() = default;
  /// Reads "release|grant:before-commit|after-commit|after-send"; "" = none.
  static Result<PausePoint> parse(const std::string& text);

  /// Sleeps for ever if this is the place and the batch starts a release or hands slots over.
  void reached(const char* place, std::span<const Record> batch) const;

 private:
  RecordKind kind_ = RecordKind::transfer_started;
  std::string place_;
  std::string text_;
};

}  // namespace leasehold
