// lease-agent: the program beside each cluster's workload manager.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "agent/io/by_hand/interrupts.hpp"
#include "agent/io/by_hand/release.hpp"
#include "agent/io/loop.hpp"
#include "agent/io/metrics/table.hpp"
#include "agent/io/settings/reference.hpp"
#include "agent/io/settings_reader.hpp"
#include "agent/workload/conformance/conformance.hpp"
#include "common/files/umask.hpp"
#include "common/log.hpp"
#include "common/text/printable.hpp"
#include "common/text/refused_words.hpp"
#include "common/version.hpp"
#include "common/wire/message.hpp"

namespace {

using namespace leasehold;

constexpr const char* kExamples = R"(
Exit codes: 0 done, 1 failed, 2 bad usage or configuration.

Examples:
  lease-agent --config east.toml                runs until SIGTERM; leased slots stay fenced
  lease-agent --config east.toml --check-config says what is wrong with the file, with line numbers
  lease-agent --config east.toml --probe        shows what would be reported and fenced, changes
                                                nothing; exit 1: a permission is missing, or a host
                                                of others is not known here
  lease-agent --config east.toml --release      removes all that is ours, once the agent is stopped;
                                                refused while leased slots are in use, or lent
                                                out: then --release --force
  lease-agent --config east.toml interrupts --job 42
                                                for a job that polls: seconds until it is ended;
                                                exit 1: it is not known to be interrupted
  lease-agent --config east.toml --forget-epoch at this start: greets a broker without an epoch
                                                again, for a site that has gone back to one broker
                                                with a database of its own
  lease-agent --conformance /opt/site/leasehold-adapter --its arguments
                                                checks a program for manager = "command", changes
                                                nothing; exit 1: a check failed
  lease-agent --with-changes big1 --json --conformance /opt/site/leasehold-adapter
                                                also fences host big1 and frees it again
SIGHUP reads log_level, broker and [security] with its keys again, and nothing else.)";

struct Options {
  std::string config = "/etc/leasehold/agent.toml";
  std::string log_level;
  std::string pause_at;
  bool check = false;
  bool describe = false;
  bool describe_metrics = false;
  bool probe = false;
  bool release = false;
  bool force = false;
  bool forget_epoch = false;
  bool json = false;
  bool conformance = false;
  agent::ConformanceAsked program;  // under test
  bool interrupts = false;
  std::string job;
};

int complain(const Error& error) {
  print_error(describe(error));
  return exit_code(error.code);
}

/// Returns the option, else the level of the file, else info.
LogLevel level_of(const Options& options, const agent::Settings& settings) {
  const std::string& text = options.log_level.empty() ? settings.log_level : options.log_level;
  return parse_log_level(text).value_or(LogLevel::info);
}

void loaded_again(const Options& options, const agent::Settings& settings) {
  const LogLevel level = level_of(options, settings);
  start_log("lease-agent", level);
  log_info("reloaded", {{"log_level", token(level)}});
}

int print_found(const Result<agent::Found>& found) {
  if (!found) return complain(found.error());
  std::printf("%s\n", printable_lines(found->text).c_str());
  return found->lacking ? 1 : 0;
}

/// 1: the job is not known to be interrupted, which is said on stderr.
int print_interrupts(const Options& options, const agent::Settings& settings) {
  const auto seconds = agent::seconds_left(settings, options.job);
  if (!seconds) return complain(seconds.error());
  if (options.json) {
    std::printf("%s\n", printable(agent::interrupts_json(options.job, *seconds)).c_str());
  } else if (*seconds) {
    std::printf("%lld\n", static_cast<long long>(**seconds));
  }
  if (*seconds) return 0;
  print_error("job '" + options.job + "' is not known to be interrupted");
  return 1;
}

int run_agent(const Options& options, const agent::Settings& settings,
              const std::optional<KeyPair>& own_key) {
  const Result<agent::PausePoint> pause = agent::PausePoint::at(options.pause_at);
  if (!pause) return complain(pause.error());
  const agent::Reload reload{
      [config = options.config] { return agent::read_settings(config); },
      [&options](const agent::Settings& again) { loaded_again(options, again); }};
  const Status done = agent::run(settings, own_key, *pause, reload, options.forget_epoch);
  return done ? 0 : complain(done.error());
}

int describe_config() {
  std::fputs(agent::key_reference().c_str(), stdout);
  return 0;
}

int describe_metrics() {
  std::fputs(agent::agent_metric_reference().c_str(), stdout);
  return 0;
}

/// Asks no broker and reads no configuration.
int check_conformance(const Options& options) {
  const agent::Conformance found = agent::conformance_of(options.program, options.json);
  std::printf("%s\n", printable_lines(found.text).c_str());
  return found.passed ? 0 : 1;
}

