// PausePoint stops the program at a named step, for tests of crashes (hidden option --pause-at).
// When the step is reached for the first time, or with "STEP:N" for the N-th, the program says so
// on stderr and sleeps for ever, so that it can be killed exactly there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result.hpp"

namespace leasehold::agent {

enum class Step : uint8_t {
  order_received,
  fence_enforced,
  limit_persisted,
  raise_persisted,
  before_answer,
  after_answer,
};
constexpr auto tokens_of(Step) {
  using enum Step;
  return tokens<Step>({{order_received, "order-received"},
                       {fence_enforced, "fence-enforced"},
                       {limit_persisted, "limit-persisted"},
                       {raise_persisted, "raise-persisted"},
                       {before_answer, "before-answer"},
                       {after_answer, "after-answer"}});
}

class PausePoint {
 public:
  /// "" never pauses; an unknown step is an error that lists them.
  static Result<PausePoint> at(const std::string& text);
  void reached(Step step);

 private:
  std::string step_;
  std::string text_;
  int times_left_ = 1;
};

}  // namespace leasehold::agent
