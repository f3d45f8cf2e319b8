// lease-agent: the program beside each cluster's workload manager.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "agent/io/loop.hpp"
#include "common/log.hpp"
#include "common/version.hpp"
#include "common/wire/message.hpp"

namespace {

using namespace leasehold;

constexpr const char* kExamples = R"(
Exit codes: 0 done, 1 failed, 2 bad usage or configuration.

Examples:
  lease-agent --config east.toml                runs until SIGTERM; leased slots stay fenced
  lease-agent --config east.toml --check-config says what is wrong with the file, with line numbers
  lease-agent --config east.toml --probe        shows what would be reported and fenced
SIGHUP reads log_level, broker and [security] with its keys again, and nothing else.)";

struct Options {
  std::string config = "/etc/leasehold/agent.toml";
  std::string log_level;
  std::string pause_at;
  bool check = false;
  bool probe = false;
};

int complain(const Error& error) {
  std::fprintf(stderr, "%s\n", describe(error).c_str());
  return exit_code(error.code);
}

/// The option, else the file, else info.
LogLevel level_of(const Options& options, const agent::Settings& settings) {
  const std::string& text = options.log_level.empty() ? settings.log_level : options.log_level;
  return parse_log_level(text).value_or(LogLevel::info);
}

/// A broken file changes nothing and says so.
std::optional<agent::Settings> read_again(const Options& options) {
  const agent::ReadSettings read = agent::read_settings(options.config);
  if (!read.errors.empty()) {
    log_error("reload-refused", {{"error", describe(read.errors.front())}});
    return std::nullopt;
  }
  const LogLevel level = level_of(options, read.settings);
  start_log("lease-agent", level);
  log_info("reloaded", {{"log_level", token(level)}});
  return read.settings;
}

int print_probe(const agent::Settings& settings) {
  const Result<std::string> answer = agent::probe(settings);
  if (!answer) return complain(answer.error());
  std::printf("%s\n", answer->c_str());
  return 0;
}

int run_agent(const Options& options, const agent::Settings& settings) {
  const Result<agent::Pause> pause = agent::Pause::at(options.pause_at);
  if (!pause) return complain(pause.error());
  const Status done = agent::run(settings, *pause, [&options] { return read_again(options); });
  return done ? 0 : complain(done.error());
}

int run_program(const Options& options) {
  if (const auto level = parse_log_level(options.log_level); !options.log_level.empty() && !level)
    return complain(level.error());
  const agent::ReadSettings read = agent::read_settings(options.config);
  for (const Error& warning : read.warnings)
    std::fprintf(stderr, "%s (warning)\n", describe(warning).c_str());
  for (const Error& error : read.errors) complain(error);
  if (!read.errors.empty()) return exit_code(read.errors.front().code);
  const auto own_key = agent::read_own_key(options.config, read.settings.security);
  if (!own_key) return complain(own_key.error());
  if (options.check) {
    std::printf("%s: good\n", options.config.c_str());
    return 0;
  }
  start_log("lease-agent", level_of(options, read.settings));
  return options.probe ? print_probe(read.settings) : run_agent(options, read.settings);
}

}  // namespace

int main(int argc, char** argv) {
  agent::block_signals();
  Options options;
  CLI::App app{"Reports a cluster's slots to the lease-broker and enforces its leases."};
  app.footer(kExamples);
  app.add_option("--config", options.config, "configuration file")->capture_default_str();
  app.add_flag("--check-config", options.check, "check the configuration and end");
  app.add_flag("--probe", options.probe, "print what would be reported and fenced, change nothing");
  app.add_option("--log-level", options.log_level, "trace, debug, info, warn or error");
  app.add_option("--pause-at", options.pause_at)->group("")->envname("LEASEHOLD_PAUSE_AT");
  app.set_version_flag("--version", std::string("lease-agent ") + kVersion + ", wire version " +
                                        std::to_string(wire::kVersion));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run_program(options);
}