int run_program(const Options& options) {
  if (options.conformance) return check_conformance(options);
  if (options.describe) return describe_config();
  if (options.describe_metrics) return describe_metrics();
  if (const auto level = parse_log_level(options.log_level); !options.log_level.empty() && !level) {
    return complain(level.error());
  }
  const bool asks = options.check || options.probe;
  agent::ReadSettings read = agent::read_settings(
      options.config, asks ? agent::NamedFiles::checked : agent::NamedFiles::ignored);
  for (const Error& warning : read.warnings) print_error(describe(warning) + " (warning)");
  for (const Error& error : read.errors) complain(error);
  if (!read.errors.empty()) return exit_code(read.errors.front().code);
  // Jobs ask; they may not read the agent's key.
  if (options.interrupts) return print_interrupts(options, read.settings);
  const auto own_key = agent::read_own_key(options.config, read.settings.security);
  if (!own_key) return complain(own_key.error());
  if (const Status good = agent::read_user_secret(read.settings); !good) {
    return complain(good.error());
  }
  if (options.check) {
    if (const Status good = agent::check_files(read.settings); !good) return complain(good.error());
    std::printf("%s: good\n", printable(options.config).c_str());
    return 0;
  }
  agent::block_signals();
  start_log("lease-agent", level_of(options, read.settings));
  if (options.probe) return print_found(agent::probe(read.settings, options.json));
  if (options.release) {
    return print_found(agent::release(read.settings, options.json, options.force));
  }
  return run_agent(options, read.settings, *own_key);
}

void add_commands(CLI::App& app, Options& options) {
  CLI::App* interrupts =
      app.add_subcommand("interrupts", "print the seconds that an interrupted job has left");
  interrupts->add_option("--job", options.job, "the job's id, as the scheduler calls it")
      ->required();
  interrupts->add_flag("--json", options.json, "print JSON");
  interrupts->fallthrough();
  interrupts->callback([&options] { options.interrupts = true; });
}

void add_options(CLI::App& app, Options& options) {
  app.footer(kExamples);
  app.add_option("--config", options.config, "configuration file")->capture_default_str();
  CLI::Option* check =
      app.add_flag("--check-config", options.check, "check the configuration and end");
  CLI::Option* describe = app.add_flag("--describe-config", options.describe,
                                       "print every key of the configuration as Markdown, and end");
  app.add_flag("--describe-metrics", options.describe_metrics,
               "print every metric of metrics_file as Markdown, and end");
  CLI::Option* probe = app.add_flag("--probe", options.probe,
                                    "print what would be reported and fenced, change nothing");
  CLI::Option* release =
      app.add_flag("--release", options.release, "remove every fence of ours and end");
  probe->excludes(check)->excludes(release)->excludes(describe);
  release->excludes(check)->excludes(describe);
  app.add_flag("--force", options.force, "with --release: also while leased slots are in use")
      ->needs(release);
  app.add_flag("--forget-epoch", options.forget_epoch,
               "forget at this start which of several brokers on one database has led")
      ->excludes(check)
      ->excludes(describe)
      ->excludes(probe)
      ->excludes(release);
  CLI::Option* conformance =
      app.add_flag("--conformance", options.conformance,
                   "check a site's own program, which the rest of the line is, and end")
          ->excludes(check)
          ->excludes(describe)
          ->excludes(probe)
          ->excludes(release);
  app.add_option("--with-changes", options.program.host,
                 "with --conformance: fence this host, and free it again")
      ->needs(conformance);
  app.add_flag("--json", options.json, "with --probe, --release or --conformance: print JSON");
  app.add_option("--log-level", options.log_level, "trace, debug, info, warn or error");
  app.add_option("--pause-at", options.pause_at)->group("")->envname("LEASEHOLD_PAUSE_AT");
  app.set_version_flag("--version", std::string("lease-agent ") + kVersion + ", wire version " +
                                        std::to_string(wire::kVersion));
  add_commands(app, options);
}

/// The words after --conformance are a program with arguments of its own, none of ours.
int take_program(int argc, char** argv, std::vector<std::string>& program) {
  int last = 1;
  while (last < argc && std::string(argv[last]) != "--conformance") ++last;
  if (last >= argc) return argc;
  for (int i = last + 1; i < argc; ++i) program.emplace_back(argv[i]);
  if (!program.empty() && program.front() == "--") program.erase(program.begin());
  return last + 1;
}

/// Ends the process. A thread may still read the settings from a file system that answers nothing:
/// then nothing is destroyed that it may use.
int end_program(int code) {
  if (agent::SettingsReader::left_reading() == 0) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace

int main(int argc, char** argv) {
  agent::block_reload_signal();
  keep_files_from_others();
  Options options;
  CLI::App app{"Reports a cluster's slots to the lease-broker and enforces its leases."};
  add_options(app, options);
  const int own = take_program(argc, argv, options.program.argv);
  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError& error) {
    return end_parsing(app, "lease-agent", error);
  }
  if (options.conformance && options.program.argv.empty()) {
    return complain(fail(ErrorCode::usage,
                         "--conformance: no program follows it; right would be "
                         "--conformance /opt/site/leasehold-adapter")
                        .value());
  }
  return end_program(run_program(options));
}
