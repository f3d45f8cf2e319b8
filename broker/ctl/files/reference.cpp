// reference: writes every command and option of leasectl as Markdown, which is schema/COMMANDS.md,
// or the words that all of Leasehold shares (broker/views/request/reference_pages.hpp).
#include "broker/ctl/files/reference.hpp"

#include "broker/ctl/commands.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/request/reference_pages.hpp"
#include "common/config/file.hpp"

namespace leasehold::ctl {

namespace {

using Text = std::string;

constexpr const char* kHead =
    R"(# Commands of leasectl

Every command with what it takes, as `leasectl COMMAND --help` tells it. Exit codes stand below the
list; what scripts may rely on: "What others may rely on". What they print with `--json`: "JSON".
This page is what `leasectl reference` prints, and a test compares the two. Start with the list.
)";

/// Breaks the text between words, where a line would be longer than lines of pages are.
Text wrapped(const Text& text) {
  constexpr size_t kColumns = 120;
  Text result;
  size_t begin = 0;
  while (text.size() - begin > kColumns) {
    const size_t blank = text.rfind(' ', begin + kColumns);
    if (blank == Text::npos || blank <= begin) break;
    result += text.substr(begin, blank - begin) + "\n";
    begin = blank + 1;
  }
  return result + text.substr(begin);
}

/// Returns "-l", "--reason TEXT".
Text typed(const OptionHelp& option) {
  return option.names.front() + (option.value.empty() ? "" : " " + option.value);
}

Text usage_line(const CommandHelp& command) {
  Text text = "leasectl " + command.name;
  for (const OptionHelp& subject : command.subjects) {
    const Text value = subject.value + (subject.many ? "..." : "");
    text += subject.required ? " " + value : " [" + value + "]";
  }
  for (const OptionHelp& option : command.options) {
    text += option.required ? " " + typed(option) : " [" + typed(option) + "]";
  }
  return text;
}

Text row(const Text& left, const Text& right) {
  return "| " + left + " | " + right + " |\n";
}

Text names(const OptionHelp& option) {
  Text text;
  for (const Text& name : option.names) text += (text.empty() ? "`" : ", `") + name + "`";
  if (!option.value.empty()) text += (text.empty() ? "`" : " `") + option.value + "`";
  return text;
}

Text rows(const std::vector<OptionHelp>& options) {
  Text text;
  for (const OptionHelp& option : options) text += row(names(option), option.what);
  return text;
}

Text options_table(const std::vector<OptionHelp>& subjects,
                   const std::vector<OptionHelp>& options) {
  if (subjects.empty() && options.empty()) return "";
  return "\n" + row("Takes", "Which is") + "|---|---|\n" + rows(subjects) + rows(options);
}

/// Says which role may ask, and which fields the request to the broker has.
Text request_text(const RequestRow& asked) {
  Text keys;
  for (const RequestFieldRow& field : request_fields()) {
    if (*field.key == '\0' || !asked.takes_field(field.field)) continue;
    const Text mark = asked.subject == field.field ? "" : "?";
    keys += (keys.empty() ? "" : " ") + ("`" + Text(field.key) + "`" + mark);
  }
  const bool admin = asked.is_change() || asked.admins_alone;
  return "\n" +
         wrapped("Request: `\"command\": \"" + Text(asked.name) + "\"`" +
                 (keys.empty() ? "" : ", " + keys) + ". Role: `" + (admin ? "admin" : "read") +
                 "`.") +
         "\n";
}

Text section(const CommandHelp& command) {
  const RequestRow* asked = find_request(command.name);
  return "\n## " + command.name + "\n\n" + wrapped(command.what) + "\n\n```\n" +
         usage_line(command) + "\n```\n" + options_table(command.subjects, command.options) +
         (asked == nullptr ? "" : request_text(*asked)) + "\n```\n" + command.examples + "\n```\n";
}

Text list(const ProgramHelp& program) {
  Text text = "\n" + row("Command", "Does") + "|---|---|\n";
  for (const CommandHelp& command : program.commands) {
    text += row("[" + command.name + "](#" + command.name + ")", command.what);
  }
  return text;
}

}  // namespace

std::string reference_text(const ProgramHelp& program) {
  Text text = kHead + list(program) + "\n## Every command\n\n```\n" + program.notes + "\n```\n" +
              options_table({}, program.options);
  for (const CommandHelp& command : program.commands) text += section(command);
  return text;
}

int reference(Invocation& invocation) {
  const std::string& page = invocation.line.subject;
  if (page == "reasons") {
    print(reasons_text());
  } else if (page == "events") {
    print(events_text());
  } else if (page.empty() || page == "commands") {
    print(reference_text(program_help()));
  } else {
    const std::vector<std::string> known{"commands", "reasons", "events"};
    return report(fail(ErrorCode::usage,
                       "'" + page + "' is not a reference; commands, reasons and events are" +
                           did_you_mean(page, known))
                      .value(),
                  invocation.line.json);
  }
  return 0;
}

}  // namespace leasehold::ctl
