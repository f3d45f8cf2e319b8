#include "agent/io/loop.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>
#include <utility>

#include "agent/core/bounds.hpp"
#include "agent/io/broker/beats.hpp"
#include "agent/io/broker/broker_connection.hpp"
#include "agent/io/broker/identity.hpp"
#include "agent/io/metrics/file.hpp"
#include "agent/io/metrics/table.hpp"
#include "agent/io/settings_reader.hpp"
#include "agent/workload/support/call.hpp"
#include "common/channel/channel.hpp"
#include "common/channel/notify.hpp"
#include "common/log.hpp"
#include "common/metrics/text.hpp"
#include "common/time/clock.hpp"
#include "common/wire/codec.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kWaitLongestMs = 60'000;
/// Heartbeats without an answer after which a broker counts as gone; each is answered.
constexpr int64_t kUnanswered = 3;

sigset_t our_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

BrokerConnectionSettings connection_settings(const Settings& settings, std::optional<KeyPair> own) {
  return {settings.agent.cluster, settings.brokers, std::move(own),
          settings.security.broker_public_keys};
}

Result<SettingsRead> read_again(const std::function<ReadSettings()>& read) {
  ReadSettings found = read();
  if (!found.errors.empty()) return tl::unexpected(found.errors.front());
  Result<std::optional<KeyPair>> own = read_own_key(found.settings.file, found.settings.security);
  if (!own) return tl::unexpected(own.error());
  // It is in force with the next start, which would refuse it.
  if (const Status good = read_user_secret(found.settings); !good) {
    return tl::unexpected(good.error());
  }
  BrokerConnectionSettings line = connection_settings(found.settings, *std::move(own));
  return SettingsRead{std::move(found.settings), std::move(line)};
}

/// Reads the settings again when a SIGHUP asks for it.
class Reloads {
 public:
  explicit Reloads(const Reload& reload)
      : loaded_(reload.loaded), reader_([read = reload.read] { return read_again(read); }) {}

  void ask() { reader_.begin(boottime_ms()); }
  int fd() const { return reader_.fd(); }
  int64_t next_ms() const { return reader_.next_late_ms(boottime_ms()); }

  /// Takes brokers and keys from settings that were read meanwhile. If settings or the own key are
  /// wrong, the connection stays as it is and the log says so. True: the broker is another.
  Result<bool> take(BrokerConnection& line) {
    log_if_late();
    auto read = reader_.take();
    if (!read) return false;
    if (!*read) {
      log_error("reload-refused", {{"why", describe(read->error())},
                                   {"then", "the settings in force stay"},
                                   {"do", "correct the file and reload"}});
      return false;
    }
    loaded_((*read)->first);
    return line.change(std::move((*read)->second), boottime_ms());
  }

 private:
  void log_if_late() {
    const bool late = reader_.is_late(boottime_ms());
    if (late == std::exchange(late_logged_, late)) return;
    if (!late) return log_info("configuration-read-again");
    log_warn("configuration-not-read",
             {{"why", "the file system of the configuration or of the key does not answer"},
              {"then", "the settings in force stay"},
              {"do", "look at that file system"}});
  }

  std::function<void(const Settings&)> loaded_;
  SettingsReader reader_;
  bool late_logged_ = false;
};

/// Connects to the next broker if its turn has come, and has the agent note it.
Status take_turns(BrokerConnection& line, Agent& agent) {
  const int64_t now_ms = boottime_ms();
  if (agent.take_leave()) line.leave();
  const Session& session = agent.session();
  const Result<bool> turned = line.take_turns(
      {session.open(), session.patient_until_ms(), session.leader_ttl_ms()}, now_ms);
  if (!turned) return tl::unexpected(turned.error());
  if (*turned) agent.on_connecting(now_ms);
  return {};
}

/// Forgets the highest leadership: the operator says that no earlier broker leads any more.
Status forget_seen(StateFile& state, SavedState& saved) {
  const Status forgotten = state.forget_seen();
  if (!forgotten) return forgotten;
  log_warn("epoch-forgotten",
           {{"epoch", saved.seen.epoch},
            {"incarnation", saved.seen.incarnation},
            {"why", "the option --forget-epoch is given"},
            {"then", "the agent follows a broker with a lower epoch or with none"},
            {"do", "start without --forget-epoch next time"}});
  saved.seen = {};
  return {};
}

/// Messages are taken for at most so long before heartbeats and the supervisor have their turn.
/// Each order is written to disk, and a broker that starts sends one for each group: with forty
/// groups and a slow disk an agent was silent for seconds, and was given up.
constexpr int64_t kMessagesMs = 100;

/// Returns true if all that had arrived was taken.
bool take_messages(BrokerConnection& line, Agent& agent) {
  Frame frame;
  const int64_t until_ms = boottime_ms() + kMessagesMs;
  while (boottime_ms() < until_ms) {
    if (!line.receive(frame, boottime_ms())) return true;
    const auto message = wire::decode(frame.bytes);
    if (message) {
      agent.on_message(*message, boottime_ms());
    } else {
      log_warn("message-not-decoded", {{"kind", wire::token(message.error().kind)},
                                       {"why", describe(message.error())},
                                       {"then", "it is left out"},
                                       {"do", kCompareReleases}});
    }
  }
  return false;
}

