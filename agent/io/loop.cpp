#include "agent/io/loop.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "common/channel.hpp"
#include "common/clock.hpp"
#include "common/log.hpp"
#include "common/notify.hpp"
#include "common/wire/codec.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kTryBrokerMs = 10'000;  // before the next one of the list has its turn
constexpr int64_t kWaitLongestMs = 60'000;

sigset_t our_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

/// The brokers of the list, one connection at a time.
class Line {
 public:
  explicit Line(std::vector<std::string> brokers) : brokers_(std::move(brokers)) {}

  Status connect(int64_t now_ms) {
    Result<Channel> channel = Channel::connect(brokers_[at_]);
    if (!channel) return tl::unexpected(channel.error());
    channel_.emplace(std::move(*channel));
    since_ms_ = now_ms;
    log_debug("connecting", {{"broker", brokers_[at_]}});
    return {};
  }

  /// Another broker has its turn when this one has not opened a session for long.
  Status take_turns(bool open, int64_t now_ms) {
    if (open) since_ms_ = now_ms;
    if (brokers_.size() < 2 || now_ms - since_ms_ < kTryBrokerMs) return {};
    at_ = (at_ + 1) % brokers_.size();
    return connect(now_ms);
  }

  void send(const wire::Message& message) {
    wire::encode_into(message, bytes_);
    if (!channel_->send("", bytes_))
      log_debug("not-sent", {{"type", wire::token(wire::type_of(message))}});
  }

  bool receive(Frame& frame) { return channel_->receive_into(frame); }
  Channel* channel() { return &*channel_; }

 private:
  std::vector<std::string> brokers_;
  size_t at_ = 0;
  int64_t since_ms_ = 0;
  std::optional<Channel> channel_;
  Bytes bytes_;
};

void take_messages(Line& line, Agent& agent) {
  Frame frame;
  while (line.receive(frame)) {
    const auto message = wire::decode(frame.bytes);
    if (message)
      agent.on_message(*message, boottime_ms());
    else
      log_warn("bad-message",
               {{"kind", wire::token(message.error().kind)}, {"error", describe(message.error())}});
  }
}

/// True: the program is to end.
bool take_signals(int file, const std::function<void()>& level_again) {
  signalfd_siginfo signal{};
  while (::read(file, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
    if (signal.ssi_signo != SIGHUP) return true;
    level_again();
  }
  return false;
}

Status serve(Agent& agent, Line& line, int signals, const std::function<void()>& level_again) {
  bool ready = false;
  while (true) {
    agent.on_time(boottime_ms());
    if (agent.started() && !std::exchange(ready, true)) notify_supervisor("READY=1");
    const int64_t now_ms = boottime_ms();
    if (const Status turn = line.take_turns(agent.session().open(), now_ms); !turn) return turn;
    const int64_t wait_ms =
        std::clamp<int64_t>(std::max(agent.next_ms(now_ms), now_ms) - now_ms, 0, kWaitLongestMs);
    const std::array<Channel*, 1> channels{line.channel()};
    const std::array<int, 1> files{signals};
    Channel::wait(channels, files, wait_ms);
    if (take_signals(signals, level_again)) return {};
    take_messages(line, agent);
  }
}

}  // namespace

void block_signals() {
  const sigset_t signals = our_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

Status run(const Settings& settings, Pause pause, const std::function<void()>& level_again) {
  auto workload = open_simulated(settings.simulated, [clock = Clock()] { return clock.now().ms; });
  if (!workload) return tl::unexpected(workload.error());
  Result<StateFile> state = StateFile::open(settings.state);
  if (!state) return tl::unexpected(state.error());
  Result<SavedState> saved = state->load();
  if (!saved) return tl::unexpected(saved.error());
  Line line(settings.brokers);
  if (const Status connected = line.connect(boottime_ms()); !connected) return connected;
  Agent agent(
      settings.agent, **workload, std::move(*state), std::move(*saved),
      [&pause](Step step) { pause.reached(step); },
      [&line](const wire::Message& message) { line.send(message); });
  const sigset_t signals = our_signals();
  const int file = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  if (file < 0) return fail(ErrorCode::io, "signals cannot be waited for");
  const Status served = serve(agent, line, file, level_again);
  ::close(file);
  notify_supervisor("STOPPING=1");
  log_info("stopped", {{"cluster", settings.agent.cluster}});
  return served;
}

}  // namespace leasehold::agent
