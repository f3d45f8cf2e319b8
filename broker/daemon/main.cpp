// lease-broker: the program that owns the export policies and the leases.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "broker/config/keys/reference.hpp"
#include "broker/config/load.hpp"
#include "broker/daemon/aside/config_reader.hpp"
#include "broker/daemon/leadership/on_server.hpp"
#include "broker/daemon/start/signals.hpp"
#include "broker/daemon/start/startup.hpp"
#include "broker/metrics/table.hpp"
#include "broker/ports/tokens.hpp"
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
  lease-broker --config broker.toml                runs until SIGTERM
  lease-broker --config broker.toml --check-config says all that is wrong with it, with line numbers
SIGHUP reads the configuration again; a broken file changes nothing and says so.)";

struct Options {
  std::string config = "/etc/leasehold/broker.toml";
  std::string log_level = "info";
  std::string pause_at;
  bool check = false;
  bool describe = false;
  bool describe_metrics = false;
  StartChoices choices;
};

int complain(const Error& error) {
  print_error(describe(error));
  return exit_code(error.code);
}

int describe_config() {
  std::fputs(key_reference().c_str(), stdout);
  return 0;
}

int describe_metrics() {
  std::fputs(broker_metric_reference().c_str(), stdout);
  return 0;
}

int run_program(const Options& options) {
  if (options.describe) return describe_config();
  if (options.describe_metrics) return describe_metrics();
  const auto level = parse_log_level(options.log_level);
  if (!level) return complain(level.error());
  const auto pause = PausePoint::parse(options.pause_at);
  if (!pause) return complain(pause.error());
  const Loaded loaded = load_broker_config(options.config);
  for (const Error& warning : loaded.warnings) {
    print_error(describe(warning) + " (warning)");
  }
  for (const Error& error : loaded.errors) complain(error);
  if (!loaded.ok()) return exit_code(loaded.errors.front().code);
  const auto own_key = read_own_key(loaded.daemon);
  if (!own_key) return complain(own_key.error());
  if (const auto tokens = Tokens::read(loaded.daemon.operators); !tokens) {
    return complain(tokens.error());
  }
  if (options.check) {
    for (const Error& note : loaded.notes) print_error(describe(note) + " (note)");
    if (const std::string open = not_checked(loaded.daemon); !open.empty()) {
      print_error(open + " (note)");
    }
    if (const Status good = check_files(loaded.daemon); !good) return complain(good.error());
    std::printf("%s: good\n", printable(options.config).c_str());
    return 0;
  }
  Signals signals;
  start_log("lease-broker", *level);
  const Status done = run_broker(loaded, *pause, signals, options.choices);
  return done ? 0 : complain(done.error());
}

/// Ends the process. A thread may still read the configuration from a disk that answers nothing:
/// then nothing is destroyed that it may use.
int end_program(int code) {
  if (ConfigReader::left_reading() == 0) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace

int main(int argc, char** argv) {
  keep_files_from_others();
  Options options;
  CLI::App app{"Leases job slots between clusters; owns the export policies and the history."};
  app.footer(kExamples);
  app.add_option("--config", options.config, "configuration file")->capture_default_str();
  app.add_flag("--check-config", options.check, "check the configuration and end");
  app.add_flag("--describe-config", options.describe,
               "print every key of the configuration as Markdown, and end");
  app.add_flag("--describe-metrics", options.describe_metrics,
               "print every metric of /metrics as Markdown, and end");
  app.add_flag("--accept-clock", options.choices.accept_clock,
               "the machine's clock is right, whatever the database says: start all the same, and "
               "go on from now where a wrong clock wrote later events");
  app.add_flag(
      "--adopt", options.choices.adopt,
      "of a database on a server: lead there though the database is of another [broker] "
      "site, or this file names none of its clusters; once, where that has really changed");
  app.add_flag("--without-copy", options.choices.without_copy,
               "after an upgrade: do not keep the database as the version before left it");
  app.add_option("--log-level", options.log_level, "trace, debug, info, warn or error")
      ->capture_default_str();
  app.add_option("--pause-at", options.pause_at)->group("")->envname("LEASEHOLD_PAUSE_AT");
  app.set_version_flag("--version", std::string("lease-broker ") + kVersion + ", wire version " +
                                        std::to_string(wire::kVersion));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return end_parsing(app, "lease-broker", error);
  }
  return end_program(run_program(options));
}
