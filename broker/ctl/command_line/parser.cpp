#include "broker/ctl/command_line/parser.hpp"

#include "broker/ctl/command_line/checks.hpp"
#include "broker/ctl/command_line/help.hpp"
#include "broker/lab/simulate/scenario/scenario.hpp"

namespace leasehold::ctl {

Parser::Parser() {
  app.name("leasectl");
  app.formatter(std::make_shared<HelpFormat>());
  app.fallthrough();
  app.allow_extras();
  app.require_subcommand(0, 1);
  app.footer(
      "Exit codes: 0 done, 1 failed or unknown id, 2 bad usage, 3 broker not reachable, 4 nobody "
      "leads (it takes the place of 0 and 1), 130 interrupted.\nBroker: --broker, else "
      "$LEASEHOLD_BROKER, else "
      "~/.config/leasehold/ctl.toml, "
      "else\n/etc/leasehold/ctl.toml, else tcp://127.0.0.1:7441. Keys likewise: --key, "
      "--broker-key; "
      "$LEASEHOLD_KEY,\n$LEASEHOLD_BROKER_KEY; key and broker_key in those files.\nExamples of a "
      "command: leasectl "
      "COMMAND --help");
  add_common();
  for (const RequestRow& question : questions()) add_request(question);
  add_replay();
  for (const RequestRow& change : changes()) add_request(change);
  add_keep();
  add_files();
  add_imports();
  add_plan();
  add_itself();
}

CLI::App* Parser::add(const char* name, const char* what, const std::string& examples) {
  CLI::App* command = app.add_subcommand(name, what);
  command->fallthrough();
  command->allow_extras();
  command->footer("Examples:\n" + examples);
  command->group(command_group(name));
  return command;
}

void Parser::add_common() {
  app.add_option("--broker", line.broker,
                 "the broker's control endpoint; with several (A,B) the one that leads is asked")
      ->type_name("ENDPOINT");
  app.add_option("--db", line.db, "read this database instead of asking a broker")
      ->type_name("FILE");
  app.add_option("--key", line.key, "own key file: mode 0600, from keygen")->type_name("FILE");
  app.add_option("--broker-key", line.broker_key, "the broker's public key")->type_name("KEY");
  app.add_option("--timeout", raw.timeout, "how long to wait for the broker (default 10s)")
      ->type_name("DURATION");
  const RequestFieldRow& form = request_field(RequestField::output);
  app.add_option(form.option, line.request.output, form.what)->type_name(form.value);
  app.add_flag("--json", line.json, "print JSON (its fields: /api/v1/openapi.json of a broker)");
  app.add_option("--color", line.colour, "auto (default: on a terminal), always or never")
      ->type_name("WHEN")
      ->check(one_of({"auto", "always", "never"}, "auto, always or never"));
  app.add_option("--timezone", line.timezone,
                 "the zone of times typed without one, as Europe/Berlin (default: this machine's; "
                 "ISO 8601 without a zone needs it)")
      ->type_name("ZONE");
  app.add_flag("--version", version, "print the version");
}

namespace {

/// True if the command has the field as an option of its own; every command takes --output.
bool is_offered(const RequestFieldRow& field) {
  if (field.field == RequestField::output) return false;
  return *field.option != '\0' || field.field == RequestField::half;
}

/// Adds one field of the catalogue as an option that writes to its place in the Request.
struct AddField {
  CLI::App* command;
  CommandLine& line;
  RawTexts& raw;
  const RequestFieldRow& field;

