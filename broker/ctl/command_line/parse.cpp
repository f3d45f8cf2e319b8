#include "broker/ctl/command_line/parse.hpp"

#include <algorithm>

#include "broker/ctl/command_line/help.hpp"
#include "broker/ctl/command_line/parser.hpp"
#include "broker/ctl/command_line/time_words.hpp"
#include "broker/views/lists/filter.hpp"
#include "broker/views/request/request_json.hpp"
#include "common/text/refused_words.hpp"
#include "common/version.hpp"

namespace leasehold::ctl {

namespace {

/// Names the tables that take this filter option; "": it is no filter.
std::string tables_with(const std::string& option) {
  std::string tables;
  for (const RequestRow& row : questions()) {
    for (const RequestFieldRow& field : request_fields()) {
      const bool has =
          row.list != nullptr && is_filter(field.field) && row.takes_field(field.field);
      if (has && option == field.option) {
        tables += (tables.empty() ? "" : ", ") + std::string(row.name);
      }
    }
  }
  return tables;
}

/// Returns "" where no command was typed.
std::string typed_command(const CLI::App& app) {
  return app.get_subcommands().empty() ? "" : app.get_subcommands().front()->get_name();
}

std::string where_to_read(const std::string& command) {
  return "; see leasectl help" + (command.empty() ? "" : " " + command);
}

/// Refuses an unknown command, an unknown option, or a word too many.
Status refuse_extras(const Parser& parser) {
  const std::string wrong = wrong_word(parser.app);
  if (wrong.empty()) return {};
  const std::string command = typed_command(parser.app);
  const std::string word = parser.app.remaining(true).front();
  if (word.size() > 1 && word[0] == '-') {
    const std::string tables = tables_with(word.substr(0, word.find('=')));
    const RequestRow* row = command.empty() ? nullptr : find_request(command);
    const bool is_list = row != nullptr && row->list != nullptr;
    if (tables.empty() || !is_list) return fail(ErrorCode::usage, wrong);
    return fail(ErrorCode::usage,
                command + " has no field for " + word + "; these have: " + tables);
  }
  return fail(ErrorCode::usage, wrong + (wrong.ends_with('?') ? "" : where_to_read(command)));
}

/// Returns "--at" or "LEASE".
std::string said_as(const CLI::Option& option) {
  return option.get_positional() ? option.get_name(true) : option.get_name();
}

/// An empty text is refused: it probably comes from a variable that is not set, and ignoring it
/// would answer another question.
Status refuse_empty(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::vector<std::string> typed = option->results();
    if (std::find(typed.begin(), typed.end(), "") == typed.end()) continue;
    const std::string name = said_as(*option);
    const std::string value = option->get_positional() ? name : option->get_type_name();
    return fail(ErrorCode::usage, name + ": the value is empty; " + value + " would be right" +
                                      (option->get_required() ? "" : ", or leave it out"));
  }
  return {};
}

/// Reads a time that CLI11 took as text, and stores it.
struct ReadTime {
  const std::string& text;
  Instant now;
  const TimeZoneName& zone;
  Request& request;

