#include "agent/io/pause_point.hpp"

#include <array>
#include <charconv>

#include "common/time/pause.hpp"

namespace leasehold::agent {

Result<PausePoint> PausePoint::at(const std::string& text) {
  PausePoint pause;
  const size_t colon = text.find(':');
  const std::string step = text.substr(0, colon);
  pause.step_ = step;
  pause.text_ = text;
  if (colon != std::string::npos) {
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + colon + 1, last, pause.times_left_);
    if (error != std::errc{} || end != last || pause.times_left_ < 1) {
      return fail(ErrorCode::usage, "--pause-at '" + text + "': want STEP:N with N from 1");
    }
  }
  if (step.empty() || from_token<Step>(step)) return pause;
  return fail(ErrorCode::usage,
              "--pause-at: no step '" + step + "'; " + any_token<Step>() + " would be right");
}

void PausePoint::reached(Step step) {
  if (step_.empty() || step_ != token(step) || --times_left_ > 0) return;
  pause_here(text_);
}

}  // namespace leasehold::agent
