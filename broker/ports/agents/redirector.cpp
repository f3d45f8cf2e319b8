#include "broker/ports/agents/redirector.hpp"

namespace leasehold {

namespace {

/// An agent stays so long with a broker that does not lead (agent/io/broker/broker_turns.cpp).
constexpr int64_t kStaysMs = 1'000;
constexpr size_t kRedirectedMost = 16'384;  // as many are remembered

/// True for the heartbeat that an agent sends after it was redirected.
bool is_last_word(const wire::Message& message) {
  const auto* word = std::get_if<wire::Heartbeat>(&message);
  return word != nullptr && word->session == 0 && word->cluster && word->clock;
}

void note_seen(Epochs& epochs, const wire::Message& message) {
  if (const auto* hello = std::get_if<wire::Hello>(&message)) {
    epochs.note_seen(hello->seen_epoch, hello->seen_incarnation);
  } else if (const auto* word = std::get_if<wire::Heartbeat>(&message)) {
    epochs.note_seen(word->seen_epoch, word->seen_incarnation);
  }
}

}  // namespace

void Redirector::begin_turn(int64_t boottime_ms) {
  boottime_ms_ = boottime_ms;
  if (boottime_ms >= released_until_ms_) released_.clear();
}

void Redirector::redirect(const Frame& frame, const wire::Message& message,
                          const std::string& elsewhere) {
  if (std::holds_alternative<wire::Refusal>(message)) return;
  note_seen(epochs_, message);
  contacts_.note(message, frame.key, turn_.time().ms, boottime_ms_);
  if (released_.contains(frame.peer) || is_last_word(message)) return;
  replies_.redirect(frame.peer, elsewhere, turn_.time().ms);
  note_redirected(frame.peer);
}

void Redirector::note_redirected(const std::string& route) {
  if (redirected_.size() >= kRedirectedMost) {
    std::erase_if(redirected_,
                  [this](const auto& one) { return boottime_ms_ - one.second > kStaysMs; });
  }
  if (redirected_.size() < kRedirectedMost) redirected_[route] = boottime_ms_;
}

void Redirector::release(const std::vector<std::string>& routes, int64_t until_ms) {
  released_ = {routes.begin(), routes.end()};
  released_until_ms_ = until_ms;
}

void Redirector::redirect_all(const std::string& elsewhere) {
  for (const std::string& route : released_) {
    replies_.redirect(route, elsewhere, std::nullopt);
  }
  released_.clear();
}

void Redirector::greet_redirected(const State& state, int64_t boottime_ms) {
  for (const auto& [route, at_ms] : redirected_) {
    if (boottime_ms - at_ms <= kStaysMs) replies_.welcome(state, route);
  }
  redirected_.clear();
}

}  // namespace leasehold