  Status operator()(std::optional<Instant> Request::*place) const {
    const Result<Instant> at = read_time(text, now, zone);
    if (!at) return tl::unexpected(at.error());
    request.*place = *at;
    return {};
  }
  Status operator()(OrderTime Request::*place) const {
    const bool begin = place == &Request::order_begin;
    const Result<Instant> at =
        begin ? read_order_begin(text, now, zone) : read_order_end(text, now, zone);
    if (!at) return tl::unexpected(at.error());
    // A duration is counted from the broker's present; words are resolved by the user's zone.
    const bool same = parse_order_begin(text, now).has_value();
    request.*place = {same ? text : format_utc(*at), *at};
    return {};
  }
  Status operator()(const auto&) const { return {}; }
};

Status read_times(const RawTexts& raw, Instant now, const TimeZoneName& zone, Request& request) {
  for (const RequestFieldRow& field : request_fields()) {
    const std::string& text = raw.times[static_cast<size_t>(field.field)];
    if (text.empty()) continue;
    const Status read = std::visit(ReadTime{text, now, zone, request}, field.place);
    if (!read) {
      return fail(ErrorCode::usage, option_name(field) + ": " + read.error().message);
    }
  }
  return {};
}

/// Returns the end of an order that lasts so long, as --until would say it: counted from the
/// broker's present, as its begin is, unless that is an instant ahead.
Result<OrderTime> end_after(const std::string& length, const OrderTime& begin, Instant now) {
  const Result<int64_t> duration = parse_duration_ms(length);
  if (!duration) return tl::unexpected(duration.error());
  Result<Instant> end = parse_order_end(length, now);
  if (!end) return tl::unexpected(end.error());
  std::string said = length;
  if (!begin.said.empty() && begin.at > now) {
    const auto ahead = parse_duration_ms(begin.said.substr(begin.said.starts_with('+') ? 1 : 0));
    said = ahead ? format_duration(*ahead + *duration) : format_utc(begin.at + *duration);
    end = parse_order_end(said, now);
    if (!end) return tl::unexpected(end.error());
  }
  return OrderTime{said, *end};
}

Status read_order_times(Instant now, Request& request) {
  if (!request.order_length.empty()) {
    const Result<OrderTime> end = end_after(request.order_length, request.order_begin, now);
    if (!end) return fail(ErrorCode::usage, "--for: " + end.error().message);
    request.order_end = *end;
  }
  return check_order_times(request);
}

Status read_texts(Parser& parser, Instant now) {
  CommandLine& line = parser.line;
  const RawTexts& raw = parser.raw;
  if (Status read = read_what_if(raw.what_if, line); !read) return read;
  if (!raw.timeout.empty()) {
    Result<int64_t> timeout = parse_duration_ms(raw.timeout);
    if (!timeout) return fail(ErrorCode::usage, "--timeout: " + timeout.error().message);
    line.timeout_ms = *timeout;
  }
  for (const Token<DrainSide>& half : kTokensOf<DrainSide>) {
    if (raw.halves[static_cast<size_t>(half.value)]) line.request.half = half.value;
  }
  const TimeZoneName zone{line.timezone};
  if (Status known = check_zone(zone); !known) {
    return fail(ErrorCode::usage, "--timezone: " + known.error().message);
  }
  if (Status read = read_times(raw, now, zone, line.request); !read) return read;
  return read_order_times(now, line.request);
}

/// Names the request to a broker, where the command makes one.
void name_request(CommandLine& line) {
  line.request.command = line.command == "replay" ? "history" : line.command;
  line.request.row = row_for(line.request);
}

/// True if the answer is a list of rows, which have fields and names.
bool prints_rows(const CommandLine& line) {
  const std::string& command = line.request.command;
  if (command == "history") return true;  // of replay, too
  if (command == "simulate") return !line.seeds;
  return line.request.row != nullptr && line.request.row->list != nullptr;
}

/// `leasectl -o east.toml import-lsf …` is probably meant for the command's own option of that
/// name.
std::string where_output_belongs(const CLI::App& command) {
  const CLI::Option* own = command.get_option_no_throw("--output");
  return own == nullptr ? "" : "; the file to write is named behind the command";
}

/// `-o json` means --json, `-o table` the default.
Status read_form(CommandLine& line, const CLI::App& command) {
  Request& asked = line.request;
  const std::string form = asked.output;
  if (!form.empty() && form != "json" && form != "table" && !prints_rows(line)) {
    return fail(ErrorCode::usage, "-o " + form + ": the answer of " + line.command +
                                      " is not a list of rows; table or json would be right" +
                                      where_output_belongs(command));
  }
  if (line.json && !asked.output.empty() && asked.output != "json") {
    return fail(ErrorCode::usage, "--json and -o " + asked.output + " exclude each other");
  }
  if (asked.csv && !asked.output.empty()) {
    return fail(ErrorCode::usage, "--csv and -o exclude each other");
  }
  if (asked.csv && asked.summary) {
    return fail(ErrorCode::usage, "--csv and --summary exclude each other");
  }
  line.json = line.json || form == "json";
  if (form == "json" || form == "table") asked.output.clear();
  return {};
}

Status refuse_contradictions(const CommandLine& line) {
  const Request& asked = line.request;
  if (asked.csv && line.json) return fail(ErrorCode::usage, "--csv and --json exclude each other");
  const bool formed = asked.csv || !asked.output.empty();
  if (line.verify && (formed || !asked.lease.empty() || asked.since || asked.until)) {
    return fail(ErrorCode::usage,
                "--verify judges the whole database: leave --lease, --since, "
                "--until, --csv and -o out");
  }
  if (line.what_if.asked && (line.verify || formed || !asked.lease.empty())) {
    return fail(ErrorCode::usage,
                "--what-if is of the whole site: leave --lease, --csv, -o and --verify out");
  }
  if (!line.broker.empty() && !line.db.empty()) {
    return fail(ErrorCode::usage, "--broker and --db exclude each other");
  }
  return {};
}

Result<std::variant<CommandLine, Help>> help_of(const std::string& command) {
  const Parser untouched;
  Result<std::string> text = help_text(untouched.app, command);
  if (!text) return tl::unexpected(text.error());
  return Help{*std::move(text)};
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
  } catch (const CLI::ArgumentMismatch& error) {
    return fail(ErrorCode::usage, count_mismatch(parser.app, error.what(), "--broker") +
                                      where_to_read(typed_command(parser.app)));
  } catch (const CLI::ParseError& error) {
    return fail(ErrorCode::usage, error.what() + where_to_read(typed_command(parser.app)));
  }
  if (Status known = refuse_extras(parser); !known) return tl::unexpected(known.error());
  const std::string command = typed_command(parser.app);
  if (parser.version || command == "version") {
    return Help{std::string("leasectl ") + kVersion + "\n"};
  }
  if (command.empty()) return fail(ErrorCode::usage, "no command is given" + where_to_read(""));
  for (const CLI::App* app : {&parser.app, parser.app.get_subcommands().front()}) {
    if (Status said = refuse_empty(*app); !said) return tl::unexpected(said.error());
  }
  if (command == "help") return help_of(parser.line.subject);
  if (Status read = read_texts(parser, now); !read) return tl::unexpected(read.error());
  parser.line.command = command;
  name_request(parser.line);
  const CLI::App& chosen = *parser.app.get_subcommands().front();
  if (Status form = read_form(parser.line, chosen); !form) return tl::unexpected(form.error());
  if (Status sane = refuse_contradictions(parser.line); !sane) return tl::unexpected(sane.error());
  return parser.line;
}