  void operator()(std::string Request::*place) const { take(line.request.*place); }
  void operator()(bool Request::*place) const {
    command->add_flag(field.option, line.request.*place, field.what);
  }
  void operator()(std::optional<int64_t> Request::*place) const {
    take(line.request.*place)->check(within(int64_t{1}, int64_t{100'000}));
  }
  void operator()(std::optional<Instant> Request::*) const { take(raw_time()); }
  void operator()(OrderTime Request::*) const { take(raw_time()); }
  void operator()(DrainSide Request::*) const {
    CLI::Option* before = nullptr;
    for (const Token<DrainSide>& half : kTokensOf<DrainSide>) {
      if (half.value == DrainSide::both) continue;
      CLI::Option* option =
          command->add_flag("--" + std::string(half.token),
                            raw.halves[static_cast<size_t>(half.value)], half_text(half.value));
      if (before != nullptr) option->excludes(before);
      before = option;
    }
  }

 private:
  std::string& raw_time() const { return raw.times[static_cast<size_t>(field.field)]; }
  template <class T>
  CLI::Option* take(T& into) const {
    return command->add_option(field.option, into, field.what)->type_name(field.value);
  }
};

}  // namespace

void Parser::add_fields(CLI::App* command, RequestFields fields) {
  for (const RequestFieldRow& field : request_fields()) {
    if (!is_offered(field) || (fields & takes(field.field)) == 0) continue;
    std::visit(AddField{command, line, raw, field}, field.place);
  }
}

void Parser::add_request(const RequestRow& row) {
  CLI::App* command = add(row.name, row.what, row.examples);
  if (row.subject) {
    const RequestFieldRow& subject = request_field(*row.subject);
    const auto place = std::get<std::string Request::*>(subject.place);
    const bool more = row.subject_help != nullptr;
    command
        ->add_option(more ? "SUBJECT" : subject.value, line.request.*place,
                     more ? row.subject_help : subject.subject)
        ->required();
  }
  add_fields(command, row.list == nullptr ? row.fields : row.fields | row.list->fields());
  if (row.list != nullptr && row.list->positional_filter) {
    add_name(command, *row.list->positional_filter);
  }
  if (row.takes_field(RequestField::yes) && row.takes_field(RequestField::dry_run)) {
    command->get_option("--dry-run")->excludes(command->get_option("--yes"));
  }
  if (row.takes_field(RequestField::order_length)) {
    command->get_option("--for")->excludes(command->get_option("--until"));
  }
}

/// Lets the filter be typed without its option: `hosts big1` is `hosts --host big1`.
void Parser::add_name(CLI::App* command, RequestField filter) {
  const RequestFieldRow& field = request_field(filter);
  const auto place = std::get<std::string Request::*>(field.place);
  CLI::Option* name = command->add_option(field.value, line.request.*place, field.subject);
  if (*field.option != '\0') name->excludes(command->get_option(field.option));
}

void Parser::add_replay() {
  CLI::App* replay =
      add("replay", "the lease history of a database, the proof that it is whole, or what if",
          "  leasectl replay leasehold.db --lease east-batch:west\n  leasectl replay "
          "leasehold.db --verify\n  leasectl replay leasehold.db --what-if --reclaim-delay 2m "
          "--plot two-minutes.svg");
  replay->add_option("DB", line.subject, "a broker's database")->required();
  replay->add_flag("--verify", line.verify,
                   "decide each recorded event again and report the first difference");
  add_what_if(*replay, raw.what_if, line.what_if);
  using F = RequestField;
  add_fields(replay, takes(F::lease, F::csv, F::since, F::until, F::no_header));
}

void Parser::add_keep() {
  app.get_subcommand("backup")
      ->add_option("--keep", line.keep,
                   "replace FILE once the copy is complete, and keep N copies in all (the one "
                   "before as FILE.1, then FILE.2, …)")
      ->type_name("N")
      ->check(within(int64_t{1}, int64_t{1000}));
}

void Parser::add_files() {
  CLI::App* simulate =
      add("simulate", "run a scenario in virtual time",
          "  leasectl simulate scenario.toml --plot rules.svg\n  leasectl simulate "
          "scenario.toml --json --database run.db\n  leasectl simulate scenario.toml --seeds 20");
  simulate->add_option("SCENARIO", line.subject, "a TOML file")->required();
  simulate->add_option("--database", line.database, "keep the history of the run here")
      ->type_name("FILE");
  simulate
      ->add_option("--seeds", line.seeds,
                   "so many runs, each of days drawn again from the traces: means with 95 % "
                   "confidence intervals")
      ->type_name("N")
      ->check(within(int64_t{2}, int64_t{kSeedsMax}));
  simulate
      ->add_option("--plot", line.plot,
                   "write a picture: waits under each rule, slots held and used over time")
      ->type_name("FILE.svg");
  CLI::App* tables =
      add("tables", "make the readable tables of a database again",
          "  leasectl tables leasehold.db\n  leasectl tables leasehold.db "
          "monday.state --json\n\nThey are for sqlite3 and reports "
          "(\"The database's schema\" in the guide), as of the last event of the database, "
          "whose\nbroker may run. A broker with [broker] tables makes them now and "
          "then by itself.");
  tables->add_option("DB", line.subject, "a broker's database")->required();
  tables->add_option("FILE", line.output, "where to (default DB.state)");
  CLI::App* restore =
      add("restore", "put a copy that leasectl backup made in a database's place",
          "  leasectl restore monday.db /var/lib/leasehold/leasehold.db\n\nFirst "
          "stop the broker, and move DB, DB-wal and DB-shm away, not DB.commit. "
          "Afterwards start it:\nagents state what they hold, and a lease waits "
          "until the agents of both its sides have reported. What happened\nsince the copy "
          "was made is missing from its history.");
  restore->add_option("FILE", line.subject, "the copy")->required();
  restore->add_option("DB", line.output, "the broker's `database`; it must not exist yet")
      ->required();
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

void Parser::add_imports() {
  CLI::App* lsf = add("import-lsf", "lsb.resources and lsb.params as TOML",
                      "  leasectl import-lsf lsb.resources lsb.params --provider east -o "
                      "east.toml");
  lsf->add_option("FILE", line.files, "lsb.resources, lsb.params")->required();
  lsf->add_option("--provider", line.provider, "the cluster whose files they are")
      ->type_name("CLUSTER");
  CLI::App* ego = add("import-ego", "EGO's ConsumerTrees.xml as a resource plan in TOML",
                      "  leasectl import-ego ConsumerTrees.xml -o plan.toml\n\nWhat has no "
                      "counterpart or was not understood is reported on stderr.");
  ego->add_option("FILE", line.subject, "ConsumerTrees.xml")->required();
  for (CLI::App* import : {lsf, ego}) {
    import->add_option("-o,--output", line.output, "write here instead of to stdout")
        ->type_name("FILE");
  }
}

void Parser::add_plan() {
  CLI::App* plan =
      add("plan", "what a resource plan would move, before it is applied",
          "  leasectl plan --config plan.toml --state now.json\n  leasectl plan "
          "--config broker.toml --state now.json --json\n\nState: {\"time\": "
          "\"2026-11-21T17:01:00Z\", \"slots\": {\"GROUP\": 30},\n        "
          "\"consumers\": {\"/PATH\": {\"demand\": 100, \"allocated\": 15}}}\nWithout time "
          "no window is open; leaves that are not named want and hold nothing.");
  plan->add_option("--config", line.config, "resource groups and consumers: a TOML file")
      ->type_name("FILE")
      ->required();
  plan->add_option("--state", line.state, "what each leaf wants and holds: a JSON file")
      ->type_name("FILE")
      ->required();
}

void Parser::add_itself() {
  add("watch", "the site on the whole terminal, live: bars, reasons, the last decisions",
      "  leasectl watch\n\nq ends it; then the terminal is as it was before.");
  add("completion", "what a shell needs to complete commands, options and names",
      "  leasectl completion bash > /usr/share/bash-completion/completions/leasectl\n  source "
      "<(leasectl completion bash)\n  leasectl completion zsh > "
      "/usr/share/zsh/vendor-completions/_leasectl\n  leasectl completion fish > "
      "~/.config/fish/completions/leasectl.fish\n\nThe packages install all three.")
      ->add_option("SHELL", line.subject, "bash, zsh or fish")
      ->required();
  add("help", "this list, or what one command takes", "  leasectl help\n  leasectl help history")
      ->add_option("COMMAND", line.subject, "a command");
  add("version", "print the version", "  leasectl version");
  add("reference", "every command and option, or every reason or event, as Markdown",
      "  leasectl reference | less\n  leasectl reference reasons")
      ->add_option("PAGE", line.subject, "commands (default), reasons or events");
}

}  // namespace leasehold::ctl
