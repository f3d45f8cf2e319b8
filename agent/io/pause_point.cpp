#include "agent/io/pause_point.hpp"

#include <array>
#include <charconv>

#include "common/pause.hpp"

namespace leasehold::agent {

namespace {

constexpr std::array kSteps{Step::order_received,  Step::fence_enforced, Step::limit_persisted,
                            Step::raise_persisted, Step::before_answer,  Step::after_answer};

}  // namespace

std::string_view token(Step step) {
  switch (step) {
    case Step::order_received:
      return "order-received";
    case Step::fence_enforced:
      return "fence-enforced";
    case Step::limit_persisted:
      return "limit-persisted";
    case Step::raise_persisted:
      return "raise-persisted";
    case Step::before_answer:
      return "before-answer";
    case Step::after_answer:
      return "after-answer";
  }
  return "";
}

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
  std::string known;
  for (const Step candidate : kSteps) {
    if (step.empty() || step == token(candidate)) return pause;
    known += (known.empty() ? "" : ", ") + std::string(token(candidate));
  }
  return fail(ErrorCode::usage, "--pause-at: no step '" + step + "'; one of: " + known);
}

void PausePoint::reached(Step step) {
  if (step_.empty() || step_ != token(step) || --times_left_ > 0) return;
  pause_here(text_);
}

}  // namespace leasehold::agent
