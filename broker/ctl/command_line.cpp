#include "broker/ctl/command_line.hpp"

#include <CLI/CLI.hpp>

#include "broker/views/catalogue.hpp"
#include "common/config/file.hpp"
#include "common/version.hpp"

namespace leasehold::ctl {

namespace {

constexpr const char* kLeaseText = "POLICY:CONSUMER, or GROUP:/PATH of a plan";

/// Texts that are read after CLI11 is done, so that errors say what would be right.
struct RawTexts {
  std::string at;
  std::string since;
  std::string until;
  std::string timeout;
  std::string rule;
  std::string reclaim_delay;
};

struct Parser {
  CLI::App app{"Shows and changes what lease-broker does: leases of job slots between clusters."};
  CommandLine line;
  RawTexts raw;
  bool version = false;

  Parser();
  CLI::App* add(const char* name, const char* what, const std::string& examples);
  void add_common();
  void add_views();
  void add_view(const Question& question);
  void add_history(CLI::App* history);
  void add_usage(CLI::App* usage);
  void add_replay();
  void add_changes();
  void add_files();
  void add_plans();
  void times(CLI::App* command);
  void terms(CLI::App* command);
};

Parser::Parser() {
  app.name("leasectl");
  app.fallthrough();
  app.allow_extras();
  app.require_subcommand(0, 1);
  app.footer(
      "Exit codes: 0 done, 1 failed or unknown id, 2 bad usage, 3 broker not reachable, 130 "
      "interrupted.\nBroker: --broker, else $LEASEHOLD_BROKER, else ~/.config/leasehold/ctl.toml, "
      "else\n/etc/leasehold/ctl.toml, else tcp://127.0.0.1:7441. Keys likewise: --key, "
      "--broker-key; "
      "$LEASEHOLD_KEY,\n$LEASEHOLD_BROKER_KEY; key and broker_key in those files.\nExamples of a "
      "command: leasectl "
      "COMMAND --help");
  add_common();
  add_views();
  add_replay();
  add_changes();
  add_files();
  add_plans();
}

CLI::App* Parser::add(const char* name, const char* what, const std::string& examples) {
  CLI::App* command = app.add_subcommand(name, what);
  command->fallthrough();
  command->allow_extras();
  command->footer("Examples:\n" + examples);
  return command;
}

void Parser::add_common() {
  app.add_option("--broker", line.broker, "the broker's control endpoint")->type_name("ENDPOINT");
  app.add_option("--db", line.db, "read this database instead of asking a broker")
      ->type_name("FILE");
  app.add_option("--key", line.key, "own key file: mode 0600, from keygen")->type_name("FILE");
  app.add_option("--broker-key", line.broker_key, "the broker's public key")->type_name("KEY");
  app.add_option("--timeout", raw.timeout, "how long to wait for the broker (default 10s)")
      ->type_name("DURATION");
  app.add_flag("--json", line.json, "print JSON, as schema/json says");
  app.add_flag("--version", version, "print the version");
}

void Parser::times(CLI::App* command) {
  command->add_option("--since", raw.since, "not before: 2026-11-21T17:00:00Z or -2h")
      ->type_name("TIME");
  command->add_option("--until", raw.until, "before: 2026-11-21T18:00:00Z or -1h")
      ->type_name("TIME");
}

void Parser::terms(CLI::App* command) {
  command->add_option("--reason", line.reason, "why; kept and shown")->type_name("TEXT");
  command
      ->add_option("--until", line.order_end,
                   "the broker takes it back then: 2026-11-22T18:00:00Z, or 2h from now")
      ->type_name("TIME");
}

void Parser::add_view(const Question& question) {
  CLI::App* view = add(question.name, question.what, question.examples);
  const QuestionFields& takes = question.takes;
  if (takes.lease) view->add_option("LEASE", line.subject, kLeaseText)->required();
  if (takes.cluster) {
    view->add_option("--cluster", line.cluster, "this one alone")->type_name("NAME");
  }
  if (takes.exported) {
    view->add_flag("-e,--exported", line.exported, "only hosts that are exported");
  }
  if (takes.details) {
    view->add_flag("-l,--long", line.details, "every effective value and where it comes from");
  }
  if (takes.at) view->add_option("--at", raw.at, "as they were then")->type_name("TIME");
  if (question.name == std::string_view("history")) add_history(view);
  if (question.name == std::string_view("usage")) add_usage(view);
}

void Parser::add_views() {
  for (const Question& question : questions()) add_view(question);
}

void Parser::add_history(CLI::App* history) {
  history->add_option("--lease", line.lease, "of this lease alone")->type_name("LEASE");
  history->add_option("--limit", line.limit, "only the newest so many rows")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, int64_t{100'000}));
  history->add_flag("--follow", line.follow, "go on with what happens; with --json a row a line");
  history->add_flag("--csv", line.csv, "as CSV");
  times(history);
}

void Parser::add_usage(CLI::App* usage) {
  usage->add_flag("--csv", line.csv, "as CSV");
  times(usage);
}

void Parser::add_replay() {
  CLI::App* replay =
      add("replay", "the lease history of a database, or the proof that it is whole",
          "  leasectl replay leasehold.db --lease east-batch:west\n  leasectl replay "
          "leasehold.db --verify");
  replay->add_option("DB", line.subject, "a broker's database")->required();
  replay->add_flag("--verify", line.verify, "decide everything again and demand the same");
  replay->add_option("--lease", line.lease, "of this lease alone")->type_name("LEASE");
  replay->add_flag("--csv", line.csv, "as CSV");
  // Taken here so that the answer is "not yet" and not "unknown option".
  replay->add_option("--rule", raw.rule)->group("");
  replay->add_option("--reclaim-delay", raw.reclaim_delay)->group("");
  times(replay);
}

void Parser::add_changes() {
  const char* cluster_text = "the cluster's name";
  add("rebalance", "evaluate a lease now by its own rule", "  leasectl rebalance east-batch:west")
      ->add_option("LEASE", line.subject, kLeaseText)
      ->required();
  CLI::App* drain =
      add("drain", "a cluster gets and gives nothing new; exports come home, imports go back",
          "  leasectl drain east --reason 'new disks' --until 2h\n  leasectl drain east --provider "
          "--wait\n  leasectl drain west --consumer");
  drain->add_option("CLUSTER", line.subject, cluster_text)->required();
  CLI::Option* provider = drain->add_flag("--provider", line.as_provider, "what it exports alone");
  drain->add_flag("--consumer", line.as_consumer, "what it imports alone")->excludes(provider);
  drain->add_flag("--wait", line.wait, "until nothing is left; tells how much is");
  terms(drain);
  add("resume", "end of drain", "  leasectl resume west")
      ->add_option("CLUSTER", line.subject, cluster_text)
      ->required();
  CLI::App* close = add("close", "start no new leased work on a host",
                        "  leasectl close big1@east\n  leasectl close big1@east --for west\n  "
                        "leasectl close big1@east --reclaim");
  close->add_option("HOST", line.subject, "HOST@CLUSTER")->required();
  close->add_option("--for", line.consumer, "for this consumer alone")->type_name("CLUSTER");
  close->add_flag("--reclaim", line.reclaim, "end leased work there after its grace");
  close->add_flag("--wait", line.wait, "until nothing is left there; tells how much is");
  terms(close);
  CLI::App* open = add("open", "end of close", "  leasectl open big1@east --for west");
  open->add_option("HOST", line.subject, "HOST@CLUSTER")->required();
  open->add_option("--for", line.consumer, "for this consumer alone")->type_name("CLUSTER");
  terms(add("freeze", "nothing moves, everything keeps what it has",
            "  leasectl freeze\n  leasectl freeze --reason audit --until 30m"));
  add("thaw", "end of freeze", "  leasectl thaw");
  CLI::App* forget =
      add("forget", "your word that a silent cluster uses none of its leased slots: they return",
          "  leasectl forget west\n  leasectl forget west --yes");
  forget->add_option("CLUSTER", line.subject, cluster_text)->required();
  forget->add_flag("--yes", line.yes, "do not ask");
  CLI::App* reload = add(
      "reload", "load the broker's configuration anew, after showing who gains and loses",
      "  leasectl reload\n  leasectl reload --dry-run\n  leasectl reload --yes\n\nWithout --yes a "
      "person is asked; where none is there (no terminal, --json) nothing changes and,\nif "
      "anything would, the exit code is 1.");
  CLI::Option* yes = reload->add_flag("--yes", line.yes, "do not ask");
  reload->add_flag("--dry-run", line.dry_run, "show what would change; exit 1 if anything would")
      ->excludes(yes);
}

void Parser::add_files() {
  CLI::App* simulate = add("simulate", "run a scenario in virtual time",
                           "  leasectl simulate scenario.toml\n  leasectl simulate scenario.toml "
                           "--json --database run.db");
  simulate->add_option("SCENARIO", line.subject, "a TOML file")->required();
  simulate->add_option("--database", line.database, "keep the history of the run here")
      ->type_name("FILE");
  CLI::App* import_lsf = add("import-lsf", "lsb.resources and lsb.params as TOML",
                             "  leasectl import-lsf lsb.resources lsb.params --provider east -o "
                             "east.toml");
  import_lsf->add_option("FILE", line.files, "lsb.resources, lsb.params")->required();
  import_lsf->add_option("--provider", line.provider, "the cluster whose files they are")
      ->type_name("NAME");
  import_lsf->add_option("-o,--output", line.output, "write here instead of to stdout")
      ->type_name("FILE");
  CLI::App* keygen = add(
      "keygen", "make a key for a broker, an agent or an operator",
      "  leasectl keygen --out broker\n  leasectl keygen --out east\n\nWrites NAME.key, the secret "
      "key, for its owner alone (mode 0600; an existing file is left as it is)\nand prints the "
      "public key and what to write where.");
  keygen->add_option("--out", line.output, "name of the file, without .key (default leasehold)")
      ->type_name("NAME");
  CLI::App* check = add("check-config", "check a broker's configuration without starting",
                        "  leasectl check-config /etc/leasehold/broker.toml --strict");
  check->add_option("FILE", line.subject, "a TOML file")->required();
  check->add_flag("--strict", line.strict, "exit 1 also where there are warnings only");
}

void Parser::add_plans() {
  CLI::App* plan =
      add("plan", "what a resource plan would move, before it is applied",
          "  leasectl plan --config plan.toml --state now.json\n  leasectl plan "
          "--config broker.toml --state now.json --json\n\nState: {\"time\": "
          "\"2026-11-21T17:01:00Z\", \"slots\": {\"GROUP\": 30},\n        "
          "\"consumers\": {\"/PATH\": {\"demand\": 100, \"allocated\": 15}}}\nWithout time "
          "no window holds; leaves that are not named want and hold nothing.");
  plan->add_option("--config", line.config, "resource groups and consumers: a TOML file")
      ->type_name("FILE")
      ->required();
  plan->add_option("--state", line.state, "what each leaf wants and holds: a JSON file")
      ->type_name("FILE")
      ->required();
  CLI::App* import_ego = add("import-ego", "EGO's ConsumerTrees.xml as a resource plan in TOML",
                             "  leasectl import-ego ConsumerTrees.xml -o plan.toml\n\nWhat has no "
                             "counterpart or was not understood is reported on stderr.");
  import_ego->add_option("FILE", line.subject, "ConsumerTrees.xml")->required();
  import_ego->add_option("-o,--output", line.output, "write here instead of to stdout")
      ->type_name("FILE");
}

std::vector<std::string> command_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

void add_option_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
}

/// What nobody asked for: an unknown command, an unknown option, a word too many.
Status refuse_extras(Parser& parser) {
  const std::vector<std::string> extras = parser.app.remaining(true);
  if (extras.empty()) return {};
  const std::string& word = extras.front();
  const std::vector<CLI::App*> chosen = parser.app.get_subcommands();
  if (word.size() > 1 && word[0] == '-') {
    std::vector<std::string> names;
    add_option_names(parser.app, names);
    if (!chosen.empty()) add_option_names(*chosen.front(), names);
    return fail(ErrorCode::usage, "unknown option '" + word + "'" + did_you_mean(word, names));
  }
  if (chosen.empty()) {
    const std::string meant = did_you_mean(word, command_names(parser.app));
    return fail(ErrorCode::usage, "unknown command '" + word + "'" +
                                      (meant.empty() ? "; see leasectl --help" : meant));
  }
  return fail(ErrorCode::usage, "'" + word + "' is one word too many; see leasectl " +
                                    chosen.front()->get_name() + " --help");
}

Status read_time(const char* option, const std::string& text, Instant now,
                 std::optional<Instant>& into) {
  if (text.empty()) return {};
  Result<Instant> at = parse_time(text, now);
  if (!at) return fail(ErrorCode::usage, std::string(option) + ": " + at.error().message);
  into = *at;
  return {};
}

Status read_texts(Parser& parser, Instant now) {
  CommandLine& line = parser.line;
  const RawTexts& raw = parser.raw;
  if (!raw.rule.empty() || !raw.reclaim_delay.empty()) {
    return fail(ErrorCode::usage,
                "replay cannot answer what-if yet: leave --rule and --reclaim-delay out; "
                "simulate compares rules on a trace");
  }
  if (!raw.timeout.empty()) {
    Result<int64_t> timeout = parse_duration_ms(raw.timeout);
    if (!timeout) return fail(ErrorCode::usage, "--timeout: " + timeout.error().message);
    line.timeout_ms = *timeout;
  }
  if (!line.order_end.empty()) {
    const Result<Instant> end = parse_order_end(line.order_end, now);
    if (!end) return fail(ErrorCode::usage, "--until: " + end.error().message);
  }
  if (Status at = read_time("--at", raw.at, now, line.at); !at) return at;
  if (Status since = read_time("--since", raw.since, now, line.since); !since) return since;
  return read_time("--until", raw.until, now, line.until);
}

Status refuse_contradictions(const CommandLine& line) {
  if (line.csv && line.json) return fail(ErrorCode::usage, "--csv and --json exclude each other");
  if (line.verify && (line.csv || !line.lease.empty() || line.since || line.until)) {
    return fail(ErrorCode::usage,
                "--verify judges the whole database: leave --lease, --since, "
                "--until and --csv out");
  }
  if (!line.broker.empty() && !line.db.empty()) {
    return fail(ErrorCode::usage, "--broker and --db exclude each other");
  }
  return {};
}

}  // namespace

Result<std::variant<CommandLine, Help>> parse_command_line(int argc, const char* const* argv,
                                                           Instant now) {
  Parser parser;
  try {
    parser.app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    std::ostringstream out;
    parser.app.exit(help, out, out);
    return Help{out.str()};
  } catch (const CLI::ParseError& error) {
    return fail(ErrorCode::usage, error.what());
  }
  if (Status known = refuse_extras(parser); !known) return tl::unexpected(known.error());
  if (parser.version) return Help{std::string("leasectl ") + kVersion + "\n"};
  if (parser.app.get_subcommands().empty()) {
    return fail(ErrorCode::usage, "no command is given; see leasectl --help");
  }
  if (Status read = read_texts(parser, now); !read) return tl::unexpected(read.error());
  parser.line.command = parser.app.get_subcommands().front()->get_name();
  if (Status sane = refuse_contradictions(parser.line); !sane) return tl::unexpected(sane.error());
  return parser.line;
}

}  // namespace leasehold::ctl