namespace {

OptionHelp option_help(const CLI::Option& option) {
  OptionHelp help;
  for (const std::string& name : option.get_snames()) help.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) help.names.push_back("--" + name);
  const bool takes_value = option.get_items_expected_max() > 0;
  if (option.get_positional()) {
    help.value = option.get_name();
  } else if (takes_value) {
    const std::string type = option.get_type_name();
    help.value = type.substr(0, type.find(':'));  // without what checks add
  }
  help.what = option.get_description();
  help.required = option.get_required();
  help.many = option.get_items_expected_max() > 1;
  return help;
}

/// Hidden options are left out.
void add_help(const CLI::App& app, std::vector<OptionHelp>& subjects,
              std::vector<OptionHelp>& options) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? subjects : options).push_back(option_help(*option));
  }
}

}  // namespace

ProgramHelp program_help() {
  const Parser parser;
  ProgramHelp program;
  program.what = parser.app.get_description();
  program.notes = parser.app.get_footer();
  std::vector<OptionHelp> none;
  add_help(parser.app, none, program.options);
  for (const CLI::App* app : parser.app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandHelp command;
    command.name = app->get_name();
    command.what = app->get_description();
    command.examples = app->get_footer();
    add_help(*app, command.subjects, command.options);
    std::erase_if(command.options, [](const OptionHelp& option) {
      return option.names.back() == "--help";  // every command has it; it is listed there
    });
    program.commands.push_back(std::move(command));
  }
  return program;
}

}  // namespace leasehold::ctl
