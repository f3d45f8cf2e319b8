#include "agent/io/pause.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>

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

Result<Pause> Pause::at(const std::string& step) {
  Pause pause;
  pause.step_ = step;
  std::string known;
  for (const Step candidate : kSteps) {
    if (step.empty() || step == token(candidate)) return pause;
    known += (known.empty() ? "" : ", ") + std::string(token(candidate));
  }
  return fail(ErrorCode::usage, "--pause-at: no step '" + step + "'; one of: " + known);
}

void Pause::reached(Step step) const {
  if (step_.empty() || step_ != token(step)) return;
  std::fprintf(stderr, "paused at %s\n", step_.c_str());
  std::fflush(stderr);
  for (;;) ::pause();
}

}  // namespace leasehold::agent