struct Asked {
  bool stop = false;
  bool reload = false;
};

Asked take_signals(int file) {
  Asked asked;
  signalfd_siginfo signal{};
  while (::read(file, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
    (signal.ssi_signo == SIGHUP ? asked.reload : asked.stop) = true;
  }
  return asked;
}

void write_metrics(const Agent& agent, MetricsFile& metrics) {
  const int64_t now_ms = boottime_ms();
  if (now_ms < metrics.next_ms()) return;
  metrics.write(metrics_text(agent_samples(agent.figures(now_ms), wall_time())), now_ms);
}

/// So many calls of a workload manager's programs, each as long as its time limit, may lie in one
/// turn of the loop. More are not made in a row: after several time-outs the look at the manager
/// has failed.
constexpr int64_t kCallsInOneTurn = 15;

Status serve(Agent& agent, BrokerConnection& line, MetricsFile& metrics, Watchdog& watchdog,
             Beats& beats, int signals, Reloads& reloads) {
  bool ready = false;
  while (true) {
    agent.on_time(boottime_ms());
    watchdog.alive(boottime_ms());
    beats.turned();
    if (agent.started() && !std::exchange(ready, true)) notify_supervisor("READY=1");
    write_metrics(agent, metrics);
    const int64_t now_ms = boottime_ms();
    const int64_t next_ms =
        std::min({agent.next_ms(), line.next_ms(), metrics.next_ms(), reloads.next_ms()});
    const int64_t wait_ms = std::clamp<int64_t>(std::max(next_ms, now_ms) - now_ms, 0,
                                                watchdog.longest_wait_ms(kWaitLongestMs));
    const std::array<Channel*, 1> channels{line.channel()};
    const std::array<int, 2> files{signals, reloads.fd()};
    Channel::wait(channels, files, wait_ms);
    const Asked asked = take_signals(signals);
    if (asked.stop) return {};
    if (asked.reload) reloads.ask();
    // Turns are taken after the messages: a look at the workload manager may take longer than a
    // broker may be silent.
    const bool all_taken = take_messages(line, agent);
    // While messages wait here the broker is not silent: one of them may have waited for a slow
    // manager.
    if (all_taken) {
      if (const Status turn = take_turns(line, agent); !turn) return turn;
    }
    const Result<bool> changed = reloads.take(line);
    if (!changed) return tl::unexpected(changed.error());
    if (*changed) agent.on_connecting(boottime_ms());
  }
}

}  // namespace

void block_reload_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void block_signals() {
  const sigset_t signals = our_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

Status run(const Settings& settings, std::optional<KeyPair> own_key, PausePoint pause,
           const Reload& reload, bool forget_epoch) {
  Beats* beating = nullptr;
  auto workload =
      open_workload(settings.workload, false, [&beating](std::span<const CallRequest> requests) {
        const auto run = [requests] { return call_all(requests); };
        return beating == nullptr ? run() : beating->aside(run);
      });
  if (!workload) return tl::unexpected(workload.error());
  Result<StateFile> state = StateFile::open(settings.state);
  if (!state) return tl::unexpected(state.error());
  Result<SavedState> saved = state->load();
  if (!saved) return tl::unexpected(saved.error());
  if (forget_epoch) {
    if (const Status forgotten = forget_seen(*state, *saved); !forgotten) return forgotten;
  }
  BrokerConnection line(connection_settings(settings, std::move(own_key)),
                        kUnanswered * settings.agent.session.heartbeat_ms);
  if (const Status connected = line.connect(boottime_ms()); !connected) return connected;
  AgentSettings own = settings.agent;
  own.identity = identity_of(settings.state);
  own.interrupt_signal = settings.workload.interrupt_signal;
  own.cautions = cautions_of(settings);
  own.needs_host_names = settings.workload.manager->needs_host_names;
  Agent agent(
      std::move(own), **workload, std::move(*state), std::move(*saved),
      [&pause](Step step) { pause.reached(step); },
      [&line](const wire::Message& message) { line.send(message, boottime_ms()); });
  const sigset_t signals = our_signals();
  const int file = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  if (file < 0) {
    return fail(ErrorCode::io, std::string("cannot make a signalfd: ") + std::strerror(errno));
  }
  MetricsFile metrics(settings.metrics_file, settings.agent.report_interval_ms);
  const int64_t turn_ms = kCallsInOneTurn * settings.workload.adapter.call_timeout_ms;
  Watchdog watchdog(turn_ms);
  std::optional<Beats> beats(
      std::in_place, [&agent] { agent.beat(boottime_ms()); }, turn_ms);
  beating = &*beats;
  Reloads reloads(reload);
  const Status served = serve(agent, line, metrics, watchdog, *beats, file, reloads);
  beating = nullptr;
  beats.reset();
  agent.say_stopping();
  ::close(file);
  notify_supervisor("STOPPING=1");
  log_info("stopped", {{"cluster", settings.agent.cluster}});
  return served;
}

}  // namespace leasehold::agent
